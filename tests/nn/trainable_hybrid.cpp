#include "lacuna/nn/trainable_hybrid.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "lacuna/nn/hybrid_metadata.hpp"
#include "lacuna/nn/hybrid_transformer.hpp"
#include "lacuna/train/hybrid_rows.hpp"
#include "lacuna/train/trainer.hpp"
#include "lacuna/train/weights_file.hpp"
#include "small_hybrids.hpp"

namespace {

using namespace lacuna;

static_assert(train::trainable_model<nn::trainable_hybrid, nn::hybrid_examples>);

/// Rows that begin anywhere and go up by one, modulo 6: given one token all others follow, given none every token is uniform.
/// In bits that a factorised draft lacks and a target has: with nothing revealed, ln 6 a token against (ln 6) / L.
struct staircase {
  std::vector<token> row = std::vector<token>(8);
  std::span<const token> operator()(random_stream& random) {
    const auto begin = static_cast<token>(random.below(6));
    for (std::size_t l = 0; l < row.size(); ++l) row[l] = (begin + static_cast<token>(l)) % 6;
    return row;
  }
};

nn::hybrid_config small() {
  nn::hybrid_config c;
  c.trunk.vocabulary = 7;
  c.trunk.mask_token = 6;
  c.trunk.max_length = 8;
  c.trunk.width = 32;
  c.trunk.depth = 1;
  c.trunk.heads = 2;
  c.trunk.feed_forward = 48;
  c.trunk.positions = nn::positions::rotary;
  return c;
}

train::options<> for_steps(std::size_t steps) {
  train::options<> o;
  o.steps = steps;
  o.seed = 4;
  o.schedule.peak = 5e-3;
  return o;
}

/// Rows with nothing revealed.
train::hybrid_batch unrevealed() {
  train::hybrid_batch out;
  random_stream random{77, stream_use::other};
  staircase draw;
  std::vector<std::size_t> order;
  for (int k = 0; k < 200; ++k) {
    const std::span<const token> row = draw(random);
    train::add_in_random_order(row, 0.0, out, order, random);
  }
  return out;
}

}  // namespace

TEST_CASE("training brings the target loss far below the draft loss where tokens hang together and nothing is revealed") {
  for (const nn::positions kind : {nn::positions::rotary, nn::positions::learned}) {
    CAPTURE(kind);
    nn::hybrid_config config = small();
    config.trunk.positions = kind;
    nn::trainable_hybrid net{config, 1, 2};
    const train::hybrid_batch test = unrevealed();
    CHECK(net.loss(test.view()).draft == net.loss(test.view()).target);
    train::hybrid_rows source{staircase{}, 16};
    std::vector<double> sums;
    train::run(net, source, for_steps(600), [&](const train::step_report& report, const train::training_state&) {
      sums.push_back(std::abs(report.loss - net.last_loss().sum()));
    });
    for (const double apart : sums) CHECK(apart < 1e-9);
    const nn::hybrid_loss loss = net.loss(test.view());
    CHECK(loss.draft > 0.98 * std::log(6.0));  // there is nothing to know
    CHECK(loss.draft < 1.05 * std::log(6.0));
    CHECK(loss.target < 0.6 * std::log(6.0));  // the first of eight is unknown, the others follow
    CHECK(loss.target > 0.99 * std::log(6.0) / 8);
  }
}

TEST_CASE("a hybrid training run that is interrupted and resumed ends with the same bits") {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "lacuna_hybrid_resume.safetensors";
  std::filesystem::remove(path);
  train::hybrid_rows source{staircase{}, 8};
  nn::trainable_hybrid whole{small(), 1};
  train::run(whole, source, for_steps(9));
  train::options<> options = for_steps(9);
  options.checkpoint = path;
  options.checkpoint_steps = 2;
  options.metadata = nn::to_metadata(small());
  nn::trainable_hybrid first{small(), 1};
  train::run(first, source, options,
             [](const train::step_report& report, const train::training_state&) { return report.step < 5; });
  nn::trainable_hybrid second{small(), 2};
  train::run(second, source, options);
  CHECK(
      std::equal(whole.parameters().values().begin(), whole.parameters().values().end(), second.parameters().values().begin()));
  CHECK(
      !std::equal(whole.parameters().values().begin(), whole.parameters().values().end(), first.parameters().values().begin()));
  std::filesystem::remove(path);
}

TEST_CASE("a hybrid network that is saved and loaded gives the same drafts and targets") {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "lacuna_hybrid_weights.safetensors";
  nn::trainable_hybrid trained{small(), 1};
  train::hybrid_rows source{staircase{}, 8};
  train::run(trained, source, for_steps(10));
  train::save_weights(path, trained.parameters(), trained.parameters().values(), nn::to_metadata(trained.config()));

  const io::safetensors_file file{path};
  const nn::hybrid_config config = nn::hybrid_from_metadata(file.metadata());
  CHECK(config == small());
  train::expect_size(file, config);
  nn::hybrid_transformer loaded{config, 5};
  train::load_weights(file, loaded.parameters());
  nn::hybrid_transformer original{small(), trained.parameters()};
  const std::vector<token> tokens(8, 6), text{0, 1, 2, 3, 4, 5, 0, 1};
  const std::vector<std::size_t> zero{0}, eight{8}, wanted{0, 3}, order{3, 1, 2, 0, 7, 6, 5, 4};
  std::vector<std::vector<float>> rows;
  for (nn::hybrid_transformer* net : {&loaded, &original}) {
    const auto sink = [&](std::size_t, std::span<const float> row) { rows.emplace_back(row.begin(), row.end()); };
    net->draft(view_as_tensor(tokens.data(), std::array<std::size_t, 2>{1, 8}), zero, wanted, sink);
    net->verify({zero, order, text, zero, eight}, sink);
  }
  REQUIRE(rows.size() == 20);
  for (std::size_t k = 0; k < 10; ++k) CHECK(rows[k] == rows[10 + k]);
  CHECK(rows[2] != rows[1]);  // the target of position 3 is not its draft any more
  std::filesystem::remove(path);
}

TEST_CASE("a trainable hybrid refuses another network's parameters and too little room for the gradient") {
  nn::parameters other;
  nn::hybrid_layout::add_to(other, small_hybrids::learned());
  CHECK_THROWS_AS((nn::trainable_hybrid{small(), other}), invalid_argument);
  nn::trainable_hybrid net{small(), 1};
  const train::hybrid_batch batch = unrevealed();
  std::vector<float> gradient(3);
  CHECK_THROWS_WITH_AS(
      net.loss_and_gradient(batch.view(), gradient),
      ("trainable_hybrid: got 3 places for the gradient, expected " + std::to_string(net.parameters().values().size())).c_str(),
      invalid_argument);
}
