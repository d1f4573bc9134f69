#include "lacuna/train/training_batch.hpp"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "lacuna/train/batch_builder.hpp"
#include "lacuna/train/trainer.hpp"
#include "toy_softmax.hpp"

namespace {

namespace train = lacuna::train;
namespace nn = lacuna::nn;

/// Numbers, and nothing of tokens.
struct numbers {
  std::vector<float> values;
  void clear() { values.clear(); }
  [[nodiscard]] std::size_t rows() const { return values.size(); }
  [[nodiscard]] double units() const { return static_cast<double>(values.size()); }
  [[nodiscard]] std::span<const float> view() const { return values; }
};

/// Learns the mean of numbers.
struct mean_model {
  nn::parameters own;
  mean_model() { own.add("mean", {1}, false); }
  nn::parameters& parameters() { return own; }
  double loss_and_gradient(std::span<const float> batch, std::span<float> gradient) {
    double loss = 0;
    for (const float x : batch) {
      const float d = own.values()[0] - x;
      gradient[0] += 2 * d;
      loss += static_cast<double>(d) * static_cast<double>(d);
    }
    return loss;
  }
};

/// Names its batches.
struct around_three {
  using batch = numbers;
  std::size_t rows = 4;
  void operator()(std::size_t, numbers& out, lacuna::random_stream& random) const {
    for (std::size_t r = 0; r < rows; ++r) out.values.push_back(2.5F + static_cast<float>(random.uniform()));
  }
};

struct does_not_name_them {
  void operator()(std::size_t, numbers&, lacuna::random_stream&) const;
};
struct without_clear {
  [[nodiscard]] std::size_t rows() const;
  [[nodiscard]] double units() const;
  [[nodiscard]] int view() const;
};
struct without_units {
  void clear();
  [[nodiscard]] std::size_t rows() const;
  [[nodiscard]] int view() const;
};
struct of_one_size : numbers {
  explicit of_one_size(int);
};
struct names_no_batch {
  using batch = int;
  void operator()(std::size_t, int&, lacuna::random_stream&) const;
};

train::options<> short_run(std::size_t steps) {
  train::options<> options;
  options.steps = steps;
  options.seed = 7;
  options.schedule = {0.1, 0.05, 3};
  return options;
}

}  // namespace

static_assert(train::training_batch<train::batch_builder>);
static_assert(train::training_batch<numbers>);
static_assert(!train::training_batch<int>);
static_assert(!train::training_batch<without_clear>);
static_assert(!train::training_batch<without_units>);
static_assert(!train::training_batch<of_one_size>);

static_assert(std::is_same_v<train::examples_of<train::batch_builder>, nn::example_batch>);
static_assert(std::is_same_v<train::examples_of<numbers>, std::span<const float>>);
static_assert(std::is_same_v<train::batch_of<around_three>, numbers>);
static_assert(std::is_same_v<train::batch_of<const around_three&>, numbers>);
static_assert(std::is_same_v<train::batch_of<lacuna_test::counting_rows>, train::batch_builder>);

static_assert(train::batch_source<around_three>);
static_assert(train::batch_source<const around_three&>);
static_assert(train::batch_source<lacuna_test::counting_rows>);
static_assert(!train::batch_source<does_not_name_them>);
static_assert(!train::batch_source<names_no_batch>);

static_assert(train::trainable_model<mean_model, std::span<const float>>);
static_assert(!train::trainable_model<mean_model>, "learns from numbers, not from tokens");
static_assert(!train::trainable_model<lacuna_test::toy_softmax, std::span<const float>>);

TEST_CASE("a model learns from batches of whatever kind its source names, by run and by steps of one's own") {
  mean_model model;
  const auto state = train::run(model, around_three{}, short_run(300));
  CHECK(state.rows == 1200);
  CHECK(model.own.values()[0] == doctest::Approx(3).epsilon(0.05));  // the last dozen batches of 4: .29 / sqrt(48) = .04

  mean_model by_hand;
  const auto options = short_run(300);
  auto own = options.update.init(by_hand.parameters(), options.seed);
  numbers batch;
  while (own.step < 300) {
    batch.clear();
    lacuna::random_stream random{options.seed, lacuna::stream_use::training, 0, own.step};
    around_three{}(own.step, batch, random);
    options.update.step(by_hand, batch, own, options.schedule(own.step, static_cast<double>(own.step) / 300));
  }
  CHECK(by_hand.own.values()[0] == model.own.values()[0]);
}

TEST_CASE("a resumed run on batches of another kind ends with the same weights, bit for bit") {
  mean_model whole, first, second;
  train::run(whole, around_three{}, short_run(20));
  auto options = short_run(20);
  options.checkpoint = std::filesystem::temp_directory_path() / "lacuna_training_batch_resume.safetensors";
  std::filesystem::remove(options.checkpoint);
  train::run(first, around_three{}, options, [](const train::step_report& r, const auto&) { return r.step < 9; });
  CHECK(first.own.values()[0] != whole.own.values()[0]);
  train::run(second, around_three{}, options);
  CHECK(second.own.values()[0] == whole.own.values()[0]);
  std::filesystem::remove(options.checkpoint);
}

TEST_CASE("a batch without examples is refused, whatever its kind") {
  mean_model model;
  CHECK_THROWS_WITH_AS(train::run(model, around_three{0}, short_run(3)),
                       doctest::Contains("0 rows with 0.000000 units, expected some of both"), lacuna::invalid_argument);
}
