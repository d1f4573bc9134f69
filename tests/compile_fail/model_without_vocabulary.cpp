// A model whose vocabulary_size() is not const: facts are asked of a constant.
// expect-gcc: required for the satisfaction of .has_vocabulary<M>. .with M = my_model.
// expect-gcc: the required expression .m.vocabulary_size\(\). is invalid
// expect-clang: .my_model. does not satisfy .has_vocabulary.
// expect-clang: .m.vocabulary_size\(\). would be invalid: .this. argument .* but function is not marked const
#include "lacuna/concepts/masked_model.hpp"

struct my_model {
#ifdef FIXED
  std::size_t vocabulary_size() const { return 3; }
#else
  std::size_t vocabulary_size() { return 3; }
#endif
  lacuna::token mask_token() const { return 2; }
  lacuna::tensor<float, 3> operator()(const lacuna::token_batch& x);
};
static_assert(lacuna::masked_model<my_model>);
