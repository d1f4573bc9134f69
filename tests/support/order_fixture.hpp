/// @file
/// @brief A small sequence, what a table and a made-up head say of each of its states, and every path of revealing it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "lacuna/core/random.hpp"
#include "lacuna/likelihood/order_gradient.hpp"
#include "lacuna/problems/joint_table.hpp"

namespace order_test {

using namespace lacuna;

struct sequence {
  problems::joint_table table = problems::joint_table::random(3, 3, 11, 2);
  std::vector<token> x{2, 0, 1};
  std::vector<double> scores{0.3, -0.1, 0.55};

  [[nodiscard]] std::size_t length() const { return x.size(); }

  /// log p of the true token at each masked position, the table's conditionals given the others.
  [[nodiscard]] std::vector<double> log_p(std::span<const std::size_t> masked) const {
    std::vector<token> row = x;
    for (const std::size_t i : masked) row[i] = table.mask_token();
    std::vector<double> out;
    for (const std::size_t i : masked) out.push_back(std::log(table.conditional(row, i)[static_cast<std::size_t>(x[i])]));
    return out;
  }

  /// Any logits that are the same for the same state.
  [[nodiscard]] std::vector<double> logits(std::span<const std::size_t> masked) const {
    std::uint64_t state = 0;
    for (const std::size_t i : masked) state |= std::uint64_t{1} << i;
    std::vector<double> out;
    for (const std::size_t i : masked) out.push_back(4 * random_stream{5, stream_use::other, state, i}.uniform() - 2);
    return out;
  }

  [[nodiscard]] likelihood::scored_path scored(const likelihood::reveal_path& path) const {
    likelihood::scored_path out{path, {}, {}};
    for (std::size_t t = 0; t < path.steps(); ++t) {
      for (const double v : log_p(path.masked(t))) out.log_p.push_back(v);
      for (const double v : logits(path.masked(t))) out.logits.push_back(v);
    }
    return out;
  }

  /// Every path with `budget` steps at most.
  [[nodiscard]] std::vector<likelihood::scored_path> all_paths(std::size_t budget) const {
    std::vector<likelihood::scored_path> found;
    std::vector<std::size_t> all(length());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const std::function<void(likelihood::reveal_path, const std::vector<std::size_t>&)> go_on =
        [&](const likelihood::reveal_path& path, const std::vector<std::size_t>& left) {
          if (left.empty()) return found.push_back(scored(path));
          for (std::size_t set = 0; set < (std::size_t{1} << left.size()); ++set) {
            std::vector<std::uint8_t> revealed;
            std::vector<std::size_t> rest;
            for (std::size_t k = 0; k < left.size(); ++k) {
              revealed.push_back((set >> k & 1U) != 0 ? 1 : 0);
              if (revealed.back() == 0) rest.push_back(left[k]);
            }
            if (path.forced(path.steps()) && !rest.empty()) continue;
            likelihood::reveal_path longer = path;
            longer.add(left, revealed);
            go_on(longer, rest);
          }
        };
    go_on(likelihood::reveal_path{budget}, all);
    return found;
  }
};

/// Mean of f over the paths that the posterior draws.
template <class Q, class F>
double expected(const Q& q, const sequence& s, std::span<const likelihood::scored_path> paths, const F& f) {
  double sum = 0;
  for (const auto& one : paths)
    if (const double weight = std::exp(likelihood::log_posterior(q, s.scores, one.path)); weight > 0) sum += weight * f(one);
  return sum;
}

}  // namespace order_test
