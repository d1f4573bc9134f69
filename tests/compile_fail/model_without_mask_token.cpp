// A model without mask_token(): the static_assert under the class names the concept and the missing expression.
// expect: static.?assert.* failed
// expect-gcc: required for the satisfaction of .has_mask_token<M>. .with M = my_model.
// expect-gcc: the required expression .m.mask_token\(\). is invalid
// expect-clang: .my_model. does not satisfy .masked_model.
// expect-clang: .my_model. does not satisfy .has_mask_token.
// expect-clang: .m.mask_token\(\). would be invalid: no member named .mask_token.
#include "lacuna/concepts/masked_model.hpp"

struct my_model {
  std::size_t vocabulary_size() const { return 3; }
#ifdef FIXED
  lacuna::token mask_token() const { return 2; }
#endif
  lacuna::tensor<float, 3> operator()(const lacuna::token_batch& x);
};
static_assert(lacuna::masked_model<my_model>);
