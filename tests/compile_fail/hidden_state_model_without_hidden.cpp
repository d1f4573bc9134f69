// A model whose with_hidden() returns a tensor: the members it should have are named.
// expect-gcc: required for the satisfaction of .shows_hidden<M>. .with M = my_model.
// expect: m.with_hidden\(x\).*logits
// expect: m.with_hidden\(x, wanted, sink, sink\)
// expect-clang: .my_model. does not satisfy .shows_hidden.
#include "lacuna/concepts/hidden_state_model.hpp"

struct both {
  lacuna::tensor<float, 3> logits;
  lacuna::tensor<float, 3> hidden;
};
struct my_model {
  std::size_t vocabulary_size() const { return 3; }
  lacuna::token mask_token() const { return 2; }
  std::size_t hidden_size() const { return 8; }
#ifdef FIXED
  both with_hidden(const lacuna::token_batch& x);
#else
  lacuna::tensor<float, 3> with_hidden(const lacuna::token_batch& x);
#endif
};
static_assert(lacuna::hidden_state_model<my_model>);
