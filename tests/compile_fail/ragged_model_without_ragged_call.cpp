// A plain model said to take rows of different lengths: both forms of the missing call are named.
// expect-gcc: required for the satisfaction of .takes_ragged_batches<M>. .with M = my_model.
// expect: m\(ragged\)
// expect: m\(ragged, wanted, sink\)
// expect-clang: .my_model. does not satisfy .takes_ragged_batches.
#include "lacuna/concepts/ragged_model.hpp"

struct my_model {
  std::size_t vocabulary_size() const { return 3; }
  lacuna::token mask_token() const { return 2; }
#ifdef FIXED
  lacuna::tensor<float, 2> operator()(const lacuna::ragged_batch& x);
#else
  lacuna::tensor<float, 3> operator()(const lacuna::token_batch& x);
#endif
};
static_assert(lacuna::ragged_model<my_model>);
