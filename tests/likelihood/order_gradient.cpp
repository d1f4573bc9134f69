#include "lacuna/likelihood/order_gradient.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

#include "lacuna/likelihood/at_least_one.hpp"
#include "lacuna/likelihood/renormalised.hpp"
#include "lacuna/likelihood/softmax_share.hpp"
#include "tests/support/order_fixture.hpp"

namespace {

using namespace order_test;
using namespace lacuna::likelihood;

constexpr std::size_t budget = 3;
constexpr double beta = 0.7;

template <class Q>
double enumerated(const Q& q, const sequence& s, std::span<const scored_path> paths) {
  return expected(q, s, paths,
                  [&](const scored_path& p) { return rao_blackwellised(q, s.scores, p.path, p.log_p, p.logits).nats(beta); });
}

/// The gradient of the enumerated bound with respect to the scores, by differences.
template <class Q>
std::vector<double> by_differences(const Q& q, sequence s, std::span<const scored_path> paths) {
  std::vector<double> g;
  for (double& score : s.scores) {
    const double at = score, h = 1e-5;
    score = at + h;
    const double above = enumerated(q, s, paths);
    score = at - h;
    g.push_back((above - enumerated(q, s, paths)) / (2 * h));
    score = at;
  }
  return g;
}

struct moments {
  std::array<double, 3> mean{};
  double variance = 0;  ///< summed over the scores
};

/// Mean and variance of an estimate from two paths, over all pairs that can be drawn.
template <class Baseline, class Q>
moments of_pairs(const Q& q, const sequence& s, std::span<const scored_path> paths) {
  moments m;
  for (const auto& a : paths)
    for (const auto& b : paths) {
      const double weight = std::exp(log_posterior(q, s.scores, a.path) + log_posterior(q, s.scores, b.path));
      if (!(weight > 0)) continue;
      const std::vector<scored_path> both{a, b};
      const auto g = gradient_of<Baseline>(q, s.scores, both, beta).scores;
      for (std::size_t i = 0; i < 3; ++i) {
        m.mean[i] += weight * g[i];
        m.variance += weight * g[i] * g[i];
      }
    }
  for (const double v : m.mean) m.variance -= v * v;
  return m;
}

template <class Q>
void check_scores() {
  for (const double tau : {0.3, 1.5}) {
    const sequence s;
    const Q q{tau};
    const auto paths = s.all_paths(budget);
    const auto truth = by_differences(q, s, paths);
    const moments rloo = of_pairs<leave_one_out>(q, s, paths);
    const moments reinforce = of_pairs<no_baseline>(q, s, paths);
    const moments pathwise = of_pairs<pathwise_only>(q, s, paths);
    double bias = 0, size = 0;
    CAPTURE(tau);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(std::abs(rloo.mean[i] - truth[i]) < 1e-6);
      CHECK(std::abs(reinforce.mean[i] - truth[i]) < 1e-6);
      bias += (pathwise.mean[i] - truth[i]) * (pathwise.mean[i] - truth[i]);
      size += truth[i] * truth[i];
    }
    CHECK(bias > 0.01 * size);                                  // without the choice of the path it is another gradient
    if (tau == 0.3) CHECK(rloo.variance < reinforce.variance);  // a baseline of one other path is noise where all is free
  }
}

}  // namespace

TEST_CASE("the gradient of the scores has the mean it should, with and without a baseline; leaving one out varies less") {
  check_scores<renormalised>();
  check_scores<softmax_share>();
  check_scores<at_least_one>();
}

TEST_CASE("eight drawn paths give the gradient of the enumerated bound within four standard errors") {
  const sequence s;
  const renormalised q{0.5};
  const auto truth = by_differences(q, s, s.all_paths(budget));
  constexpr std::size_t groups = 4000;
  std::array<double, 3> sum{}, squares{};
  const std::vector<std::size_t> masked{0, 1, 2};
  for (std::size_t n = 0; n < groups; ++n) {
    std::vector<scored_path> paths;
    for (std::size_t k = 0; k < 8; ++k) {
      random_stream rng{3, stream_use::training, n, k};
      paths.push_back(s.scored(draw_path(q, s.scores, masked, budget, rng)));
    }
    const auto g = gradient_of(q, s.scores, paths, beta).scores;
    for (std::size_t i = 0; i < 3; ++i) sum[i] += g[i], squares[i] += g[i] * g[i];
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const double mean = sum[i] / groups;
    const double error = std::sqrt((squares[i] / groups - mean * mean) / groups);
    CHECK(std::abs(mean - truth[i]) < 4 * error);
    CHECK(std::abs(mean + truth[i]) > 4 * error);  // it could tell
  }
}

TEST_CASE("gradients of log p and of the head's logits are those by differences") {
  const sequence s;
  const at_least_one q{0.8};
  const auto all = s.all_paths(budget);
  std::vector<scored_path> paths{all[3], all[all.size() / 2], all[all.size() - 2]};
  const auto g = gradient_of(q, s.scores, paths, beta);
  const auto mean = [&] {
    double sum = 0;
    for (const auto& p : paths) sum += rao_blackwellised(q, s.scores, p.path, p.log_p, p.logits).nats(beta) / 3;
    return sum;
  };
  for (std::size_t k = 0; k < paths.size(); ++k) {
    CHECK(std::abs(g.bounds[k].nats(beta) -
                   rao_blackwellised(q, s.scores, paths[k].path, paths[k].log_p, paths[k].logits).nats(beta)) < 1e-12);
    for (auto [numbers, gradient] : {std::pair{&paths[k].log_p, &g.log_p[k]}, {&paths[k].logits, &g.logits[k]}})
      for (std::size_t i = 0; i < numbers->size(); ++i) {
        const double at = (*numbers)[i], h = 1e-5;
        (*numbers)[i] = at + h;
        const double above = mean();
        (*numbers)[i] = at - h;
        CHECK(std::abs((above - mean()) / (2 * h) - (*gradient)[i]) < 1e-8);
        (*numbers)[i] = at;
      }
  }
}

TEST_CASE("gradients are finite where scores tie, and at temperatures of any size") {
  for (const double tau : {1e-3, 1.0, 1e3})
    for (const std::vector<double>& scores : {std::vector<double>{1, 1, 1}, {0, 40, -40}, {1e-9, 0, -1e-9}}) {
      sequence s;
      s.scores = scores;
      const auto check = [&](const auto& q) {
        for (const auto& a : s.all_paths(budget)) {
          const std::vector<scored_path> both{a, a};
          const auto g = gradient_of(q, s.scores, both);
          for (const double v : g.scores) CHECK(std::isfinite(v));
          for (const auto& b : g.bounds) CHECK(std::isfinite(b.nats()));
        }
      };
      check(renormalised{tau});
      check(softmax_share{tau});
      check(at_least_one{tau});
    }
}

TEST_CASE("one path has no others to be its baseline") {
  const sequence s;
  const auto paths = s.all_paths(2);
  CHECK_THROWS_WITH_AS(gradient_of(renormalised{}, s.scores, std::span{paths}.first(1)),
                       "likelihood::order_gradient: 1 paths, expected at least 2: a path's baseline is the mean of the others",
                       invalid_argument);
  CHECK_NOTHROW(gradient_of<no_baseline>(renormalised{}, s.scores, std::span{paths}.first(1)));
  CHECK_THROWS_AS(gradient_of<no_baseline>(renormalised{}, s.scores, std::span{paths}.first(0)), invalid_argument);
}

TEST_CASE("positions that are not masked carry no weight") {
  const sequence s;
  const auto paths = s.all_paths(budget);
  const std::vector<scored_path> two{paths[4], paths[7]};
  std::vector<double> padded = s.scores;
  padded.resize(13, 5.0);  // ten pads with the best scores of all
  const auto with = gradient_of(renormalised{}, padded, two);
  const auto without = gradient_of(renormalised{}, s.scores, two);
  for (std::size_t i = 0; i < 13; ++i) CHECK(with.scores[i] == (i < 3 ? without.scores[i] : 0));
  for (std::size_t k = 0; k < 2; ++k) CHECK(with.bounds[k].nats() == without.bounds[k].nats());
}
