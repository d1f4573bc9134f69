#include "lacuna/nn/training_pass.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "lacuna/nn/reference_transformer.hpp"
#include "small_networks.hpp"

namespace {

using namespace lacuna;

/// Parameters away from their regular start, so that norms, biases and relations matter too.
nn::parameters shaken(const nn::transformer_config& c, std::uint64_t seed) {
  nn::parameters p;
  const nn::transformer_layout layout = nn::transformer_layout::add_to(p, c);
  nn::initialise(p, layout, c, seed);
  std::vector<float> noise(p.values().size());
  nn::fill_normal(noise, 0.1, seed, 1000);
  for (std::size_t i = 0; i < noise.size(); ++i) p.values()[i] += noise[i];
  return p;
}

/// The largest difference in units of the largest entry.
double relative_difference(const std::vector<float>& got, const std::vector<double>& expected) {
  double difference = 0.0;
  double scale = 0.0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    difference = std::max(difference, std::abs(static_cast<double>(got[i]) - expected[i]));
    scale = std::max(scale, std::abs(expected[i]));
  }
  return difference / scale;
}

}  // namespace

TEST_CASE("loss and gradient of a step equal those of the plain loops in double, whatever the options") {
  for (const small_networks::named_config& small : small_networks::all()) {
    CAPTURE(small.name);
    const nn::transformer_config& config = small.config;
    const nn::parameters p = shaken(config, 3);
    const small_networks::owned_batch batch = small_networks::random_batch(config, {21, 1, 8, 17, 16}, 5);
    std::vector<float> gradient(p.values().size());
    nn::training_pass pass{config};
    const double loss = pass(p, batch.view(), gradient);

    nn::reference::transformer<double> reference{config, p.values()};
    std::vector<double> expected(gradient.size());
    const double expected_loss = reference.loss(batch.view(), expected);
    CHECK(loss == doctest::Approx(expected_loss).epsilon(1e-5));
    CHECK(relative_difference(gradient, expected) < 1e-5);
  }
}
