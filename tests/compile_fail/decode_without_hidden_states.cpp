// An order that looks at hidden states, with a model that has none.
// expect: hidden_state_model
// expect-gcc: hidden_states_at_hand
// expect-clang: .m.hidden_size\(\). would be invalid
#include "lacuna/draw/argmax.hpp"
#include "lacuna/problems/permutation.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/testing/rungs.hpp"

struct my_order {
  static constexpr auto needs = lacuna::statistics::hidden;
  void select(const lacuna::step_view&, lacuna::selection& out, const lacuna::step_random&) const { out.add(0); }
};

#ifdef FIXED
using my_model = lacuna::testing::as_hidden<lacuna::problems::permutation>;
#else
using my_model = lacuna::problems::permutation;
#endif
void use(my_model& model) {
  lacuna::decode(model, lacuna::canvas::blank(4), lacuna::compose(my_order{}, lacuna::draw::argmax{}));
}
