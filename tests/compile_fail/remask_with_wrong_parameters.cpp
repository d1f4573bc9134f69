// A remasking policy that does not ask which tokens are committed.
// expect-gcc: the required expression .r.remask\(view, committed, out, rng\). is invalid
// expect-gcc: .remask_policy.
// expect-clang: .my_remask. does not satisfy .remask_policy.
// expect-clang: .r.remask\(view, committed, out, rng\). would be invalid
#include "lacuna/concepts/remask_policy.hpp"

struct my_remask {
#ifdef FIXED
  void remask(const lacuna::step_view&, const lacuna::committed_view&, lacuna::selection&, const lacuna::step_random&) const;
#else
  void remask(const lacuna::step_view&, lacuna::selection&, const lacuna::step_random&) const;
#endif
};
static_assert(lacuna::remask_policy<my_remask>);
