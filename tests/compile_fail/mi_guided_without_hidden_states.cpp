// Guided by an estimator that reads hidden states, with a model that has none.
// expect: hidden_state_model
// expect-gcc: hidden_states_at_hand
// expect-clang: .m.hidden_size\(\). would be invalid
#include "lacuna/draw/argmax.hpp"
#include "lacuna/order/mi_guided.hpp"
#include "lacuna/problems/permutation.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
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
void use(my_model& model) {
  lacuna::decode(model, lacuna::canvas::blank(4),
                 lacuna::compose(lacuna::order::mi_guided{my_head{}, 0.3}, lacuna::draw::argmax{}));
}
