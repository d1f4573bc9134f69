// A model whose logits are stored column by column, read as if row by row.
// expect-gcc: required for the satisfaction of .scores_batches<M>. .with M = my_model.
// expect-gcc: .m\(x\). does not satisfy return-type-requirement
// expect-clang: does not satisfy .logits_tensor.
// expect-clang: T::static_layout == xt::layout_type::row_major
#include "lacuna/concepts/masked_model.hpp"

struct my_model {
  std::size_t vocabulary_size() const { return 3; }
  lacuna::token mask_token() const { return 2; }
#ifdef FIXED
  static constexpr auto layout = xt::layout_type::row_major;
#else
  static constexpr auto layout = xt::layout_type::column_major;
#endif
  xt::xtensor<float, 3, layout> operator()(const lacuna::token_batch& x);
};
static_assert(lacuna::masked_model<my_model>);
