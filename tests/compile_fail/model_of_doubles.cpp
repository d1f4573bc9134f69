// A model whose logits are doubles.
// expect-gcc: required for the satisfaction of .scores_batches<M>. .with M = my_model.
// expect-gcc: .m\(x\). does not satisfy return-type-requirement
// expect-gcc: -> logits_tensor
// expect-clang: .my_model. does not satisfy .scores_batches.
// expect-clang: does not satisfy .logits_tensor.
// expect-clang: double, float
#include "lacuna/concepts/masked_model.hpp"

struct my_model {
  std::size_t vocabulary_size() const { return 3; }
  lacuna::token mask_token() const { return 2; }
#ifdef FIXED
  lacuna::tensor<float, 3> operator()(const lacuna::token_batch& x);
#else
  lacuna::tensor<double, 3> operator()(const lacuna::token_batch& x);
#endif
};
static_assert(lacuna::masked_model<my_model>);
