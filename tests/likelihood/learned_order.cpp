#include "lacuna/likelihood/learned_order.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "lacuna/likelihood/at_least_one.hpp"
#include "lacuna/likelihood/renormalised.hpp"
#include "lacuna/likelihood/softmax_share.hpp"
#include "tests/support/order_fixture.hpp"

namespace {

using namespace order_test;
using namespace lacuna::likelihood;

/// The fixture's table, which also shows which positions are masked, as a hidden state.
struct shown {
  const sequence* s;
  [[nodiscard]] std::size_t vocabulary_size() const { return s->table.vocabulary_size(); }
  [[nodiscard]] token mask_token() const { return s->table.mask_token(); }
  [[nodiscard]] std::size_t hidden_size() const { return s->length(); }
  struct both {
    tensor<float, 3> logits, hidden;
  };
  both with_hidden(const token_batch& x) const {
    const std::size_t n = s->length();
    both out{xt::zeros<float>({x.shape(0), n, vocabulary_size()}), xt::zeros<float>({x.shape(0), n, n})};
    for (std::size_t b = 0; b < x.shape(0); ++b) {
      const std::vector<token> row(x.data() + b * n, x.data() + (b + 1) * n);
      for (std::size_t l = 0; l < n; ++l) {
        for (std::size_t j = 0; j < n; ++j) out.hidden(b, l, j) = row[j] == mask_token() ? 1 : 0;
        if (row[l] != mask_token()) continue;
        const auto p = s->table.conditional(row, l);
        for (std::size_t v = 0; v < p.size(); ++v) out.logits(b, l, v) = static_cast<float>(std::log(p[v]));
      }
    }
    return out;
  }
  tensor<float, 3> operator()(const token_batch& x) const { return with_hidden(x).logits; }
};
static_assert(hidden_state_model<shown>);

/// The fixture's logits of the state that the hidden states show.
struct fixture_head {
  const sequence* s;
  struct scratch {};
  [[nodiscard]] std::size_t hidden_size() const { return s->length(); }
  void operator()(const reveal_context& c, scratch&, std::span<double> logits) const {
    std::vector<std::size_t> masked;
    for (std::size_t j = 0; j < s->length(); ++j)
      if (c.hidden[j] == 1) masked.push_back(j);
    const auto all = s->logits(masked);
    std::copy(all.begin(), all.end(), logits.begin());
  }
};

const std::vector<std::size_t> everything{0, 1, 2};

}  // namespace

TEST_CASE("the estimate of a learned order's bound agrees with enumeration, and does not depend on the split into calls") {
  const sequence s;
  const shown model{&s};
  const fixture_head head{&s};
  const auto check = [&](const auto& q) {
    const auto paths = s.all_paths(3);
    const double truth = expected(
        q, s, paths, [&](const scored_path& p) { return rao_blackwellised(q, s.scores, p.path, p.log_p, p.logits).nats(); });
    const auto b = learned_order(model, head, q, s.scores, s.x, everything, {.steps = 3, .paths = 3000});
    CHECK(std::abs(b.nats - truth) < 4 * b.standard_error);
    CHECK(b.standard_error < 0.1);
    CHECK(std::abs(b.nats - (b.reconstruction - b.divergence)) < 1e-9);
    CHECK(b.tokens == 3);
    CHECK(b.steps >= 1);
    CHECK(b.steps <= 3);
    CHECK(b.cost.rows() == static_cast<std::size_t>(std::llround(b.steps * 3000)));
    const auto small =
        learned_order(model, head, q, s.scores, s.x, everything, {.steps = 3, .paths = 3000, .rows_per_call = 7});
    CHECK(small.nats == b.nats);
  };
  check(renormalised{0.5});
  check(softmax_share{0.5});
  check(at_least_one{0.5});
}

TEST_CASE("with one step a learned order is everything at once") {
  const sequence s;
  const shown model{&s};
  const fixture_head head{&s};
  const auto b = learned_order(model, head, renormalised{}, s.scores, s.x, everything, {.steps = 1, .paths = 4});
  const auto apart = s.log_p(everything);
  CHECK(std::abs(b.nats - std::accumulate(apart.begin(), apart.end(), 0.0)) < 1e-6);
  CHECK(b.divergence == 0);
  CHECK(b.standard_error < 1e-6);
}

TEST_CASE("what has no bound under a learned order is refused") {
  const sequence s;
  const shown model{&s};
  const fixture_head head{&s};
  const auto bound_of = [&](const std::vector<double>& scores, const std::vector<std::size_t>& masked,
                            const learned_order_options& options) {
    return learned_order(model, head, renormalised{}, scores, s.x, masked, options);
  };
  CHECK_THROWS_AS(bound_of({1, 2}, everything, {}), invalid_argument);
  CHECK_THROWS_AS(bound_of(s.scores, {2, 0}, {}), invalid_argument);
  CHECK_THROWS_AS(bound_of(s.scores, {}, {}), invalid_argument);
  CHECK_THROWS_AS(bound_of(s.scores, everything, {.steps = 0}), invalid_argument);
  CHECK_THROWS_AS(bound_of(s.scores, everything, {.paths = 0}), invalid_argument);
  CHECK_THROWS_AS(bound_of(s.scores, everything, {.rows_per_call = 0}), invalid_argument);
}
