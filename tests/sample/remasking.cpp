// Committed tokens that return to the mask.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/policies.hpp"
#include "tests/sample/results.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

/// Checks what a remasking policy is shown, masks everything again.
struct checks_its_view {
  static constexpr statistics needs = statistics::committed | statistics::entropy;
  void remask(const step_view& view, const committed_view& committed, selection& out, const step_random&) const {
    CHECK(std::is_sorted(committed.positions.begin(), committed.positions.end()));
    CHECK(view.time.remaining > 0);
    for (std::size_t j = 0; j < committed.size(); ++j) {
      CHECK(view.sequence->is_committed(committed.positions[j]));
      CHECK(committed.steps[j] < view.step);
      CHECK(committed.commit_log_probability[j] <= 0);
      CHECK(std::isfinite(committed.commit_log_probability[j]));
      // `scrambled`, as the model sees the canvas now
      std::vector<token> row(view.sequence->tokens().begin(), view.sequence->tokens().end());
      for (std::size_t i = 0; i < row.size(); ++i)
        if (view.sequence->is_masked(i)) row[i] = 7;
      std::vector<float> logits(8);
      std::vector<double> log_p(8);
      scrambled(row, committed.positions[j], logits);
      const token mask = 7;
      log_softmax(logits, {&mask, 1}, log_p);
      const token t = row[committed.positions[j]];
      CHECK(committed.log_probability[j] == log_p[static_cast<std::size_t>(t)]);
      if (j % 2 == 0) out.add(j);
    }
  }
};

struct has_a_rate {
  static constexpr statistics needs = statistics::none;
  static double rate(const time_step& t) { return t.remaining == 0 ? 0.0 : 0.25; }
  void remask(const step_view& view, const committed_view&, selection&, const step_random&) const {
    CHECK(view.remask_rate == 0.25);
  }
};

/// Reveals one position in steps 0, 2, 4, …, nothing in the others.
struct every_other {
  std::size_t steps = 8;
  static constexpr statistics needs = statistics::none;
  struct memory {};
  time_step time(const step_view& view, memory&) const { return {0, 1, view.step + 1 < steps ? steps - 1 - view.step : 0}; }
  void select(const step_view& view, memory&, selection& out, const step_random&) const {
    if (view.step % 2 == 0) out.add(0);
  }
};

}  // namespace

TEST_CASE("fixed tokens are never masked again, the result is complete and each position's last commit counts") {
  std::size_t remasked = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    whole model;
    canvas c = canvas::blank(12);
    for (std::size_t i = 0; i < 12; i += 3) c.fix(i, 2);
    std::vector<std::size_t> last(12, never);
    const decode_result r =
        decode(model, c, compose(timed{8, 3}, draw::categorical{}, sometimes{0.4}), seed, [&](const step_event& e) {
          for (const std::size_t i : e.remasked) {
            CHECK(i % 3 != 0);
            CHECK(e.sequence->is_masked(i));
            CHECK(last[i] != never);
            last[i] = never;
          }
          for (const std::size_t i : e.committed) {
            CHECK(last[i] == never);
            CHECK(e.sequence->is_committed(i));
            last[i] = e.step;
          }
          remasked += e.remasked.size();
        });
    CHECK(r.reason == stop_reason::complete);
    CHECK(r.steps == 8);
    CHECK(r.step == last);
    for (std::size_t i = 0; i < 12; ++i) {
      CHECK(r.cells[i] == (i % 3 == 0 ? cell::fixed : cell::committed));
      CHECK((i % 3 == 0 ? r.tokens[i] == 2 : r.tokens[i] != model.mask));
      CHECK((r.confidence[i] > 0) == (i % 3 != 0));
    }
  }
  CHECK(remasked > 100);
}

TEST_CASE("a remasking policy sees the committed positions, their step, and their probability then and now") {
  whole model;
  const decode_result r = decode(model, canvas::blank(10), compose(timed{9, 3}, draw::categorical{}, checks_its_view{}), 3);
  CHECK(r.reason == stop_reason::complete);
  selective other;
  CHECK(same(r, decode(other, canvas::blank(10), compose(timed{9, 3}, draw::categorical{}, checks_its_view{}), 3)));
}

TEST_CASE("rows of committed tokens are scored only for a policy that asks for them") {
  selective without;
  decode(without, canvas::blank(10), compose(timed{9, 1}, draw::categorical{}, sometimes{0}), 3);
  CHECK(without.asked == 10 + 9 + 8 + 7 + 6 + 5 + 4 + 3 + 2);
  selective with;
  decode(with, canvas::blank(10), compose(timed{9, 1}, draw::categorical{}, doubtful{0}), 3);
  CHECK(with.asked == 9 * 10);
}

TEST_CASE("the rate of a remasking policy is in the view") {
  whole model;
  CHECK(decode(model, canvas::blank(6), compose(timed{5, 2}, draw::argmax{}, has_a_rate{}), 1).steps == 5);
}

TEST_CASE("while the clock runs a step may reveal nothing; when it has run out every step reveals") {
  whole model;
  const decode_result r = decode(model, canvas::blank(7), compose(every_other{8}, draw::argmax{}, sometimes{0}), 1);
  CHECK(r.reason == stop_reason::complete);
  CHECK(r.step == std::vector<std::size_t>{0, 2, 4, 6, 7, 8, 9});
}

TEST_CASE("steps in which nothing is masked and nothing is asked cost no pass") {
  whole model;
  const decode_result r = decode(model, canvas::blank(4), compose(timed{6, 2}, draw::argmax{}, sometimes{0}), 1);
  CHECK(r.steps == 6);
  CHECK(r.cost.calls() == 2);
  CHECK(model.calls == 2);
}
