// An order whose select is not const: what must be remembered goes into its `memory`.
// expect-gcc: required for the satisfaction of .has_select<P>. .with P = my_order.
// expect-clang: .my_order. does not satisfy .has_select.
// expect-clang: .this. argument .* but function is not marked const
#include "lacuna/concepts/order_policy.hpp"

struct my_order {
#ifdef FIXED
  struct memory {
    std::size_t steps = 0;
  };
  void select(const lacuna::step_view&, memory& m, lacuna::selection&, const lacuna::step_random&) const { ++m.steps; }
#else
  std::size_t steps = 0;
  void select(const lacuna::step_view&, lacuna::selection&, const lacuna::step_random&) { ++steps; }
#endif
};
static_assert(lacuna::order_policy<my_order>);
