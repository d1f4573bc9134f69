// The bound of masked diffusion against all sets of masks.
#include "lacuna/likelihood/masked_elbo.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "lacuna/likelihood/scored.hpp"
#include "lacuna/problems/joint_table.hpp"
#include "lacuna/problems/markov_chain.hpp"
#include "lacuna/testing/function_model.hpp"
#include "tests/sample/models.hpp"

using namespace lacuna;
using namespace lacuna::tests;
using likelihood::masked_elbo;

namespace {

/// log p of every token, normalised without the mask 7 and the forbidden 2, of the made-up network.
double log_p(std::span<const token> row, std::size_t position, token value) {
  std::vector<float> logits(8);
  scrambled(row, position, logits);
  double sum = 0;
  for (const std::size_t v : {0U, 1U, 3U, 4U, 5U, 6U}) sum += std::exp(static_cast<double>(logits[v]));
  return static_cast<double>(logits[static_cast<std::size_t>(value)]) - std::log(sum);
}

/// The estimate for every set of masks, and its probability.
struct outcome {
  double estimate, probability;
};
std::vector<outcome> all_outcomes(const std::vector<token>& x, const std::vector<std::size_t>& scored) {
  std::vector<outcome> all;
  const std::size_t n = scored.size();
  for (std::size_t set = 1; set < (std::size_t{1} << n); ++set) {
    std::vector<token> row = x;
    const auto m = static_cast<std::size_t>(std::popcount(set));
    for (std::size_t k = 0; k < n; ++k)
      if ((set >> k & 1U) != 0) row[scored[k]] = 7;
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k)
      if ((set >> k & 1U) != 0) sum += log_p(row, scored[k], x[scored[k]]);
    double sets = 1;  // of that size
    for (std::size_t k = 0; k < m; ++k) sets = sets * static_cast<double>(n - k) / static_cast<double>(k + 1);
    all.push_back({sum * static_cast<double>(n) / static_cast<double>(m), 1 / (static_cast<double>(n) * sets)});
  }
  return all;
}

/// log p(x) of decoding one by one in a random order, and the mean of log p(x | sigma).
struct one_by_one {
  double log_p = 0, bound = 0;
  one_by_one(const std::vector<token>& x, std::vector<std::size_t> scored) {
    std::vector<double> nats;
    do {
      std::vector<token> row = x;
      for (const std::size_t i : scored) row[i] = 7;
      double sum = 0;
      for (const std::size_t i : scored) {
        sum += ::log_p(row, i, x[i]);
        row[i] = x[i];
      }
      nats.push_back(sum);
    } while (std::next_permutation(scored.begin(), scored.end()));
    for (const double v : nats) {
      bound += v / static_cast<double>(nats.size());
      log_p += std::exp(v) / static_cast<double>(nats.size());
    }
    log_p = std::log(log_p);
  }
};

}  // namespace

TEST_CASE("the expectation over masks is the mean over orders, which is less than log p(x); draws give it without bias") {
  const auto check = [](auto model) {
    model.forbidden = {2};
    for (const std::vector<std::size_t>& scored : {std::vector<std::size_t>{0, 1, 2, 3}, {0, 3}, {2}}) {
      const std::vector<token> x{0, 5, 1, 6};
      double expected = 0;
      double square = 0;
      double total = 0;
      for (const outcome& o : all_outcomes(x, scored)) {
        expected += o.probability * o.estimate;
        square += o.probability * o.estimate * o.estimate;
        total += o.probability;
      }
      CHECK(total == doctest::Approx(1));
      const one_by_one truth{x, scored};
      CHECK(expected == doctest::Approx(truth.bound).epsilon(1e-9));
      if (scored.size() > 1) CHECK(truth.bound < truth.log_p - 0.05);
      constexpr std::size_t draws = 600;
      const auto b = masked_elbo(model, x, scored, {.draws = draws, .seed = 2});
      const double error = std::sqrt(std::max(0.0, square - expected * expected) / draws);
      CHECK(std::abs(b.nats - expected) < 4.5 * error + 1e-6);
      if (scored.size() > 1) CHECK(std::abs(b.standard_error / error - 1) < 0.2);
      CHECK(b.tokens == scored.size());
      CHECK(b.cost.of(purpose::decode) == nfe::count{10, draws});  // 64 rows a call
      CHECK(b.cost.calls() == model.calls);
      model.calls = 0;
    }
  };
  check(whole{});
  check(selective{});
  check(ragged{});
  check(ragged_selective{});
}

TEST_CASE("with the conditionals of a joint the bound is log p(x)") {
  const auto joint = problems::joint_table::random(4, 3, 7);
  const auto everything = likelihood::positions_from(0, 4);
  for (std::size_t k = 0; k < joint.size(); k += 16) {
    const auto b = masked_elbo(joint, joint.assignment(k), everything, {.draws = 400, .seed = k});
    CHECK(std::abs(b.nats - joint.log_probability(joint.assignment(k))) < 4.5 * b.standard_error);
  }
  // a long sequence, given its beginning
  const auto chain = problems::markov_chain::sticky(3, 0.8);
  std::vector<token> x(60);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<token>(i / 7 % 3);
  std::vector<token> prompt = x;
  std::fill(prompt.begin() + 20, prompt.end(), chain.mask_token());
  const double truth = chain.log_probability(x) - chain.log_probability(prompt);
  const auto b = masked_elbo(chain, x, likelihood::positions_from(20, 60), {.draws = 300});
  CHECK(std::abs(b.nats - truth) < 4.5 * b.standard_error);
  CHECK(b.standard_error < 1);
  CHECK(b.bits_per_token() == doctest::Approx(-b.nats / 40 / std::log(2.0)));
}

TEST_CASE("a seed gives the same bound for every model form and size of call; other seeds and streams another") {
  const std::vector<token> x{0, 5, 1, 6, 3, 3};
  const auto everything = likelihood::positions_from(0, 6);
  whole model;
  ragged_selective other;
  const double nats = masked_elbo(model, x, everything).nats;
  for (const std::size_t rows : {1U, 7U, 100U}) {
    CHECK(masked_elbo(model, x, everything, {.rows_per_call = rows}).nats == nats);
    CHECK(masked_elbo(other, x, everything, {.rows_per_call = rows}).nats == nats);
  }
  CHECK(masked_elbo(model, x, everything, {.seed = 1}).nats != nats);
  CHECK(masked_elbo(model, x, everything, {.stream = 1}).nats != nats);
}

TEST_CASE("forbidden tokens have no probability, and shifted logits are put right") {
  whole model;
  model.forbidden = {2};
  CHECK(masked_elbo(model, std::vector<token>{0, 2, 1}, likelihood::positions_from(0, 3)).nats ==
        -std::numeric_limits<double>::infinity());
  whole shifted;
  shifted.shift = 1;
  shifted.logits = [](std::span<const token> row, std::size_t l, std::span<float> out) { scrambled(row, l + 1, out); };
  whole plain;
  plain.logits = [](std::span<const token> row, std::size_t l, std::span<float> out) {
    scrambled(row, std::max(l, std::size_t{1}), out);
  };
  const std::vector<token> x{0, 5, 1, 6};
  CHECK(masked_elbo(shifted, x, likelihood::positions_from(0, 4)).nats ==
        masked_elbo(plain, x, likelihood::positions_from(0, 4)).nats);
}

TEST_CASE("what makes no sense is refused, and a masked position without a possible token is named") {
  whole model;
  const std::vector<token> x{0, 5, 1, 6};
  const auto everything = likelihood::positions_from(0, 4);
  CHECK_THROWS_WITH_AS(masked_elbo(model, x, everything, {.draws = 0}),
                       "likelihood::masked_elbo: draws = 0, expected at least 1", invalid_argument);
  CHECK_THROWS_AS(masked_elbo(model, x, everything, {.rows_per_call = 0}), invalid_argument);
  CHECK_THROWS_AS(masked_elbo(model, x, {}), invalid_argument);
  CHECK_THROWS_AS(masked_elbo(model, x, std::vector<std::size_t>{4}), invalid_argument);
  CHECK(model.calls == 0);
  model.logits = [](std::span<const token>, std::size_t l, std::span<float> out) {
    std::fill(out.begin(), out.end(), l == 2 ? std::numeric_limits<float>::quiet_NaN() : 0.0F);
  };
  CHECK_THROWS_WITH_AS(masked_elbo(model, x, everything),
                       "model: the row of position 2 has no finite logit for a token that may be generated", model_error);
}
