// Something that is no estimator: it neither reads (estimate) nor probes (values and gathered).
// expect: mi_estimator
// expect: estimates_pairs
// expect-gcc: e.estimate\(view, candidates, memory, out\)
// expect-gcc: e.values\(log_p, values, rng\)
// expect-clang: .e.estimate\(view, candidates, memory, out\). would be invalid
// expect-clang: .e.values\(log_p, values, rng\). would be invalid
#include "lacuna/mi/pruned.hpp"
#include "lacuna/order/mi_guided.hpp"

struct my_estimator {
  double operator()(const lacuna::step_view&, std::size_t, std::size_t) const { return 0; }
};

#ifdef FIXED
template class lacuna::order::mi_guided<lacuna::mi::pruned>;
#else
template class lacuna::order::mi_guided<my_estimator>;
#endif
