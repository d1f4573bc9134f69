#include "lacuna/nn/hybrid_training_pass.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "comparing.hpp"
#include "lacuna/nn/reference_hybrid.hpp"
#include "small_hybrids.hpp"

namespace {

using namespace lacuna;

const std::vector<std::pair<std::size_t, std::size_t>> uneven = {{21, 5}, {1, 0}, {8, 7}, {17, 0}, {16, 15}, {21, 20}, {21, 0}};

std::string message(nn::hybrid_training_pass& pass, const nn::parameters& p, const nn::hybrid_examples& e,
                    std::span<float> gradient) {
  try {
    pass(p, e, gradient);
  } catch (const invalid_argument& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("loss and gradient of a hybrid step equal those of the plain loops in double, whatever the options") {
  for (const small_hybrids::named_config& small : small_hybrids::all()) {
    CAPTURE(small.name);
    const nn::parameters p = small_hybrids::shaken(small.config, 3);
    const auto batch = small_hybrids::random_examples(small.config, uneven, 5);
    std::vector<float> gradient(p.values().size());
    nn::hybrid_training_pass pass{small.config};
    const nn::hybrid_loss loss = pass(p, batch.view(), gradient);

    const nn::reference::hybrid<double> reference{small.config, p.values()};
    std::vector<double> expected(gradient.size());
    const auto [draft, target] = reference.loss(batch.view(), expected);
    CHECK(loss.draft == doctest::Approx(draft).epsilon(1e-5));
    CHECK(loss.target == doctest::Approx(target).epsilon(1e-5));
    for (const nn::parameter& q : p.list()) {
      CAPTURE(q.name);
      const auto part = [&](const auto& all) {
        return std::vector<double>(all.begin() + static_cast<std::ptrdiff_t>(q.offset),
                                   all.begin() + static_cast<std::ptrdiff_t>(q.offset + q.size));
      };
      CHECK(comparing::difference(part(gradient), part(expected)) < 2e-5);
    }
  }
}

TEST_CASE("a row longer than a tile of queries has the loss and gradient of the plain loops") {
  nn::hybrid_config config = small_hybrids::rotary();
  config.trunk.max_length = 110;
  config.causal_depth = 2;
  const nn::parameters p = small_hybrids::shaken(config, 3);
  const auto batch = small_hybrids::random_examples(config, {{110, 30}, {97, 0}}, 5);
  std::vector<float> gradient(p.values().size());
  nn::hybrid_training_pass pass{config};
  const nn::hybrid_loss loss = pass(p, batch.view(), gradient);
  const nn::reference::hybrid<double> reference{config, p.values()};
  std::vector<double> expected(gradient.size());
  const auto [draft, target] = reference.loss(batch.view(), expected);
  CHECK(loss.draft == doctest::Approx(draft).epsilon(1e-5));
  CHECK(loss.target == doctest::Approx(target).epsilon(1e-5));
  CHECK(comparing::difference(gradient, expected) < 2e-5);
}

TEST_CASE("a hybrid step repeats bit for bit, and other numbers of threads differ by rounding only") {
  for (const small_hybrids::named_config& small : small_hybrids::all()) {
    CAPTURE(small.name);
    const nn::parameters p = small_hybrids::shaken(small.config, 3);
    const auto batch = small_hybrids::random_examples(small.config, uneven, 5);
    std::vector<float> alone(p.values().size());
    nn::hybrid_training_pass one{small.config};
    const nn::hybrid_loss loss = one(p, batch.view(), alone);
    for (const std::size_t threads : {1U, 2U, 3U, 9U}) {
      nn::hybrid_training_pass pass{small.config, threads};
      std::vector<float> first(alone.size()), second(alone.size());
      const nn::hybrid_loss again = pass(p, batch.view(), first);
      CHECK(again.draft == doctest::Approx(loss.draft).epsilon(1e-6));
      CHECK(again.target == doctest::Approx(loss.target).epsilon(1e-6));
      CHECK(comparing::difference(first, alone) < 1e-5);
      pass(p, batch.view(), second);
      CHECK(first == second);
      if (threads == 1) CHECK(first == alone);
      const nn::hybrid_loss without = pass(p, batch.view(), {});
      CHECK(without.draft == again.draft);
      CHECK(without.target == again.target);
    }
  }
}

TEST_CASE("a hybrid step on a trunk that stays has the whole step's gradient for the causal part and none for the trunk") {
  for (const small_hybrids::named_config& small : small_hybrids::all()) {
    CAPTURE(small.name);
    nn::parameters shape;
    const std::size_t trunk = nn::hybrid_layout::add_to(shape, small.config).trunk_size;
    const nn::parameters p = small_hybrids::shaken(small.config, 3);
    const auto batch = small_hybrids::random_examples(small.config, uneven, 5);
    for (const std::size_t threads : {1U, 2U}) {
      std::vector<float> whole(p.values().size(), 0.5F), part(p.values().size(), 0.5F);
      const nn::hybrid_loss expected = nn::hybrid_training_pass{small.config, threads}(p, batch.view(), whole);
      const nn::hybrid_loss loss =
          nn::hybrid_training_pass{small.config, threads, nn::trained_part::verifier}(p, batch.view(), part);
      CHECK(loss.draft == expected.draft);
      CHECK(loss.target == expected.target);
      CHECK(std::all_of(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(trunk), [](float g) { return g == 0.5F; }));
      CHECK(std::equal(part.begin() + static_cast<std::ptrdiff_t>(trunk), part.end(),
                       whole.begin() + static_cast<std::ptrdiff_t>(trunk)));
    }
  }
}

TEST_CASE("before training the target loss is the draft loss, unless there is no output residual") {
  for (const small_hybrids::named_config& small : small_hybrids::all()) {
    CAPTURE(small.name);
    nn::parameters p;
    nn::initialise(p, nn::hybrid_layout::add_to(p, small.config), small.config, 4);
    const auto batch = small_hybrids::random_examples(small.config, uneven, 5);
    nn::hybrid_training_pass pass{small.config};
    const nn::hybrid_loss loss = pass(p, batch.view(), {});
    CHECK((loss.draft == loss.target) == (small.config.residual == nn::output_residual::on));
  }
}

TEST_CASE("hybrid examples that do not fit are refused with what was got and what was expected") {
  const nn::hybrid_config config = small_hybrids::rotary();
  const nn::parameters p = small_hybrids::shaken(config, 3);
  nn::hybrid_training_pass pass{config};
  std::vector<float> gradient(p.values().size());
  const auto good = small_hybrids::random_examples(config, {{4, 1}, {3, 2}}, 5);
  CHECK(message(pass, p, good.view(), gradient).empty());
  auto bad = good;
  bad.revealed[1] = 3;
  CHECK(message(pass, p, bad.view(), gradient) ==
        "hybrid_training_pass: got 3 revealed tokens in row 1, expected less than its length 3");
  bad = good;
  bad.orders[5] = bad.orders[4];
  CHECK(message(pass, p, bad.view(), gradient) == "hybrid_training_pass: got position " + std::to_string(bad.orders[4]) +
                                                      " twice in the order of row 1, expected a permutation of 0..2");
  bad = good;
  bad.orders[0] = 4;
  CHECK(message(pass, p, bad.view(), gradient) ==
        "hybrid_training_pass: got position 4 in the order of row 0, expected a permutation of 0..3");
  bad = good;
  bad.tokens[2] = 7;
  CHECK(message(pass, p, bad.view(), gradient) == "hybrid_training_pass: got token 2 = 7, expected 0..6");
  bad = good;
  bad.orders.pop_back();
  CHECK(message(pass, p, bad.view(), gradient) == "hybrid_training_pass: got 6 places of orders, expected 7");
  bad = good;
  bad.offsets[2] = 6;
  CHECK(message(pass, p, bad.view(), gradient) == "hybrid_training_pass: got 6 as last offset, expected 7");
  const auto longer = small_hybrids::random_examples(config, {{22, 1}}, 5);
  CHECK(message(pass, p, longer.view(), gradient) ==
        "hybrid_training_pass: got row 0 from 0 to 22, expected a length of at most 21");
  CHECK(message(pass, p, good.view(), std::span{gradient}.first(5)) ==
        "hybrid_training_pass: got 5 gradient entries, expected " + std::to_string(p.values().size()));
  CHECK_THROWS_AS((nn::hybrid_training_pass{config, 0}), invalid_argument);
}
