// A model whose call has another name.
// expect-gcc: required for the satisfaction of .scores_batches<M>. .with M = my_model.
// expect-gcc: the required expression .m\(x\). is invalid
// expect-clang: .my_model. does not satisfy .scores_batches.
// expect-clang: .m\(x\). would be invalid: type .my_model. does not provide a call operator
#include "lacuna/concepts/masked_model.hpp"

struct my_model {
  std::size_t vocabulary_size() const { return 3; }
  lacuna::token mask_token() const { return 2; }
#ifdef FIXED
  lacuna::tensor<float, 3> operator()(const lacuna::token_batch& x);
#else
  lacuna::tensor<float, 3> forward(const lacuna::token_batch& x);
#endif
};
static_assert(lacuna::masked_model<my_model>);
