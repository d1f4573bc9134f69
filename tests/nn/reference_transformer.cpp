#include "lacuna/nn/reference_transformer.hpp"

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "comparing.hpp"
#include "lacuna/core/scatter.hpp"
#include "small_networks.hpp"

namespace {

using namespace lacuna;

nn::reference::transformer<double> network(const nn::transformer_config& c) {
  nn::parameters p;
  const nn::transformer_layout layout = nn::transformer_layout::add_to(p, c);
  nn::initialise(p, layout, c, 3);
  nn::reference::transformer<double> net{c, p.values()};
  const std::vector<float> noise = comparing::numbers(p.values().size(), 9, 0.1);
  for (std::size_t i = 0; i < noise.size(); ++i) net.parameters()[i] += static_cast<double>(noise[i]);
  return net;
}

}  // namespace

TEST_CASE("the gradient of the whole plain network is that of finite differences for every kind of parameter") {
  for (const small_networks::named_config& small : small_networks::all()) {
    CAPTURE(small.name);
    nn::reference::transformer<double> net = network(small.config);
    const small_networks::owned_batch batch = small_networks::random_batch(small.config, {5, 1, 3}, 17);
    std::vector<double> gradient(net.parameters().size());
    const double loss = net.loss(batch.view(), gradient);
    CHECK(std::isfinite(loss));
    CHECK(net.loss(batch.view(), {}) == loss);
    nn::parameters shape;
    nn::transformer_layout::add_to(shape, small.config);
    for (const nn::parameter& p : shape.list()) {
      CAPTURE(p.name);
      for (std::size_t pick = 0; pick < 6; ++pick) {
        const std::size_t i = p.offset + scatter(pick + p.offset) % p.size;
        double& value = net.parameters()[i];
        const double at = value;
        const double step = 1e-5;
        value = at + step;
        const double above = net.loss(batch.view(), {});
        value = at - step;
        const double slope = (above - net.loss(batch.view(), {})) / (2 * step);
        value = at;
        // Cancellation leaves loss x 1e-16 / step, the third derivative step^2.
        CHECK(std::abs(gradient[i] - slope) < 1e-7 * (1.0 + std::abs(slope)));
      }
    }
  }
}

TEST_CASE("a wrong gradient of the plain network would be noticed") {
  nn::reference::transformer<double> net = network(small_networks::plain());
  const small_networks::owned_batch batch = small_networks::random_batch(small_networks::plain(), {5}, 17);
  std::vector<double> gradient(net.parameters().size());
  net.loss(batch.view(), gradient);
  std::size_t largest = 0;
  for (std::size_t i = 0; i < gradient.size(); ++i)
    if (std::abs(gradient[i]) > std::abs(gradient[largest])) largest = i;
  double& value = net.parameters()[largest];
  const double at = value;
  value = at + 1e-5;
  const double above = net.loss(batch.view(), {});
  value = at - 1e-5;
  const double slope = (above - net.loss(batch.view(), {})) / 2e-5;
  CHECK(std::abs(1.001 * gradient[largest] - slope) > 1e-7 * (1.0 + std::abs(slope)));
}
