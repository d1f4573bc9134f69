// Orders that ask for more rows before they decide.
#include "lacuna/sample/probing.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "lacuna/draw/argmax.hpp"
#include "lacuna/draw/categorical.hpp"
#include "lacuna/mi/enumerated.hpp"
#include "lacuna/order/blocks.hpp"
#include "lacuna/order/dependence_bound.hpp"
#include "lacuna/order/left_to_right.hpp"
#include "lacuna/order/punt.hpp"
#include "lacuna/order/random.hpp"
#include "lacuna/sample/any_sampler.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/sample/run.hpp"
#include "lacuna/testing/recording.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/policies.hpp"
#include "tests/sample/results.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

/// In step s asks in `rounds` rounds, in round r about r + 1 probes: of each candidate but the first, with the first filled by
/// token r. Checks what it is handed. Then takes the first candidate.
struct inquisitive {
  std::size_t rounds = 2;
  static constexpr statistics needs = statistics::rows;
  struct memory {
    std::vector<std::size_t> asked;    // rounds in which ask was called, of this step
    std::vector<std::size_t> learned;  // r * 100 + t
  };

  void ask(const step_view& view, memory& m, std::size_t round, probe_list& probes, const step_random& rng) const {
    CHECK(probes.empty());
    CHECK(rng.step == view.step);
    if (round == 0) m.asked.clear();
    m.asked.push_back(round);
    CHECK(m.asked.size() == round + 1);
    if (round > 0) CHECK(m.learned.size() == round * (view.size() - 1));  // everything has come, once
    std::sort(m.learned.begin(), m.learned.end());
    CHECK(std::adjacent_find(m.learned.begin(), m.learned.end()) == m.learned.end());
    m.learned.clear();
    if (round >= rounds || view.size() < 2) return;
    for (std::size_t r = 0; r <= round; ++r) {
      probes.add();
      probes.put(view.positions[0], static_cast<token>(r));
      for (std::size_t k = 1; k < view.size(); ++k) probes.want(view.positions[k]);
    }
  }
  void learn(const step_view& view, memory& m, std::size_t r, std::size_t t, std::span<const double> log_p) const {
    m.learned.push_back(r * 100 + t);
    REQUIRE(log_p.size() == view.vocabulary);
    // the row of the network for the canvas with that gap filled
    std::vector<token> row(view.sequence->size());
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = view.sequence->is_masked(i) ? 7 : (*view.sequence)[i];
    row[view.positions[0]] = static_cast<token>(r);
    std::vector<float> logits(view.vocabulary);
    scrambled(row, view.positions[t + 1], logits);
    std::vector<double> expected(view.vocabulary);
    log_softmax(logits, std::vector<token>{2, 7}, expected);
    CHECK(std::equal(log_p.begin(), log_p.end(), expected.begin()));
    CHECK(view.row(t + 1).size() == view.vocabulary);
  }
  void select(const step_view&, memory& m, selection& out, const step_random&) const {
    CHECK(m.learned.empty());
    out.add(0);
  }
};

template <class Model>
Model forbidding_two() {
  Model model;
  model.forbidden = {2};
  return model;
}

static_assert(row_sampler<decltype(compose(inquisitive{}, draw::argmax{}))>);
static_assert(std::same_as<decltype(compose(inquisitive{}, draw::argmax{})),
                           sample::probing<sample::parallel<inquisitive, draw::argmax>>>);
static_assert(std::same_as<decltype(compose(order::left_to_right{}, draw::argmax{})),
                           sample::parallel<order::left_to_right, draw::argmax>>);
static_assert(sampler_for<decltype(compose(inquisitive{}, draw::argmax{})), ragged>);

}  // namespace

TEST_CASE("every row that was asked for is handed over once, normalised, before the next round") {
  const auto check = [](auto model) {
    std::vector<canvas> starts{canvas::blank(4), canvas::blank(6), canvas::blank(4)};
    starts[1].fix(2, 5);
    for (const std::size_t rounds : {0U, 1U, 3U}) {
      const auto r = decode(model, std::span<const canvas>(starts), compose(inquisitive{rounds}, draw::argmax{}));
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t n = starts[i].count(cell::masked);
        CHECK(r.rows[i].steps == n);
        CHECK(r.rows[i].cost.of(purpose::decode) == nfe::count{n, n});
        CHECK(r.rows[i].cost.of(purpose::probe) == nfe::count{(n - 1) * rounds, (n - 1) * rounds * (rounds + 1) / 2});
      }
    }
  };
  check(forbidding_two<whole>());
  check(forbidding_two<selective>());
  check(forbidding_two<ragged>());
  check(forbidding_two<ragged_selective>());
}

TEST_CASE("rows of a batch at different stages share the calls") {
  testing::recording seen(forbidding_two<ragged_selective>());
  std::vector<canvas> starts{canvas::blank(5), canvas::blank(3)};
  const auto r = decode(seen, std::span<const canvas>(starts), compose(inquisitive{1}, draw::argmax{}));
  CHECK(r.network.calls == 9);  // 5 passes and 4 probes of the longer one; those of the other go with them
  CHECK(r.network.calls == seen.calls().size());
  CHECK(r.network.rows == 9 + 5);
  CHECK(seen.calls()[3].rows() == 2);
}

TEST_CASE("a step is one step: observers are told once, with the probes in its cost, and a budget counts steps") {
  whole model = forbidding_two<whole>();
  std::vector<std::size_t> steps;
  std::vector<std::size_t> probes;
  const std::vector<job> jobs{{canvas::blank(5), 0, 3}};
  const auto r =
      decode(model, std::span<const job>(jobs), compose(inquisitive{2}, draw::argmax{}), {}, [&](const step_event& e) {
        steps.push_back(e.step);
        probes.push_back(e.cost->of(purpose::probe).rows);
        CHECK(e.committed.size() == 1);
      });
  CHECK(steps == std::vector<std::size_t>{0, 1, 2});
  CHECK(probes == std::vector<std::size_t>{3, 6, 9});
  CHECK(r.rows[0].reason == stop_reason::budget);
  CHECK(r.rows[0].steps == 3);
}

TEST_CASE("a run of one's own and any_sampler do the same as decode") {
  whole model;
  canvas c = canvas::blank(9);
  c.fix(3, 1);
  const auto sampler = compose(order::dependence_bound{mi::enumerated{}, 0.5}, draw::categorical{});
  const decode_result expected = decode(model, c, sampler, 5);
  CHECK(expected.cost.of(purpose::probe).rows > 0);
  auto run = start(model, sampler, c, 5);
  std::size_t steps = 0;
  while (!run.done()) {
    CHECK(!run.step().committed.empty());
    CHECK(run.steps() == ++steps);
  }
  CHECK(same(run.result(), expected));
  CHECK(same(decode(model, c, sample::any_sampler{sampler}, 5), expected));
}

TEST_CASE("tokens are those that the same step draws without probing") {
  // one position a step from the left: the probes change neither the order nor the draws
  whole model = forbidding_two<whole>();
  const auto with = decode(model, canvas::blank(8), compose(inquisitive{2}, draw::categorical{}), 3);
  const auto without = decode(model, canvas::blank(8), compose(order::left_to_right{}, draw::categorical{}), 3);
  CHECK(with.tokens == without.tokens);
  CHECK(with.confidence == without.confidence);
}

TEST_CASE("inside blocks only the block is probed") {
  testing::recording seen(selective{});
  const auto r = decode(seen, canvas::blank(8), compose(order::blocks{4, order::punt{0.0}}, draw::argmax{}));
  CHECK(r.cost.of(purpose::probe).rows > 0);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 4; j < 8; ++j) CHECK(r.step[i] < r.step[j]);
  for (const auto& call : seen.calls()) {
    bool left = false;
    bool right = false;
    for (const std::size_t i : call.wanted) (i < 4 ? left : right) = true;
    CHECK(left != right);
  }
}

TEST_CASE("an order that fails while it learns leaves a run where it was") {
  whole model;
  std::size_t broken = 1;
  model.logits = [&](std::span<const token> row, std::size_t l, std::span<float> out) {
    scrambled(row, l, out);
    if (broken == 1 && row[2] == 4 && l == 0) std::fill(out.begin(), out.end(), std::numeric_limits<float>::quiet_NaN());
  };
  const auto sampler = compose(order::dependence_bound{mi::enumerated{}, 0.5}, draw::argmax{});
  auto run = start(model, sampler, canvas::blank(5));
  CHECK_THROWS_AS(run.step(), estimator_error);
  CHECK(run.steps() == 0);
  CHECK(run.sequence() == canvas::blank(5));
  CHECK_THROWS_AS(run.step(), estimator_error);
  broken = 0;
  while (!run.done()) run.step();
  CHECK(run.result().tokens == decode(model, canvas::blank(5), sampler).tokens);
}

namespace {

/// Reads hidden states as well as it probes.
struct reads_and_asks : inquisitive {
  static constexpr statistics needs = statistics::rows | statistics::hidden;
  void select(const step_view& view, memory& m, selection& out, const step_random& rng) const {
    for (std::size_t k = 0; k < view.size(); ++k) CHECK(view.hidden(k)[0] == static_cast<float>(view.positions[k]));
    inquisitive::select(view, m, out, rng);
  }
};
/// Knows its number of steps.
struct inquisitive_on_a_grid : inquisitive {
  [[nodiscard]] time_step time(const step_view& view, memory&) const {
    return {0.5, 0.6, view.step < 9 ? 9 - view.step : 0, 0};
  }
  void select(const step_view& view, memory& m, selection& out, const step_random& rng) const {
    inquisitive::select(view, m, out, rng);
    CHECK(view.time.remaining == (view.step < 9 ? 9 - view.step : 0));
    if (view.time.remaining == 0)
      for (std::size_t k = 0; k < view.size(); ++k) out.add(k);
  }
};

}  // namespace

TEST_CASE("probing orders read the hidden states of their step's pass") {
  const auto check = [](auto model) {
    CHECK(decode(model, canvas::blank(5), compose(reads_and_asks{{2}}, draw::argmax{})).steps == 5);
  };
  check(forbidding_two<whole_hidden>());
  check(forbidding_two<selective_hidden>());
}

TEST_CASE("probing orders compose with remasking and endings") {
  whole model = forbidding_two<whole>();
  model.end = 6;
  const auto r = decode(model, canvas::blank(6), compose(inquisitive_on_a_grid{{1}}, draw::categorical{}, sometimes{0.3}), 4);
  CHECK(r.reason == stop_reason::complete);
  CHECK(r.steps == 10);
  const auto ended = decode(model, canvas::blank(40), compose(inquisitive{1}, draw::categorical{}, ending::stop{}), 4);
  CHECK(ended.reason == stop_reason::end_of_sequence);
}
