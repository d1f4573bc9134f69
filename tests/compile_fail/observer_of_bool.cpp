// An observer that answers true: it is void, or a verdict.
// expect: observer
// expect: verdict
// expect-clang: std::same_as<_?[Bb]ool, (lacuna::)?verdict>
#include "lacuna/concepts/observer.hpp"

#ifdef FIXED
constexpr auto my_observer = [](const lacuna::step_event&) { return lacuna::verdict::stop; };
#else
constexpr auto my_observer = [](const lacuna::step_event&) { return true; };
#endif
static_assert(lacuna::observer<decltype(my_observer)>);
