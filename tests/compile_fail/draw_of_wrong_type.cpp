// A draw that returns an index instead of a token.
// expect-gcc: .d.draw\(log_p, rng\). does not satisfy return-type-requirement
// expect-gcc: .draw_policy.
// expect-clang: .my_draw. does not satisfy .draw_policy.
// expect-clang: same_as<unsigned long, (lacuna::)?token>. was not satisfied
#include "lacuna/concepts/draw_policy.hpp"

struct my_draw {
#ifdef FIXED
  lacuna::token draw(std::span<double> log_p, lacuna::random_stream& rng) const;
#else
  std::size_t draw(std::span<double> log_p, lacuna::random_stream& rng) const;
#endif
};
static_assert(lacuna::draw_policy<my_draw>);
