#include "lacuna/problems/draft_verify_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

using namespace lacuna;
using problems::draft_verify_table;
using problems::joint_table;

namespace {

using row = std::vector<double>;
using order = std::vector<std::size_t>;

double sum(const row& p) { return std::accumulate(p.begin(), p.end(), 0.0); }

/// Everything one draft and one verification say: probabilities by position, then by track.
struct said {
  std::vector<row> drafts;
  std::vector<row> targets;
};

row softmax(std::span<const float> logits) {
  row p(logits.size());
  const std::vector<token> forbidden{static_cast<token>(logits.size() - 1)};
  CHECK(log_softmax(logits, forbidden, p));
  for (double& v : p) v = std::exp(v);
  p.pop_back();
  return p;
}

said ask(draft_verify_table model, const std::vector<token>& revealed, const order& sigma, const std::vector<token>& tokens,
         std::size_t first, std::size_t last) {
  said s;
  const token_batch x = view_as_tensor<const token, 2>(revealed.data(), {std::size_t{1}, revealed.size()});
  std::vector<std::size_t> wanted(revealed.size());
  std::iota(wanted.begin(), wanted.end(), std::size_t{0});
  s.drafts.resize(revealed.size());
  s.targets.resize(last - first);
  const std::vector<std::size_t> slot{2};
  model.draft(x, slot, wanted, [&](std::size_t k, std::span<const float> l) { s.drafts[k] = softmax(l); });
  const std::vector<std::size_t> from{first};
  const std::vector<std::size_t> to{last};
  const std::size_t rows = model.verify({slot, sigma, tokens, from, to},
                                        [&](std::size_t k, std::span<const float> l) { s.targets[k] = softmax(l); });
  CHECK(rows == 1);
  return s;
}

bool near(const row& a, const row& b) {
  for (std::size_t v = 0; v < a.size(); ++v)
    if (std::abs(a[v] - b[v]) > 1e-6) return false;
  return a.size() == b.size();
}

const token _ = 3;
const std::vector<token> revealed{_, 1, _, _};
const order sigma{1, 3, 0, 2};
const std::vector<token> tokens{2, 1, 0, 0};

}  // namespace

TEST_CASE("a draft-verify table hands out what it says is the truth") {
  const auto model = draft_verify_table::random(3, 7);
  const said s = ask(model, revealed, sigma, tokens, 1, 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(near(s.drafts[i], model.draft_probabilities(revealed, i)));
    CHECK(sum(s.drafts[i]) == doctest::Approx(1));
  }
  for (std::size_t d = 1; d < 4; ++d) CHECK(near(s.targets[d - 1], model.target_probabilities(revealed, sigma, d, tokens)));
}

TEST_CASE("targets depend on what was revealed, on what came since, where, and in which order") {
  const auto model = draft_verify_table::random(3, 7);
  const auto target = [&](std::vector<token> r, order o, std::size_t d, std::vector<token> t) {
    return model.target_probabilities(r, o, d, t);
  };
  const row q = target(revealed, sigma, 3, tokens);
  CHECK_FALSE(near(q, target(revealed, {1, 0, 3, 2}, 3, tokens)));            // order
  CHECK_FALSE(near(q, target(revealed, sigma, 3, {0, 1, 0, 0})));             // a token since
  CHECK_FALSE(near(q, target({_, 2, _, _}, sigma, 3, {2, 2, 0, 0})));         // a token revealed
  CHECK_FALSE(near(q, target({_, 1, _, 0}, {1, 3, 0, 2}, 3, {2, 1, 0, 0})));  // the same tokens, revealed earlier
  CHECK(near(q, target(revealed, sigma, 3, {2, 1, 1, 0})));                   // what comes later does not matter
  CHECK_FALSE(near(model.draft_probabilities(revealed, 0), model.draft_probabilities(revealed, 2)));
}

TEST_CASE("variants of a draft-verify table are what they are called") {
  const auto model = draft_verify_table::random(3, 7);
  const row p = model.draft_probabilities(revealed, 2);
  const auto target = [&](const draft_verify_table& m) { return m.target_probabilities(revealed, sigma, 3, tokens); };
  CHECK(near(target(model.target_as_draft()), p));
  CHECK_FALSE(near(target(model), p));

  const auto best = [](const row& r) { return std::max_element(r.begin(), r.end()) - r.begin(); };
  const row hot = model.one_hot_draft().draft_probabilities(revealed, 2);
  CHECK(hot[static_cast<std::size_t>(best(p))] == 1);
  CHECK(sum(hot) == 1);
  CHECK(near(target(model.one_hot_draft()), target(model)));
  const row sure = target(model.one_hot_target());
  CHECK(sure[static_cast<std::size_t>(best(target(model)))] == 1);
  CHECK(sum(sure) == 1);
  const row without = target(model.target_without_best());
  CHECK(without[static_cast<std::size_t>(best(p))] == 0);
  CHECK(sum(without) == doctest::Approx(1));
}

TEST_CASE("a draft-verify table of a joint: targets are its conditionals, drafts its marginals") {
  const joint_table joint = joint_table::random(4, 3, 5);
  const auto model = draft_verify_table::of(joint);
  CHECK(near(model.draft_probabilities(revealed, 2), joint.conditional(revealed, 2)));
  CHECK(near(model.target_probabilities(revealed, sigma, 3, tokens), joint.conditional(std::vector<token>{2, 1, _, 0}, 2)));
  CHECK(near(ask(model, revealed, sigma, tokens, 2, 3).targets[0], joint.conditional(std::vector<token>{_, 1, _, 0}, 0)));
}

TEST_CASE("a draft-verify table refuses what contradicts the concept") {
  const auto model = draft_verify_table::random(3, 7);
  CHECK_THROWS_AS(ask(model, revealed, {0, 1, 2, 3}, tokens, 1, 4), invalid_argument);  // known positions first
  CHECK_THROWS_AS(ask(model, revealed, sigma, {2, 0, 0, 0}, 1, 4), invalid_argument);   // not what was revealed
  CHECK_THROWS_AS(ask(model, revealed, sigma, {_, 1, 0, 0}, 1, 4), invalid_argument);   // a mask in the way
  CHECK_NOTHROW(ask(model, revealed, sigma, {_, 1, _, 0}, 1, 3));                       // a mask behind
  CHECK_THROWS_AS(ask(model, revealed, sigma, tokens, 0, 1), invalid_argument);         // a known track
  CHECK_THROWS_AS(ask(model, {_, 4, _, _}, sigma, tokens, 1, 4), invalid_argument);
  draft_verify_table fresh = model;
  const std::vector<std::size_t> slot{0};
  const std::vector<std::size_t> from{0};
  const std::vector<std::size_t> to{1};
  const auto ignore = [](std::size_t, std::span<const float>) {};
  CHECK_THROWS_AS(fresh.verify({slot, sigma, tokens, from, to}, ignore), invalid_argument);  // never drafted
  CHECK_THROWS_AS(draft_verify_table::random(0, 1), invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(draft_verify_table::random(1, 1).target_without_best()), invalid_argument);
}
