// An order whose select has other parameters: both forms it may have are named.
// expect-gcc: required for the satisfaction of .has_select<P>. .with P = my_order.
// expect: p(.|->)select\(view, out, rng\)
// expect-gcc: p(.|->)select\(view, memory, out, rng\)
// expect-clang: .my_order. does not satisfy .has_select.
// expect-clang: too many arguments to function call, expected 2, have 3
// expect-clang: no type named .memory. in .my_order.
#include "lacuna/concepts/order_policy.hpp"

struct my_order {
#ifdef FIXED
  void select(const lacuna::step_view& view, lacuna::selection& out, const lacuna::step_random& rng) const;
#else
  void select(const lacuna::step_view& view, lacuna::selection& out) const;
#endif
};
static_assert(lacuna::order_policy<my_order>);
