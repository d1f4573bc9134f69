// log p(x | sigma) against enumeration of the sampler.
#include "lacuna/likelihood/log_likelihood.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "lacuna/adapt/any_order_verify.hpp"
#include "lacuna/problems/draft_verify_table.hpp"
#include "lacuna/problems/joint_table.hpp"
#include "lacuna/sample/speculative.hpp"
#include "lacuna/window/constant.hpp"
#include "lacuna/window/cosine.hpp"
#include "lacuna/window/linear.hpp"
#include "lacuna/window/none.hpp"
#include "tests/sample/speculative_law.hpp"
#include "tests/support/statistics_test.hpp"

using namespace lacuna;
using namespace lacuna::tests;
using likelihood::log_likelihood;
using likelihood::speculation;
using problems::draft_verify_table;

namespace {

const std::vector<std::size_t> sigma{2, 0, 3, 1};
const std::vector<token> blank(4, 3);

/// All assignments of 4 positions with 3 states, x_0 the most significant digit.
std::vector<std::vector<token>> assignments() {
  std::vector<std::vector<token>> all;
  for (token k = 0; k < 81; ++k) all.push_back({k / 27, k / 9 % 3, k / 3 % 3, k % 3});
  return all;
}

std::vector<draft_verify_table> models() {
  const auto random = draft_verify_table::random(3, 11, 1.5);
  return {random,
          draft_verify_table::random(3, 12, 4),
          random.target_as_draft(),
          random.one_hot_draft(),
          random.one_hot_target(),
          random.one_hot_draft().one_hot_target(),
          random.target_without_best(),
          draft_verify_table::of(problems::joint_table::random(4, 3, 7))};
}

/// Probability of every assignment. An x that does not keep what is given counts as 0.
template <class Model, class Window>
distribution law_of(Model model, const Window& window, const speculation& how = {}, const std::vector<token>& start = blank,
                    std::vector<std::size_t> order = sigma) {
  std::erase_if(order, [&](std::size_t i) { return start[i] != 3; });
  distribution p;
  for (const std::vector<token>& x : assignments()) {
    bool kept = true;
    for (std::size_t i = 0; i < 4; ++i) kept = kept && (start[i] == 3 || start[i] == x[i]);
    p.push_back(kept ? std::exp(log_likelihood(model, x, order, window, how).nats) : 0);
  }
  return p;
}
double sum(const distribution& law) { return std::accumulate(law.begin(), law.end(), 0.0); }

double largest_difference(const distribution& a, const distribution& b) {
  REQUIRE(a.size() == b.size());
  double d = 0;
  for (std::size_t k = 0; k < a.size(); ++k) d = std::max(d, std::abs(a[k] - b[k]));
  return d;
}

template <class Window>
void check_window(const Window& window) {
  for (std::size_t m = 0; m < models().size(); ++m)
    for (const std::size_t n : {1U, 2U, 3U}) {
      CAPTURE(m);
      CAPTURE(n);
      const distribution law = law_of(models()[m], window, {.verifications = n});
      CHECK(std::abs(sum(law) - 1) < 1e-9);
      CHECK(largest_difference(law, enumeration{models()[m], sigma, window, n}.law(blank)) < 1e-12);
    }
}

}  // namespace

TEST_CASE("likelihoods sum to 1 and are what enumerating the sampler gives: no window") { check_window(window::none{}); }

TEST_CASE("likelihoods sum to 1 and are what enumerating the sampler gives: constant windows") {
  for (const std::size_t k : {1U, 2U, 3U}) check_window(window::constant{k});
}

TEST_CASE("likelihoods sum to 1 and are what enumerating the sampler gives: cosine and linear windows") {
  check_window(window::cosine{0.6});
  check_window(window::cosine{0.3});
  check_window(window::linear{0.5});
}

TEST_CASE("likelihoods sum to 1 and are what enumerating the sampler gives: a window of one's own") {
  check_window([](std::size_t revealed, std::size_t total) { return revealed == 0 ? total - 1 : 2; });
}

TEST_CASE("likelihoods of other windows, orders and numbers of verifications are others: a wrong one would be seen") {
  const auto model = draft_verify_table::random(3, 11, 1.5);
  const distribution law = law_of(model, window::none{}, {.verifications = 2});
  CHECK(largest_difference(law, enumeration{model, sigma, window::none{}, 1}.law(blank)) > 1e-3);
  CHECK(largest_difference(law, enumeration{model, sigma, window::none{}, 3}.law(blank)) > 1e-3);
  CHECK(largest_difference(law, enumeration{model, sigma, window::constant{3}, 2}.law(blank)) > 1e-3);
  CHECK(largest_difference(law, enumeration{model, {0, 1, 2, 3}, window::none{}, 2}.law(blank)) > 1e-3);
  enumeration careless{model, sigma, window::none{}, 2};
  careless.rule.accepts = [](double, double) { return 1.0; };
  CHECK(largest_difference(law, careless.law(blank)) > 1e-3);
}

TEST_CASE("samples have the likelihoods") {
  const auto model = draft_verify_table::random(3, 11, 1.5);
  const auto counts = counts_of(
      model, 3, canvas::blank(4),
      sample::speculative{[](const step_view& view, std::size_t k) { return -static_cast<double>(view.positions[k]); },
                          window::constant{3}, 2},
      4000, 8);
  const distribution law = law_of(model, window::constant{3}, {.verifications = 2}, blank, {0, 1, 2, 3});
  CHECK(lacuna::testing::chi_square(counts, law) < lacuna::testing::chi_square_limit(80));
  const distribution other = law_of(model, window::none{}, {.verifications = 2}, blank, {0, 1, 2, 3});
  CHECK(lacuna::testing::chi_square(counts, other) > lacuna::testing::chi_square_limit(80));
}

TEST_CASE("what the order leaves out is given: prompts and gaps") {
  const auto model = draft_verify_table::random(3, 11, 1.5);
  for (const std::vector<token>& start : {std::vector<token>{3, 3, 1, 3}, {3, 0, 2, 3}, {2, 1, 3, 0}}) {
    std::vector<std::size_t> known_first;
    for (std::size_t i = 0; i < 4; ++i)
      if (start[i] != 3) known_first.push_back(i);
    const std::size_t given = known_first.size();
    for (const std::size_t i : sigma)
      if (start[i] == 3) known_first.push_back(i);
    for (const std::size_t n : {1U, 2U}) {
      const distribution law = law_of(model, window::cosine{0.6}, {.verifications = n}, start);
      CHECK(std::abs(sum(law) - 1) < 1e-9);
      CHECK(largest_difference(law, enumeration{model, known_first, window::cosine{0.6}, n}.law(start)) < 1e-12);
    }
    CHECK(log_likelihood(*std::make_unique<draft_verify_table>(model), std::vector<token>{2, 1, 1, 0},
                         std::span{known_first}.subspan(given), window::none{})
              .tokens == 4 - given);
  }
}

TEST_CASE("temperature acts on draft and target alike") {
  const auto model = draft_verify_table::random(3, 11, 1.5);
  for (const double temperature : {0.5, 2.0, 0.0}) {
    CAPTURE(temperature);
    enumeration truth{model, sigma, window::constant{3}, 2};
    truth.temperature = temperature;
    const distribution law = law_of(model, window::constant{3}, {.verifications = 2, .temperature = temperature});
    CHECK(largest_difference(law, truth.law(blank)) < 1e-12);
    CHECK(std::abs(sum(law) - 1) < 1e-9);
  }
}

TEST_CASE("a model that verifies with the conditionals of a joint gives each sequence its probability, in any order") {
  const auto joint = problems::joint_table::random(4, 3, 7);
  auto model = draft_verify_table::of(joint);
  problems::joint_table plain = joint;
  adapt::any_order_verify verifying{plain};
  for (const std::vector<std::size_t>& order : {std::vector<std::size_t>{0, 1, 2, 3}, {3, 1, 0, 2}})
    for (std::size_t k = 0; k < joint.size(); k += 5) {
      const auto x = joint.assignment(k);
      const double truth = joint.log_probability(x);
      // logits are floats: each of 4 tokens is known to some 1e-7 of a logit of 10 at the most
      CHECK(log_likelihood(model, x, order, window::constant{1}).nats == doctest::Approx(truth).epsilon(1e-5));
      CHECK(log_likelihood(model, x, order, window::none{}, {.verifications = 2}).nats == doctest::Approx(truth).epsilon(1e-5));
      CHECK(log_likelihood(verifying, x, order, window::cosine{0.6}).nats == doctest::Approx(truth).epsilon(1e-5));
    }
}

TEST_CASE("the number of rows in a call changes the calls, not the likelihood") {
  auto model = draft_verify_table::random(4, 3);
  std::vector<token> x(11);
  std::vector<std::size_t> order(11);
  for (std::size_t i = 0; i < 11; ++i) {
    x[i] = static_cast<token>(i * 7 % 4);
    order[i] = i * 4 % 11;
  }
  const double nats = log_likelihood(model, x, order, window::cosine{0.2}, {.verifications = 2}).nats;
  CHECK(std::isfinite(nats));
  for (const std::size_t rows : {1U, 3U, 11U, 64U}) {
    const auto b = log_likelihood(model, x, order, window::cosine{0.2}, {.verifications = 2, .rows_per_call = rows});
    CHECK(b.nats == nats);
    CHECK(b.tokens == 11);
    CHECK(b.standard_error == 0);
    CHECK(b.cost.of(purpose::draft) == nfe::count{(11 + rows - 1) / rows, 11});
    CHECK(b.cost.of(purpose::verify) == nfe::count{(11 + rows - 1) / rows, 11});
    CHECK(b.cost.of(purpose::decode) == nfe::count{});
  }
  // verified by a plain model, each track is a row: those of a window of 3, and fewer at the end
  problems::joint_table joint = problems::joint_table::random(4, 3, 7);
  adapt::any_order_verify verifying{joint};
  const auto b = log_likelihood(verifying, std::vector<token>{0, 1, 2, 0}, sigma, window::constant{3});
  CHECK(b.cost.of(purpose::draft) == nfe::count{1, 4});
  CHECK(b.cost.of(purpose::verify) == nfe::count{1, 3 + 3 + 2 + 1});
}

TEST_CASE("long sequences do not underflow") {
  auto model = draft_verify_table::random(5, 9, 2).target_as_draft();
  constexpr std::size_t n = 300;
  std::vector<token> x(n);
  std::vector<std::size_t> order(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = static_cast<token>(i * i % 5);
    order[i] = n - 1 - i;
  }
  // nothing is refused, so that one draft without a window gives everything
  const std::vector<token> masks(n, 5);
  double truth = 0;
  for (std::size_t i = 0; i < n; ++i) truth += std::log(model.draft_probabilities(masks, i)[static_cast<std::size_t>(x[i])]);
  CHECK(truth < -800);
  CHECK(log_likelihood(model, x, order, window::none{}, {.verifications = 3}).nats == doctest::Approx(truth).epsilon(1e-9));
}

TEST_CASE("what cannot be generated has no probability") {
  auto model = draft_verify_table::random(3, 11);
  const auto masked = log_likelihood(model, std::vector<token>{0, 1, 3, 0}, sigma, window::none{});  // 3 is the mask
  CHECK(masked.nats == -infinity);
  CHECK(masked.cost.calls() == 0);
  auto sure = model.one_hot_target();
  std::size_t possible = 0;
  for (const auto& x : assignments()) possible += log_likelihood(sure, x, sigma, window::constant{1}).nats > -infinity ? 1 : 0;
  CHECK(possible == 1);
}

TEST_CASE("orders, tokens and parameters that make no sense are refused before the first call") {
  auto model = draft_verify_table::random(3, 11);
  const std::vector<token> x{0, 1, 2, 0};
  const auto refusal = [&](const std::vector<token>& tokens, const std::vector<std::size_t>& order,
                           const speculation& how = {}) {
    try {
      log_likelihood(model, tokens, order, window::none{}, how);
    } catch (const invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  CHECK(refusal(x, {0, 1, 1}) == "likelihood: position 1 is named twice, expected once");
  CHECK(refusal(x, {0, 4}) == "likelihood: position 4 of a sequence of 4 tokens, expected less");
  CHECK(refusal(x, {}) == "likelihood: no position to score, expected at least 1");
  CHECK(refusal({0, 1, 4, 0}, sigma) == "likelihood: token 4 at position 2, expected 0 to 3");
  CHECK(refusal({0, -1, 2, 0}, sigma) == "likelihood: token -1 at position 1, expected 0 to 3");
  CHECK(refusal(x, sigma, {.verifications = 0}) == "likelihood: verifications = 0, expected at least 1");
  CHECK(refusal(x, sigma, {.rows_per_call = 0}) == "likelihood: rows_per_call = 0, expected at least 1");
  CHECK(refusal(x, sigma, {.temperature = -1}).starts_with("likelihood: temperature = -1"));
  CHECK_THROWS_AS(log_likelihood(model, x, sigma, window::constant{0}), invalid_argument);
  auto joint = draft_verify_table::of(problems::joint_table::random(3, 3, 1));
  CHECK_THROWS_WITH_AS(log_likelihood(joint, x, sigma, window::none{}),
                       "likelihood: a sequence of 4 tokens, the model takes at most 3", invalid_argument);
}

namespace {

/// A model of which one position has nothing but NaN, in the draft or in the target.
struct broken {
  draft_verify_table inside;
  std::size_t position;
  bool target;

  [[nodiscard]] std::size_t vocabulary_size() const { return inside.vocabulary_size(); }
  [[nodiscard]] token mask_token() const { return inside.mask_token(); }
  [[nodiscard]] double draft_share() const { return 1; }
  [[nodiscard]] double verify_share() const { return 1; }
  void draft(const token_batch& x, std::span<const std::size_t> slots, std::span<const std::size_t> wanted, row_sink sink) {
    const auto spoiled = [&](std::size_t k, std::span<const float> row) {
      sink(k, !target && wanted[k] % x.shape(1) == position ? std::span<const float>{nans} : row);
    };
    inside.draft(x, slots, wanted, row_sink{spoiled});
  }
  std::size_t verify(const verify_batch& v, row_sink sink) {
    std::vector<std::size_t> of_row;
    for (std::size_t b = 0; b < v.rows(); ++b)
      for (std::size_t d = v.first[b]; d < v.last[b]; ++d) of_row.push_back(v.order(b)[d]);
    const auto spoiled = [&](std::size_t k, std::span<const float> row) {
      sink(k, target && of_row[k] == position ? std::span<const float>{nans} : row);
    };
    return inside.verify(v, row_sink{spoiled});
  }
  std::vector<float> nans = std::vector<float>(4, std::numeric_limits<float>::quiet_NaN());
};
static_assert(draft_verify_model<broken>);

}  // namespace

TEST_CASE("a position without a possible token is named, of the draft as of the target") {
  broken draft{draft_verify_table::random(3, 11), 3, false};
  CHECK_THROWS_WITH_AS(log_likelihood(draft, std::vector<token>{0, 1, 2, 0}, sigma, window::none{}),
                       "model: the draft of position 3 has no finite logit for a token that may be generated", model_error);
  broken target{draft_verify_table::random(3, 11), 0, true};
  CHECK_THROWS_WITH_AS(log_likelihood(target, std::vector<token>{0, 1, 2, 0}, sigma, window::none{}),
                       "model: the target of position 0 has no finite logit for a token that may be generated", model_error);
}
