// Guided by a trained head, with a model that shows no hidden states.
// expect: hidden_state_model
// expect-gcc: hidden_states_at_hand
// expect-clang: .m.hidden_size\(\). would be invalid
#include "lacuna/draw/argmax.hpp"
#include "lacuna/nn/neural.hpp"
#include "lacuna/order/dependence_bound.hpp"
#include "lacuna/problems/permutation.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/testing/rungs.hpp"

struct my_head {
  static constexpr auto reads = lacuna::statistics::hidden;
  struct scratch {};
  std::size_t hidden_size() const;
  lacuna::nn::parameters& parameters();
  void check(const lacuna::nn::pair_context&) const;
  void reserve(scratch&, std::size_t) const;
  void operator()(const lacuna::nn::pair_context&, std::span<const std::size_t>, scratch&, std::span<double>) const;
  double loss_and_gradient(const lacuna::nn::pair_example&, const lacuna::nn::pair_loss&, scratch&, std::span<float>) const;
};

#ifdef FIXED
using my_model = lacuna::testing::as_hidden<lacuna::problems::permutation>;
#else
using my_model = lacuna::problems::permutation;
#endif
void use(my_model& model) {
  lacuna::decode(model, lacuna::canvas::blank(4),
                 lacuna::compose(lacuna::order::dependence_bound{lacuna::mi::neural{my_head{}}, 0.3}, lacuna::draw::argmax{}));
}
