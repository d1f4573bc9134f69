// A selective model that returns its rows instead of handing them to the sink.
// expect-gcc: .selective_model.
// expect-gcc: the required expression .m\(x, wanted, sink\). is invalid
// expect-clang: .my_model. does not satisfy .selective_model.
// expect-clang: .m\(x, wanted, sink\). would be invalid
#include "lacuna/concepts/selective_model.hpp"

struct my_model {
  std::size_t vocabulary_size() const { return 3; }
  lacuna::token mask_token() const { return 2; }
#ifdef FIXED
  void operator()(const lacuna::token_batch& x, std::span<const std::size_t> wanted, lacuna::row_sink sink);
#else
  lacuna::tensor<float, 2> operator()(const lacuna::token_batch& x, std::span<const std::size_t> wanted);
#endif
};
static_assert(lacuna::selective_model<my_model>);
