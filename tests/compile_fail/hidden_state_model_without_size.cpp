// A model that shows hidden states and does not say how wide they are.
// expect-gcc: required for the satisfaction of .has_hidden_size<M>. .with M = my_model.
// expect-gcc: the required expression .m.hidden_size\(\). is invalid
// expect-clang: .my_model. does not satisfy .has_hidden_size.
// expect-clang: no member named .hidden_size.
#include "lacuna/concepts/hidden_state_model.hpp"

struct both {
  lacuna::tensor<float, 3> logits;
  lacuna::tensor<float, 3> hidden;
};
struct my_model {
  std::size_t vocabulary_size() const { return 3; }
  lacuna::token mask_token() const { return 2; }
#ifdef FIXED
  std::size_t hidden_size() const { return 8; }
#endif
  both with_hidden(const lacuna::token_batch& x);
};
static_assert(lacuna::hidden_state_model<my_model>);
