// A window that is not told how many positions there are.
// expect: window_policy
// expect-gcc: the required expression .w\(revealed, total\). is invalid
// expect-clang: .w\(revealed, total\). would be invalid
#include "lacuna/concepts/window_policy.hpp"

struct my_window {
#ifdef FIXED
  std::size_t operator()(std::size_t revealed, std::size_t total) const { return 1 + revealed * 8 / total; }
#else
  std::size_t operator()(std::size_t revealed) const { return 1 + revealed; }
#endif
};
static_assert(lacuna::window_policy<my_window>);
