// An estimator that reads hidden states is asked about a model that has none.
// expect: mi_estimator_for
// expect: hidden_state_model
#include "lacuna/mi/estimate.hpp"
#include "lacuna/problems/permutation.hpp"
#include "lacuna/testing/rungs.hpp"

struct my_head {
  static constexpr auto needs = lacuna::statistics::hidden;
  void estimate(const lacuna::step_view&, std::span<const std::size_t>, lacuna::no_memory&, std::span<double>) const {}
};

#ifdef FIXED
using my_model = lacuna::testing::as_hidden<lacuna::problems::permutation>;
#else
using my_model = lacuna::problems::permutation;
#endif
void use(my_model& model) { lacuna::mi::estimate(model, lacuna::canvas::blank(4), my_head{}); }
