// Drafts and targets at the edges of what they can be: alike, certain, without a token in common; at other temperatures; in a
// random order; and a target that is the truth.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "lacuna/draw/argmax.hpp"
#include "lacuna/problems/draft_verify_table.hpp"
#include "lacuna/rank/confidence.hpp"
#include "lacuna/rank/drawn.hpp"
#include "lacuna/rank/entropy.hpp"
#include "lacuna/rank/left_to_right.hpp"
#include "lacuna/rank/margin.hpp"
#include "lacuna/rank/random.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/sample/speculative.hpp"
#include "lacuna/window/constant.hpp"
#include "lacuna/window/none.hpp"
#include "tests/sample/speculative_law.hpp"
#include "tests/support/statistics_test.hpp"

using namespace lacuna;
using namespace lacuna::tests;
using lacuna::testing::chi_square;
using lacuna::testing::chi_square_limit;
using problems::draft_verify_table;
using problems::joint_table;

namespace {

constexpr std::size_t runs = 4000;
const std::vector<std::size_t> left_to_right{0, 1, 2, 3};
const std::vector<token> blank(4, 3);
const draft_verify_table table = draft_verify_table::random(3, 11, 1.5);

template <class Window = window::none>
auto sampler(const Window& window = {}, std::size_t verifications = 1, double temperature = 1) {
  return sample::speculative{rank::left_to_right{}, window, verifications, temperature};
}

/// Degrees of freedom of a law in which some assignments have no probability.
std::size_t freedom(const distribution& law) {
  return static_cast<std::size_t>(std::count_if(law.begin(), law.end(), [](double p) { return p > 0; })) - 1;
}

template <class Sampler>
void check_law(const draft_verify_table& model, const Sampler& s, const distribution& law) {
  const auto counts = counts_of(model, 3, canvas::blank(4), s, runs, 3);
  CHECK(total_variation(counts, law) < noise(law, runs));
  CHECK(chi_square(counts, law) < chi_square_limit(freedom(law)));
}

/// A table whose target logits are all 0.1 larger.
struct shifted : draft_verify_table {
  explicit shifted(draft_verify_table t) : draft_verify_table{std::move(t)} {}
  std::size_t changed = 0;  ///< targets that are not their drafts to the last bit
  std::size_t verify(const verify_batch& v, row_sink sink) {
    return draft_verify_table::verify(v, [&](std::size_t k, std::span<const float> row) {
      std::vector<float> larger(row.begin(), row.end());
      for (float& x : larger) x += 0.1F;
      for (std::size_t i = 1; i < row.size(); ++i) changed += larger[i] - larger[0] != row[i] - row[0] && std::isfinite(row[i]);
      sink(k, larger);
    });
  }
};

/// The most likely target of every position in turn.
std::vector<token> greedy(const draft_verify_table& model, std::vector<token> x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto q = model.target_probabilities(std::vector<token>(x.size(), model.mask_token()), left_to_right, i, x);
    x[i] = static_cast<token>(std::max_element(q.begin(), q.end()) - q.begin());
  }
  return x;
}

}  // namespace

TEST_CASE("a target that is the draft refuses nothing") {
  for (const double temperature : {0.0, 0.4, 1.0, 3.0}) {
    draft_verify_table model = draft_verify_table::random(5, 3, 2).target_as_draft();
    draft_verify_table other = draft_verify_table::random(5, 3, 2);
    std::size_t redrawn = 0;
    std::size_t redrawn_by_other = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const auto count = [](std::size_t& n) { return [&n](const step_event& e) { n += e.redrawn.size(); }; };
      const auto r = decode(model, canvas::blank(20), sampler(window::none{}, 3, temperature), seed, count(redrawn));
      CHECK(r.steps == 1);
      CHECK(r.cost.of(purpose::verify) == nfe::count{1, 1});
      for (const double c : r.confidence) CHECK(std::isfinite(c));
      decode(other, canvas::blank(20), sampler(window::none{}, 3, temperature), seed, count(redrawn_by_other));
    }
    CHECK(redrawn == 0);
    CHECK(redrawn_by_other > 40);
  }
}

TEST_CASE("a target that is the draft but for rounding refuses next to nothing") {
  // Its logits are shifted by a number that float cannot hold: probabilities differ by 1e-7, so that of 6000 drafts one in
  // some thousand runs of this test would be refused.
  shifted model{draft_verify_table::random(5, 3, 2).target_as_draft()};
  std::size_t redrawn = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed)
    decode(model, canvas::blank(20), sampler(window::none{}, 1), seed,
           [&](const step_event& e) { redrawn += e.redrawn.size(); });
  CHECK(redrawn == 0);
  CHECK(model.changed > 1000);
}

TEST_CASE("a draft that is certain and wrong costs passes, not quality") {
  const auto sure = table.one_hot_draft();
  for (const std::size_t n : {1U, 3U})
    check_law(sure, sampler(window::none{}, n), enumeration{sure, left_to_right, window::none{}, n}.law(blank));
}

TEST_CASE("a target that is certain gives its own tokens, whatever is drafted") {
  auto certain = table.one_hot_target();
  const std::vector<token> expected = greedy(certain, blank);
  for (std::uint64_t seed = 0; seed < 30; ++seed)
    CHECK(decode(certain, canvas::blank(4), sampler(window::none{}, 4), seed).tokens == expected);
  auto both = table.one_hot_target().one_hot_draft();
  CHECK(decode(both, canvas::blank(4), sampler(window::none{}, 4), 1).tokens == expected);
}

TEST_CASE("what the target rules out never comes, however likely the draft finds it") {
  auto holes = table.target_without_best();
  for (const std::size_t n : {1U, 2U})
    check_law(holes, sampler(window::constant{2}, n), enumeration{holes, left_to_right, window::constant{2}, n}.law(blank));
  // no target and no draft in common: every draft is refused
  auto apart = table.one_hot_draft().target_without_best();
  std::size_t redrawn = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    decode(apart, canvas::blank(4), sampler(window::none{}, 2), seed,
           [&](const step_event& e) { redrawn += e.redrawn.size(); });
  CHECK(redrawn == 20 * 4);
}

TEST_CASE("temperature is that of draft and target alike") {
  enumeration half{table, left_to_right, window::none{}, 2};
  half.temperature = 0.5;
  const distribution law = half.law(blank);
  check_law(table, sampler(window::none{}, 2, 0.5), law);
  const auto counts = counts_of(table, 3, canvas::blank(4), sampler(window::none{}, 2), runs, 3);
  CHECK(chi_square(counts, law) > 2 * chi_square_limit(80));
}

TEST_CASE("temperature 0 is the greedy target; a draft is accepted where both like the same token best") {
  auto model = table;
  const std::vector<token> expected = greedy(model, blank);
  for (const std::uint64_t seed : {1U, 2U}) {
    std::vector<std::size_t> redrawn;
    const auto r = decode(model, canvas::blank(4), sampler(window::none{}, 4, 0), seed,
                          [&](const step_event& e) { redrawn.insert(redrawn.end(), e.redrawn.begin(), e.redrawn.end()); });
    CHECK(r.tokens == expected);
    CHECK(r.steps == 1);
    for (std::size_t i = 0; i < 4; ++i) {
      const auto p = model.draft_probabilities(blank, i);
      const bool agree = std::max_element(p.begin(), p.end()) - p.begin() == expected[i];
      CHECK((std::find(redrawn.begin(), redrawn.end(), i) == redrawn.end()) == agree);
    }
  }
}

TEST_CASE("a random order has the law of one order drawn at the start") {
  distribution law(81, 0.0);
  std::vector<std::size_t> sigma{0, 1, 2, 3};
  do {
    const distribution one = enumeration{table, sigma, window::constant{3}, 2}.law(blank);
    for (std::size_t k = 0; k < law.size(); ++k) law[k] += one[k] / 24;
  } while (std::next_permutation(sigma.begin(), sigma.end()));
  check_law(table, sample::speculative{rank::random{}, window::constant{3}, 2}, law);
  const auto counts = counts_of(table, 3, canvas::blank(4), sampler(window::constant{3}, 2), runs, 3);
  CHECK(chi_square(counts, law) > 2 * chi_square_limit(80));
}

TEST_CASE("a target that is the truth gives samples of the joint, in any order and any window") {
  const joint_table joint = joint_table::random(4, 3, 5, 1.5);
  const auto exact = draft_verify_table::of(joint);
  const distribution law(joint.probabilities().begin(), joint.probabilities().end());
  check_law(exact, sample::speculative{rank::random{}, window::none{}, 2}, law);
  check_law(exact, sample::speculative{rank::confidence{}, window::constant{3}, 1}, law);
  check_law(exact, sample::speculative{rank::entropy{}, window::none{}, 3}, law);
  check_law(exact, sample::speculative{rank::drawn{}, window::none{}, 1}, law);
  // the drafts alone would not have it
  const auto drafts = counts_of(exact.target_as_draft(), 3, canvas::blank(4), sampler(), runs, 3);
  CHECK(chi_square(drafts, law) > 2 * chi_square_limit(80));
}

TEST_CASE("speculative infill has the law given what is known") {
  const std::vector<token> start{3, 1, 3, 3};
  const distribution law = enumeration{table, {1, 0, 2, 3}, window::none{}, 2}.law(start);
  const std::size_t gaps[] = {0, 2, 3};
  const auto counts = counts_of(table, 3, canvas::infill({0, 1, 0, 0}, gaps), sampler(window::none{}, 2), runs, 3);
  CHECK(chi_square(counts, law) < chi_square_limit(26));
  const distribution other = enumeration{table, {1, 2, 0, 3}, window::none{}, 2}.law(start);
  CHECK(chi_square(counts, other) > 2 * chi_square_limit(26));
}
