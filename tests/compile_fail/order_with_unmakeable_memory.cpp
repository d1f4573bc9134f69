// An order whose memory has no default constructor: the loop makes one for each row.
// expect-gcc: default_initializable
// expect-gcc: my_order::memory
// expect-clang: .memory_of<my_order>.* does not satisfy .default_initializable.
#include "lacuna/concepts/order_policy.hpp"

struct my_order {
  struct memory {
#ifdef FIXED
    memory() = default;
#endif
    explicit memory(std::size_t length);
  };
  void select(const lacuna::step_view&, memory&, lacuna::selection&, const lacuna::step_random&) const;
};
static_assert(lacuna::order_policy<my_order>);
