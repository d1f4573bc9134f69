// A rank that forgets to return its score.
// expect-gcc: required for the satisfaction of .ranks_candidates<R>.
// expect: r\(view, k\)
// expect-gcc: r\(view, k, rng\)
// expect-clang: does not satisfy .ranks_candidates.
// expect-clang: std::convertible_to<void, double>
#include "lacuna/concepts/rank_policy.hpp"

#ifdef FIXED
constexpr auto my_rank = [](const lacuna::step_view& view, std::size_t k) { return view.confidence(k); };
#else
constexpr auto my_rank = [](const lacuna::step_view& view, std::size_t k) { view.confidence(k); };
#endif
static_assert(lacuna::rank_policy<decltype(my_rank)>);
