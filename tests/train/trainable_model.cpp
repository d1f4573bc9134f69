#include "lacuna/train/trainable_model.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <span>

#include "lacuna/train/trainer.hpp"
#include "toy_softmax.hpp"

namespace nn = lacuna::nn;
namespace train = lacuna::train;

namespace {

/// The least that must be trainable: neither copied, moved nor made from nothing, and no other member.
struct archetype {
  explicit archetype(int) { own.add("w", {1}, false); }
  archetype(const archetype&) = delete;
  archetype& operator=(const archetype&) = delete;
  void operator&() const = delete;
  nn::parameters& parameters() { return own; }
  /// (w - 3)^2 per row, whatever the tokens.
  double loss_and_gradient(const nn::example_batch& batch, std::span<float> gradient) {
    const float d = own.values()[0] - 3;
    const auto rows = static_cast<float>(batch.offsets.size() - 1);
    gradient[0] += 2 * d * rows;
    return static_cast<double>(d * d * rows);
  }
  nn::parameters own;
};

struct no_parameters {
  double loss_and_gradient(const nn::example_batch&, std::span<float>);
};
struct no_gradient {
  nn::parameters& parameters();
};
struct copies_parameters : no_parameters {
  nn::parameters parameters();
};
struct hides_parameters : no_parameters {
  const nn::parameters& parameters();
};
struct loss_in_float : no_gradient {
  float loss_and_gradient(const nn::example_batch&, std::span<float>);
};
struct gradient_in_double : no_gradient {
  double loss_and_gradient(const nn::example_batch&, std::span<double>);
};
struct mutable_batch : no_gradient {
  double loss_and_gradient(nn::example_batch&, std::span<float>);
};
struct by_value : no_gradient {
  double loss_and_gradient(nn::example_batch, std::span<float>) const;
};

}  // namespace

static_assert(train::trainable_model<archetype>);
static_assert(train::trainable_model<lacuna_test::toy_softmax>);
static_assert(train::trainable_model<by_value>);
static_assert(!train::trainable_model<int>);
static_assert(!train::has_parameters<no_parameters> && train::has_loss_and_gradient<no_parameters>);
static_assert(train::has_parameters<no_gradient> && !train::has_loss_and_gradient<no_gradient>);
static_assert(!train::has_parameters<copies_parameters>);
static_assert(!train::has_parameters<hides_parameters>);
static_assert(!train::has_loss_and_gradient<loss_in_float>);
static_assert(!train::has_loss_and_gradient<gradient_in_double>);
static_assert(!train::has_loss_and_gradient<mutable_batch>);

TEST_CASE("the archetype goes through the whole loop") {
  archetype model{0};
  train::options<> options;
  options.steps = 300;
  options.schedule = {0.1, 0.01, 10};
  train::run(
      model,
      [](std::size_t, train::batch_builder& batch, lacuna::random_stream&) {
        batch.add(std::array<lacuna::token, 1>{0}, std::array<lacuna::token, 1>{0}, std::array<float, 1>{1}, 1);
      },
      options);
  CHECK(model.own.values()[0] == doctest::Approx(3).epsilon(0.01));
}
