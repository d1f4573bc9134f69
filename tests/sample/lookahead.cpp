// Decoding with guesses that are checked: the same tokens in fewer calls.
#include "lacuna/sample/lookahead.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "lacuna/draw/argmax.hpp"
#include "lacuna/draw/categorical.hpp"
#include "lacuna/draw/top_p.hpp"
#include "lacuna/mi/enumerated.hpp"
#include "lacuna/order/ancestral.hpp"
#include "lacuna/order/blocks.hpp"
#include "lacuna/order/dependence_bound.hpp"
#include "lacuna/order/dilated.hpp"
#include "lacuna/order/klass.hpp"
#include "lacuna/order/left_to_right.hpp"
#include "lacuna/order/random.hpp"
#include "lacuna/order/threshold.hpp"
#include "lacuna/order/top_k.hpp"
#include "lacuna/problems/joint_table.hpp"
#include "lacuna/problems/latin_square.hpp"
#include "lacuna/problems/markov_chain.hpp"
#include "lacuna/problems/permutation.hpp"
#include "lacuna/problems/potts_lattice.hpp"
#include "lacuna/rank/drawn.hpp"
#include "lacuna/rank/gumbel.hpp"
#include "lacuna/rank/margin.hpp"
#include "lacuna/remask/remdm_cap.hpp"
#include "lacuna/sample/any_sampler.hpp"
#include "lacuna/sample/run.hpp"
#include "tests/allocation_count.hpp"
#include "tests/sample/policies.hpp"
#include "tests/sample/scenario.hpp"

using namespace lacuna;
using namespace lacuna::tests;
using sample::any_hidden_sampler;
using sample::any_sampler;
using sample::lookahead;

namespace {

/// A sampler, and the same with lookahead.
struct both {
  std::string name;
  any_sampler plain;
  std::function<any_sampler(std::size_t width)> ahead;
};
template <class Sampler>
both with(const char* name, const Sampler& sampler) {
  return {name, sampler, [sampler](std::size_t width) { return any_sampler{lookahead{sampler, width}}; }};
}

/// One position a step by every rank, with draws that have no randomness and draws that have.
std::vector<both> one_at_a_time() {
  return {with("confidence", compose(order::top_k{}, draw::argmax{})),
          with("margin", compose(order::top_k{rank::margin{}}, draw::argmax{})),
          with("entropy", compose(order::top_k{rank::entropy{}}, draw::argmax{})),
          with("drawn", compose(order::top_k{rank::drawn{}}, draw::categorical{})),
          with("gumbel", compose(order::top_k{rank::gumbel{1}}, draw::categorical{0.5})),
          with("random", compose(order::random{}, draw::top_p{0.9})),
          with("left to right", compose(order::left_to_right{}, draw::categorical{})),
          with("blocks", compose(order::blocks{3, order::top_k{rank::entropy{}}}, draw::argmax{}))};
}

/// Steps that are more than a token, that mask again, that ask for probes, and ends of sequence.
std::vector<both> many_at_a_time() {
  return {with("threshold", compose(order::threshold{0.5}, draw::categorical{}, ending::stop{})),
          with("cosine", compose(order::top_k{rank::entropy{}, pace::cosine{6}}, draw::argmax{}, ending::last<ending::stop>{})),
          with("klass", compose(order::klass{0.5, 0.1}, draw::argmax{})),
          with("dilated", compose(order::dilated{8, 2}, draw::categorical{}, ending::last<>{})),
          with("ancestral", compose(order::ancestral{7}, draw::categorical{})),
          with("remasking", compose(order::ancestral{7}, draw::categorical{}, remask::remdm_cap{0.3}, ending::stop{})),
          with("doubtful", compose(timed{7, 2}, draw::argmax{}, doubtful{0.2})),
          with("one again", compose(order::top_k{rank::margin{}}, draw::argmax{}, ending::stop{})),
          with("probes", compose(order::dependence_bound{mi::enumerated{}, 0.5}, draw::categorical{}))};
}

std::size_t calls(const decode_result& r) { return r.cost.calls(); }
std::size_t calls(const std::vector<decode_result>& rows) {
  std::size_t n = 0;
  for (const decode_result& r : rows) n += calls(r);
  return n;
}

/// The same in everything but what it cost, which is not more calls.
bool same_for_less(const decode_result& ahead, const decode_result& plain) {
  decode_result paid = ahead;
  paid.cost = plain.cost;
  return same(paid, plain) && ahead.error == plain.error && calls(ahead) <= calls(plain) &&
         ahead.cost.of(purpose::probe) == plain.cost.of(purpose::probe);
}

/// What an observer sees.
struct event {
  std::size_t row, step;
  std::vector<std::size_t> committed, remasked;
  std::vector<double> confidence;
  std::vector<token> tokens;
  friend bool operator==(const event&, const event&) = default;
};
std::vector<event> sorted(std::vector<event> events) {  // rows go on beside each other, at different paces
  std::sort(events.begin(), events.end(),
            [](const event& a, const event& b) { return a.row != b.row ? a.row < b.row : a.step < b.step; });
  return events;
}
auto writing_to(std::vector<event>& events) {
  return [&events](const step_event& e) {
    events.push_back({e.row,
                      e.step,
                      {e.committed.begin(), e.committed.end()},
                      {e.remasked.begin(), e.remasked.end()},
                      {e.confidence.begin(), e.confidence.end()},
                      {e.sequence->tokens().begin(), e.sequence->tokens().end()}});
  };
}

/// Prompts, gaps and nothing given, of L = `length`.
std::vector<canvas> starts_of(std::size_t length, token value) {
  std::vector<canvas> starts{canvas::blank(length), canvas::continuation(std::vector<token>{value}, length),
                             canvas::blank(length)};
  starts[2].fix(length - 1, value);
  starts[2].fix(length / 2, static_cast<token>(value == 0 ? 1 : value - 1));
  return starts;
}

template <class Problem>
void check_problem(const Problem& problem, std::size_t length, std::size_t runs) {
  std::vector<canvas> starts;
  for (std::size_t r = 0; r < runs; ++r)
    for (const canvas& c : starts_of(length, static_cast<token>(r % problem.states()))) starts.push_back(c);
  std::size_t fewer = 0;
  for (const both& s : one_at_a_time()) {
    const auto plain = decode(problem, std::span<const canvas>(starts), s.plain, {.seed = 4}).rows;
    for (const std::size_t width : {1U, 2U, 3U, 8U}) {
      CAPTURE(s.name);
      CAPTURE(width);
      const auto ahead = decode(problem, std::span<const canvas>(starts), s.ahead(width), {.seed = 4}).rows;
      CHECK(std::equal(ahead.begin(), ahead.end(), plain.begin(), plain.end(), same_for_less));
      if (width == 1) CHECK(same(ahead, plain));  // cost and all
      fewer += calls(ahead) < calls(plain) ? 1 : 0;
    }
  }
  CHECK(fewer > 8);
}

/// Thinks of every position what it thinks, whatever is known of the others; the first are the surest.
void stubborn(std::span<const token> row, std::size_t l, std::span<float> out) {
  std::fill(out.begin(), out.end(), 0.0F);
  out[l % 5] = 9 - 8 * static_cast<float>(l) / static_cast<float>(row.size());
}

/// Looks at hidden states: the candidate with the largest second component, then the largest first one.
struct by_hidden {
  static constexpr statistics needs = statistics::hidden;
  void select(const step_view& view, selection& out, const step_random&) const {
    std::size_t top = 0;
    for (std::size_t k = 1; k < view.size(); ++k)
      if (view.hidden(k)[1] * 100 + view.hidden(k)[0] > view.hidden(top)[1] * 100 + view.hidden(top)[0]) top = k;
    out.add(top);
  }
};

}  // namespace

static_assert(row_sampler<lookahead<decltype(compose(order::random{}, draw::argmax{}))>>);
static_assert(scores_ahead<lookahead<decltype(compose(order::random{}, draw::argmax{}))>>);
static_assert(!scores_ahead<decltype(compose(order::random{}, draw::argmax{}))>);
static_assert(sample::forkable_sampler<lookahead<decltype(compose(order::random{}, draw::argmax{}))>>);
static_assert(!sample::forkable_sampler<any_sampler>);  // its states cannot be copied
static_assert(std::same_as<decltype(lookahead{order::random{}, draw::argmax{}}),
                           decltype(lookahead{compose(order::random{}, draw::argmax{})})>);

TEST_CASE("lookahead gives what decoding without it gives, on every problem, for every rank and draw, in no more calls") {
  check_problem(problems::joint_table::random(5, 3, 7, 2), 5, 4);
  check_problem(problems::latin_square{3}, 9, 3);
  check_problem(problems::markov_chain::sticky(3, 0.8), 12, 3);
  check_problem(problems::permutation{6}, 6, 3);
  check_problem(problems::potts_lattice{{.rows = 3, .columns = 3, .states = 2, .coupling = 0.7}}, 9, 3);
}

TEST_CASE("lookahead gives what decoding without it gives, for any model, order, remasking and ending, step for step") {
  std::vector<both> samplers = many_at_a_time();
  for (const both& s : samplers)
    check_property(s.name, 60, [&] {
      const scenario what = any_scenario();
      const std::size_t width = *rc::gen::inRange<std::size_t>(1, 7);
      std::vector<event> plain_events;
      std::vector<event> ahead_events;
      const auto plain = decode_scenario<ragged_selective>(what, what.jobs, s.plain, unlimited, writing_to(plain_events));
      const auto ahead =
          decode_scenario<ragged_selective>(what, what.jobs, s.ahead(width), unlimited, writing_to(ahead_events));
      for (std::size_t r = 0; r < plain.size(); ++r) {
        RC_ASSERT(same_for_less(ahead[r], plain[r]));
        RC_ASSERT(ahead[r].cost.of(purpose::verify).rows <= width * ahead[r].cost.of(purpose::verify).calls);
      }
      RC_ASSERT(sorted(ahead_events) == sorted(plain_events));
      // in other company, in other calls, on a model of another form
      RC_ASSERT(same(ahead, decode_scenario<whole>(what, what.jobs, s.ahead(width), what.rows_per_call)));
    });
}

TEST_CASE("where the model does not change its mind every call does as many steps as it has rows") {
  selective model;
  model.logits = stubborn;
  for (const std::size_t width : {1U, 2U, 4U, 7U, 50U}) {
    CAPTURE(width);
    const auto r = decode(model, canvas::blank(24), lookahead{order::top_k{}, draw::argmax{}, width});
    CHECK(calls(r) == 1 + (23 + width - 1) / width);
    CHECK(r.cost.rows() == 24);  // none in vain
  }
  const auto sampled = decode(model, canvas::blank(24), lookahead{order::random{}, draw::categorical{}, 4}, 9);
  CHECK(calls(sampled) == 7);
  const auto reading = decode(model, canvas::blank(24), lookahead{order::left_to_right{}, draw::categorical{}, 4}, 9);
  CHECK(calls(reading) == 7);
  const auto blocks = decode(model, canvas::blank(24), lookahead{order::blocks{5, order::top_k{}}, draw::argmax{}, 4}, 9);
  CHECK(calls(blocks) == 7);
}

TEST_CASE("a model that always changes its mind costs as many calls as ever, and rows for the guesses") {
  selective model;  // scrambled: another token anywhere changes everything
  const auto plain = decode(model, canvas::blank(24), compose(order::random{}, draw::argmax{}));
  const auto r = decode(model, canvas::blank(24), lookahead{order::random{}, draw::argmax{}, 5});
  CHECK(same_for_less(r, plain));
  CHECK(calls(r) > 15);
  const nfe::count alone = r.cost.of(purpose::decode);  // the first, when there is nothing to guess from, perhaps the last
  CHECK(alone.calls == alone.rows);
  CHECK(alone.calls <= 2);
  CHECK(r.cost.rows() > 3 * calls(r));
  CHECK(r.cost.rows() <= 5 * calls(r));
}

TEST_CASE("guesses that are not checked give other tokens: the comparison can fail") {
  const problems::permutation problem{8};
  std::size_t different = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto plain = decode(problem, canvas::blank(8), compose(order::random{}, draw::categorical{}), seed);
    const auto unchecked =
        decode(problem, canvas::blank(8), compose(order::random{pace::constant{2}}, draw::categorical{}), seed);
    different += plain.tokens != unchecked.tokens ? 1 : 0;
  }
  CHECK(different > 10);
}

TEST_CASE("rows of a batch share their calls, however far each of them gets in one") {
  selective model;
  model.logits = [](std::span<const token> row, std::size_t l, std::span<float> out) {
    row[0] == 0 ? stubborn(row, l, out) : scrambled(row, l, out);
  };
  std::vector<canvas> starts(2, canvas::blank(21));
  starts[0].fix(0, 0);
  starts[1].fix(0, 1);
  const auto r = decode(model, std::span<const canvas>(starts), lookahead{order::top_k{}, draw::argmax{}, 5});
  CHECK(calls(r.rows[0]) == 1 + (19 + 4) / 5);
  CHECK(calls(r.rows[1]) > 2 * calls(r.rows[0]));
  CHECK(r.network.calls == calls(r.rows[1]));
  CHECK(r.network.rows == r.rows[0].cost.rows() + r.rows[1].cost.rows());
}

TEST_CASE("budgets, observers that stop a row and loops of one's own see the steps of decoding without lookahead") {
  selective model;
  model.logits = stubborn;
  const auto plain = compose(order::top_k{rank::entropy{}}, draw::categorical{});
  const lookahead ahead{plain, 4};
  for (const std::size_t budget : {1U, 2U, 5U, 6U}) {
    const std::vector<job> jobs{{canvas::blank(12), 0, budget}};
    const auto r = decode(model, std::span{jobs}, ahead, {.seed = 2}).rows[0];
    CHECK(same_for_less(r, decode(model, std::span{jobs}, plain, {.seed = 2}).rows[0]));
    CHECK(r.reason == stop_reason::budget);
  }
  const auto third = [](const step_event& e) { return e.step == 2 ? verdict::stop : verdict::go_on; };
  const auto stopped = decode(model, canvas::blank(12), ahead, 2, third);
  CHECK(same_for_less(stopped, decode(model, canvas::blank(12), plain, 2, third)));
  CHECK(stopped.reason == stop_reason::observer);

  auto run = start(model, ahead, canvas::blank(12), 2);
  auto other = start(model, plain, canvas::blank(12), 2);
  while (!run.done()) {
    const step_info info = run.step();
    const step_info expected = other.step();
    CHECK(std::ranges::equal(info.committed, expected.committed));
    CHECK(run.sequence() == other.sequence());
  }
  CHECK(other.done());
  CHECK(same(run.result(), decode(model, canvas::blank(12), ahead, 2)));
  CHECK(calls(run.result()) < calls(other.result()));
}

TEST_CASE("a call that fails is made again, with the same end") {
  struct sometimes_failing : selective {
    std::size_t fails_in = std::numeric_limits<std::size_t>::max();
    void operator()(const token_batch& x, std::span<const std::size_t> wanted, row_sink sink) {
      if (calls == fails_in) {
        const auto half = [&](std::size_t k, std::span<const float> row) {
          if (k == wanted.size() / 2) throw std::runtime_error("no more power");
          sink(k, row);
        };
        selective::operator()(x, wanted, row_sink{half});
      }
      selective::operator()(x, wanted, sink);
    }
  };
  for (const std::size_t fails : {0U, 1U, 2U, 4U}) {
    CAPTURE(fails);
    sometimes_failing model;
    model.logits = stubborn;
    model.fails_in = fails;
    const lookahead ahead{order::top_k{}, draw::categorical{}, 3};
    auto run = start(model, ahead, canvas::blank(14), 2);
    std::size_t failures = 0;
    while (!run.done()) try {
        run.step();
      } catch (const std::runtime_error&) {
        ++failures;
      }
    CHECK(failures == 1);
    CHECK(run.result().tokens == decode(model, canvas::blank(14), ahead, 2).tokens);
    CHECK(run.result().step == decode(model, canvas::blank(14), ahead, 2).step);
  }
}

TEST_CASE("orders that look at hidden states are looked ahead for as well") {
  const auto check = [](auto model) {
    const auto plain = compose(by_hidden{}, draw::categorical{});
    for (const std::size_t width : {1U, 3U, 6U}) {
      const auto r = decode(model, canvas::blank(11), lookahead{plain, width}, 3);
      CHECK(same_for_less(r, decode(model, canvas::blank(11), plain, 3)));
      CHECK(same(r, decode(model, canvas::blank(11), any_hidden_sampler{lookahead{plain, width}}, 3)));
    }
  };
  check(whole_hidden{});
  check(selective_hidden{});
  selective_hidden model;
  model.logits = stubborn;
  CHECK(calls(decode(model, canvas::blank(11), lookahead{by_hidden{}, draw::argmax{}, 5})) == 3);
}

TEST_CASE("lookahead allocates nothing once it has made its first guess") {
  selective model;
  const auto check = [&](const auto& ahead) {
    canvas c = canvas::blank(24);
    for (const std::size_t i : {0U, 1U, 2U, 9U, 23U}) c.fix(i, 3);
    auto run = start(model, ahead, c, 1);
    while (calls(run.result()) < 2) run.step();
    const std::size_t before = allocations();
    while (!run.done()) run.step();
    CHECK(allocations() == before);
  };
  check(lookahead{order::random{}, draw::categorical{}, 4});
  check(lookahead{order::top_k{rank::entropy{}}, draw::argmax{}, 4});
  check(lookahead{order::blocks{8, order::top_k{}}, draw::categorical{}, 3});
}

TEST_CASE("a width of 0 is refused, and what the sampler inside refuses") {
  selective model;
  CHECK_THROWS_WITH_AS(decode(model, canvas::blank(4), lookahead{order::random{}, draw::argmax{}, 0}),
                       "sample::lookahead: width = 0, expected at least 1 row a call", invalid_argument);
  CHECK_THROWS_AS(decode(model, canvas::blank(4), lookahead{order::left_to_right{0}, draw::argmax{}, 2}), invalid_argument);
}
