#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <sstream>
#include <vector>

#include "../io/scratch_file.hpp"
#include "lacuna/io/safetensors.hpp"
#include "lacuna/nn/metadata.hpp"
#include "lacuna/nn/transformer.hpp"
#include "lacuna/train/masking.hpp"
#include "lacuna/train/observers.hpp"
#include "lacuna/train/trainer.hpp"
#include "lacuna/train/weights_file.hpp"

namespace nn = lacuna::nn;
namespace train = lacuna::train;
using lacuna_test::scratch_file;

namespace {

constexpr lacuna::token mask = 5;

nn::transformer_config small() {
  nn::transformer_config c;
  c.vocabulary = 6;
  c.max_length = 7;
  c.width = 16;
  c.depth = 2;
  c.heads = 2;
  c.feed_forward = 32;
  c.positions = nn::positions::learned;
  c.mask_token = mask;
  return c;
}

/// Rows of 3 to 7 tokens that count up from a random start, masked at random.
struct counting_source {
  train::masker<> masker{mask};
  void operator()(std::size_t, train::batch_builder& batch, lacuna::random_stream& random) {
    std::vector<double> levels(6);
    train::stratified_levels{}.fill(levels, random);
    for (const double level : levels) {
      std::vector<lacuna::token> row(3 + random.below(5));
      const auto start = static_cast<lacuna::token>(random.below(5));
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<lacuna::token>((start + static_cast<int>(i)) % 5);
      masker.add_row(row, level, batch, random);
    }
  }
};

train::options<> short_run() {
  train::options<> options;
  options.steps = 12;
  options.seed = 3;
  options.schedule = {0.01, 0.1, 2};
  options.metadata = nn::to_metadata(small());
  return options;
}

std::vector<float> weights_of(const nn::transformer& net) {
  return {net.parameters().values().begin(), net.parameters().values().end()};
}

}  // namespace

static_assert(train::trainable_model<nn::transformer>);

TEST_CASE("a transformer's resumed run ends with the weights of an uninterrupted one, bit for bit, with two threads") {
  nn::transformer whole{small(), 1, 2};
  const auto whole_state = train::run(whole, counting_source{}, short_run());

  const scratch_file scratch{"transformer.safetensors"};
  auto options = short_run();
  options.checkpoint = scratch.path();
  nn::transformer first{small(), 1, 2};
  train::run(first, counting_source{}, options, [](const train::step_report& r, const auto&) { return r.step < 5; });
  CHECK(weights_of(first) != weights_of(whole));
  nn::transformer second{small(), 99, 2};
  const auto state = train::run(second, counting_source{}, options);
  CHECK(state.step == 12);
  CHECK(weights_of(second) == weights_of(whole));
  CHECK(state.average.values == whole_state.average.values);
}

TEST_CASE("a transformer with other heads is not resumed, though its tensors have the same shapes") {
  const scratch_file scratch{"heads.safetensors"};
  auto options = short_run();
  options.steps = 1;
  options.checkpoint = scratch.path();
  nn::transformer net{small(), 1};
  train::run(net, counting_source{}, options);
  auto other = small();
  other.heads = 4;
  options.metadata = nn::to_metadata(other);
  nn::transformer wrong{other, 1};
  CHECK_THROWS_WITH_AS(train::run(wrong, counting_source{}, options), doctest::Contains("heads"), lacuna::file_error);
  other = small();
  other.width = 32;
  options.metadata.clear();
  nn::transformer wider{other, 1};
  CHECK_THROWS_WITH_AS(train::run(wider, counting_source{}, options), doctest::Contains("has shape"), lacuna::file_error);
}

TEST_CASE("a transformer learns to count, and is the same network after its weights went through a file") {
  auto options = short_run();
  options.steps = 1500;
  nn::transformer net{small(), 1};
  double loss = 0;
  const auto state =
      train::run(net, counting_source{}, options, [&](const train::step_report& r, const auto&) { loss = r.mean_loss; });
  // A row is told by any of its tokens: only when all are masked is there log 5 to pay, once, so that the ELBO is log 5 per
  // row. Rows have 5 tokens on average. The bound leaves the network half as much again for what it has not learned.
  CHECK(loss < 1.5 * std::log(5.0) / 5);
  CHECK(loss > 0.5 * std::log(5.0) / 5);

  const scratch_file scratch{"model.safetensors"};
  train::save_weights(scratch.path(), net.parameters(), state.average.values, nn::to_metadata(net.config()));
  const lacuna::io::safetensors_file file{scratch.path()};
  nn::transformer loaded{nn::from_metadata(file.metadata()), 7};
  train::load_weights(file, loaded.parameters());
  CHECK(loaded.config() == net.config());
  const train::averaged_weights scope{net.parameters(), state.average};
  CHECK(weights_of(loaded) == weights_of(net));
  const std::vector<lacuna::token> row{mask, 4, mask, mask};
  const auto batch = lacuna::view_as_tensor<const lacuna::token, 2>(row.data(), {1, 4});
  CHECK(loaded(batch) == net(batch));
  const auto logits = loaded(batch);
  const lacuna::token expected[] = {3, 4, 0, 1};
  for (std::size_t i = 0; i < 4; ++i) {
    if (i == 1) continue;
    std::size_t best = 0;
    for (std::size_t v = 1; v < 5; ++v) best = logits(0, i, v) > logits(0, i, best) ? v : best;
    CHECK(best == static_cast<std::size_t>(expected[i]));
  }
}
