#include "lacuna/train/trainer.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/train/observers.hpp"
#include "toy_softmax.hpp"

namespace {

namespace train = lacuna::train;
using lacuna_test::counting_rows;
using lacuna_test::toy_softmax;

/// A path that does not exist, and is removed at the end.
struct scratch_path {
  std::filesystem::path path;
  explicit scratch_path(const std::string& name) : path{std::filesystem::temp_directory_path() / ("lacuna_trainer_" + name)} {
    std::filesystem::remove(path);
  }
  ~scratch_path() { std::filesystem::remove(path); }
};

std::vector<float> weights_of(toy_softmax& model) {
  return {model.parameters().values().begin(), model.parameters().values().end()};
}

/// A clock that goes on by a quarter of a second whenever it is looked at.
struct quarter_clock {
  using duration = std::chrono::duration<double>;
  using rep = double;
  using period = std::ratio<1>;
  using time_point = std::chrono::time_point<quarter_clock>;
  static inline double now_ = 0;
  static time_point now() { return time_point{duration{now_ += 0.25}}; }
};

/// Has a loss that is not a number from step `bad` on.
struct breaking_model {
  toy_softmax inner{5};
  std::size_t calls = 0;
  std::size_t bad = 3;
  lacuna::nn::parameters& parameters() { return inner.parameters(); }
  double loss_and_gradient(const lacuna::nn::example_batch& batch, std::span<float> gradient) {
    const double loss = inner.loss_and_gradient(batch, gradient);
    return calls++ < bad ? loss : std::numeric_limits<double>::quiet_NaN();
  }
};

train::options<> short_run(std::size_t steps) {
  train::options<> options;
  options.steps = steps;
  options.seed = 7;
  options.schedule = {0.1, 0.1, 3};
  return options;
}

}  // namespace

TEST_CASE("a run learns what can be learned and nothing more") {
  toy_softmax model{5};
  double first = 0, last = 0;
  const auto state = train::run(model, counting_rows{}, short_run(300), [&](const train::step_report& r, const auto&) {
    if (r.step == 1) first = r.loss;
    last = r.mean_loss;
  });
  CHECK(state.step == 300);
  CHECK(state.rows == 300 * 8);
  CHECK(first == doctest::Approx(std::log(5.0)).epsilon(0.1));
  // A mask after a known token costs nothing, one after a mask log 5. The first token is always masked, the other four with
  // probability 0.3: of 2.2 masks a row 0.3 + 0.3 + 3 * 0.09 = 0.87 follow a mask. The mean forgets after 100 batches, which
  // are about 200 independent ones of 8 rows; with a standard deviation of 0.9 masks a row the tolerance is four deviations.
  CHECK(std::abs(last - 0.87 / 2.2 * std::log(5.0)) < 4 * 0.9 / 2.2 * std::log(5.0) / std::sqrt(200.0 * 8));
}

TEST_CASE("a resumed run ends with the weights of an uninterrupted one, bit for bit") {
  const scratch_path file{"resume.safetensors"};
  toy_softmax whole{5};
  const auto whole_state = train::run(whole, counting_rows{}, short_run(20));

  auto options = short_run(20);
  options.checkpoint = file.path;
  toy_softmax first{5};
  const auto half =
      train::run(first, counting_rows{}, options, [](const train::step_report& r, const auto&) { return r.step < 10; });
  CHECK(half.step == 10);
  CHECK(weights_of(first) != weights_of(whole));

  toy_softmax second{5};
  for (float& w : second.parameters().values()) w = 42;  // whatever it held is replaced
  const auto state = train::run(second, counting_rows{}, options);
  CHECK(state.step == 20);
  CHECK(weights_of(second) == weights_of(whole));
  CHECK(state.average.values == whole_state.average.values);
  CHECK(state.optimizer.first == whole_state.optimizer.first);
  CHECK(state.optimizer.second == whole_state.optimizer.second);
  CHECK(state.loss.value() == whole_state.loss.value());
  CHECK(state.rows == whole_state.rows);

  // Negative control: without the moments, ten more steps lead elsewhere.
  toy_softmax forgetful{5};
  std::copy(first.parameters().values().begin(), first.parameters().values().end(), forgetful.parameters().values().begin());
  auto amnesia = options.update.init(forgetful.parameters(), 7);
  amnesia.step = 10;
  train::batch_builder batch;
  while (amnesia.step < 20) {
    batch.clear();
    lacuna::random_stream random{7, lacuna::stream_use::training, 0, amnesia.step};
    counting_rows{}(amnesia.step, batch, random);
    options.update.step(forgetful, batch, amnesia, options.schedule(amnesia.step, static_cast<double>(amnesia.step) / 20));
  }
  CHECK(weights_of(forgetful) != weights_of(whole));
}

TEST_CASE("a run that is already over does nothing when it is resumed") {
  const scratch_path file{"over.safetensors"};
  auto options = short_run(5);
  options.checkpoint = file.path;
  toy_softmax model{5};
  train::run(model, counting_rows{}, options);
  const auto weights = weights_of(model);
  std::size_t told = 0;
  const auto state = train::run(model, counting_rows{}, options, [&](const auto&, const auto&) { ++told; });
  CHECK(told == 0);
  CHECK(state.step == 5);
  CHECK(weights_of(model) == weights);
}

TEST_CASE("another seed gives other examples and is not a resumption") {
  toy_softmax a{5}, b{5};
  auto options = short_run(5);
  train::run(a, counting_rows{}, options);
  options.seed = 8;
  train::run(b, counting_rows{}, options);
  CHECK(weights_of(a) != weights_of(b));

  const scratch_path file{"seed.safetensors"};
  options.checkpoint = file.path;
  train::run(a, counting_rows{}, options);
  options.seed = 9;
  CHECK_THROWS_WITH_AS(train::run(a, counting_rows{}, options), doctest::Contains("seed 8, expected 9"), lacuna::file_error);
}

TEST_CASE("with a time budget the run ends in time and at the floor of the learning rate") {
  quarter_clock::now_ = 0;
  toy_softmax model{5};
  train::options<> options;
  options.seconds = 50;  // two looks at the clock per step: 100 steps
  options.schedule = {0.1, 0.25, 0};
  double rate = 0, left = -1, progress = 0;
  const auto state = train::run<quarter_clock>(model, counting_rows{}, options, [&](const train::step_report& r, const auto&) {
    CHECK(r.progress >= progress);
    if (r.step == 50) CHECK(r.rate == doctest::Approx(0.1 * (0.25 + 0.75 * 0.5)).epsilon(0.03));
    rate = r.rate;
    left = r.seconds_left;
    progress = r.progress;
  });
  CHECK(state.step == 100);
  CHECK(state.elapsed >= 50);
  CHECK(rate == doctest::Approx(0.025).epsilon(0.01));
  CHECK(left == doctest::Approx(0.25));
  CHECK(progress > 0.99);
}

TEST_CASE("time spent before a checkpoint counts against the budget of the resumed run") {
  const scratch_path file{"budget.safetensors"};
  quarter_clock::now_ = 0;
  toy_softmax model{5};
  train::options<> options;
  options.seconds = 50;
  options.checkpoint = file.path;
  const auto half = train::run<quarter_clock>(model, counting_rows{}, options,
                                              [](const train::step_report& r, const auto&) { return r.step < 50; });
  CHECK(half.elapsed == doctest::Approx(25));
  const auto state = train::run<quarter_clock>(model, counting_rows{}, options);
  CHECK(state.step == 100);
}

TEST_CASE("a loss that is not a number stops the run, names step and checkpoint, and leaves both file and weights") {
  const scratch_path file{"broken.safetensors"};
  auto options = short_run(10);
  options.checkpoint = file.path;
  options.checkpoint_steps = 2;
  breaking_model model;
  std::vector<float> before;
  const auto remember = [&](const train::step_report&, const auto&) { before = weights_of(model.inner); };
  CHECK_THROWS_WITH_AS(train::run(model, counting_rows{}, options, remember), doctest::Contains("training step 3: loss nan"),
                       lacuna::model_error);
  CHECK(weights_of(model.inner) == before);
  toy_softmax loaded{5};
  CHECK(train::load_checkpoint(file.path, loaded.parameters()).step == 2);

  breaking_model again;
  again.bad = 0;
  CHECK_THROWS_WITH_AS(train::run(again, counting_rows{}, options), doctest::Contains("holds step 2"), lacuna::model_error);
}

TEST_CASE("a checkpoint that cannot be written is known before the first step") {
  const scratch_path folder{"no_such_folder"};
  auto options = short_run(10);
  options.checkpoint = folder.path / "run.safetensors";
  toy_softmax model{5};
  std::size_t steps = 0;
  const auto count = [&](const train::step_report&, const auto&) { ++steps; };
  CHECK_THROWS_WITH_AS(train::run(model, counting_rows{}, options, count), doctest::Contains("cannot create"),
                       lacuna::file_error);
  CHECK(steps == 0);
}

TEST_CASE("a run whose weights overflow is not saved over the checkpoint before them") {
  const scratch_path file{"overflow.safetensors"};
  auto options = short_run(2);
  options.checkpoint = file.path;
  toy_softmax model{5};
  train::run(model, counting_rows{}, options);
  options.steps = 3;
  options.schedule.peak = 1e300;  // the next step is to infinity, though its loss is finite
  CHECK_THROWS_AS(train::run(model, counting_rows{}, options), lacuna::model_error);
  toy_softmax loaded{5};
  CHECK(train::load_checkpoint(file.path, loaded.parameters()).step == 2);
}

TEST_CASE("an unlimited run and an empty batch are refused") {
  toy_softmax model{5};
  CHECK_THROWS_AS(train::run(model, counting_rows{}, train::options<>{}), lacuna::invalid_argument);
  const auto nothing = [](std::size_t, train::batch_builder&, lacuna::random_stream&) {};
  CHECK_THROWS_WITH_AS(train::run(model, nothing, short_run(1)), doctest::Contains("0 rows"), lacuna::invalid_argument);
}

TEST_CASE("an infinite clip leaves the gradient alone and a small one bounds the step") {
  // One plain check that the clip reaches the optimiser: with decay and momentum off and epsilon huge, AdamW is w -= rate * g /
  // eps.
  const auto moved = [](double clip) {
    toy_softmax model{5};
    const auto before = weights_of(model);
    train::update_rule rule;
    rule.optimizer = {0, 0, 1e4, 0};
    rule.clip = clip;
    auto state = rule.init(model.parameters(), 1);
    train::batch_builder batch;
    lacuna::random_stream random{1, lacuna::stream_use::training};
    counting_rows{}(0, batch, random);
    const auto info = rule.step(model, batch, state, 1e4);
    double square = 0;
    for (std::size_t i = 0; i < before.size(); ++i) square += std::pow(model.parameters().values()[i] - before[i], 2);
    return std::pair{std::sqrt(square), info.gradient_norm};
  };
  const auto free = moved(std::numeric_limits<double>::infinity());
  CHECK(free.first == doctest::Approx(free.second).epsilon(1e-4));
  const auto clipped = moved(0.01);
  CHECK(clipped.second == free.second);
  CHECK(clipped.first == doctest::Approx(0.01).epsilon(1e-3));
}
