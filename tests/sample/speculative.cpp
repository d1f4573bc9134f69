// What the speculative sampler does, step by step: windows, blocks, endings, costs, and what goes wrong.
#include "lacuna/sample/speculative.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "lacuna/rank/confidence.hpp"
#include "lacuna/rank/left_to_right.hpp"
#include "lacuna/sample/any_sampler.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/sample/full_passes.hpp"
#include "lacuna/sample/run.hpp"
#include "lacuna/window/constant.hpp"
#include "lacuna/window/cosine.hpp"
#include "tests/sample/draft_verify_models.hpp"
#include "tests/sample/results.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

constexpr float no_number = std::numeric_limits<float>::quiet_NaN();
constexpr token end = 6;

/// The draft writes the tokens of `drafted`, the target those of `wanted`, both for sure.
drafts_and_verifies writer(std::vector<token> drafted, std::vector<token> wanted) {
  const auto sure_of = [](std::vector<token> text) {
    return [text](std::span<const token>, std::size_t l, std::span<float> out) {
      std::fill(out.begin(), out.end(), -std::numeric_limits<float>::infinity());
      out[static_cast<std::size_t>(text[l])] = 0;
    };
  };
  drafts_and_verifies model;
  model.end = end;
  model.logits = sure_of(std::move(drafted));
  model.target = sure_of(std::move(wanted));
  return model;
}
drafts_and_verifies writer(const std::vector<token>& text) { return writer(text, text); }

/// A rank that gives an order of its own.
struct by_list {
  std::vector<std::size_t> list;
  static constexpr statistics needs = statistics::none;
  static constexpr bool before_pass = true;
  double operator()(const step_view& view, std::size_t k) const {
    return -static_cast<double>(std::find(list.begin(), list.end(), view.positions[k]) - list.begin());
  }
};

template <class Window = window::none, class Ending = ending::ignore>
auto left_to_right(std::size_t n = 1, Window w = {}, std::size_t block = 1000, Ending e = {}) {
  return sample::speculative{rank::left_to_right{}, w, n, 1.0, block, e};
}

/// What was committed in each step, and what of it was redrawn.
struct log_of_steps {
  std::vector<std::vector<std::size_t>> committed;
  std::vector<std::vector<std::size_t>> redrawn;
  void operator()(const step_event& e) {
    committed.emplace_back(e.committed.begin(), e.committed.end());
    redrawn.emplace_back(e.redrawn.begin(), e.redrawn.end());
  }
};
using steps = std::vector<std::vector<std::size_t>>;

}  // namespace

TEST_CASE("a step takes the accepted drafts and the first that is redrawn; n verifications redraw n") {
  drafts_and_verifies model = writer({0, 0, 0, 0, 0, 0, 0}, {0, 0, 1, 0, 2, 3, 0});
  log_of_steps log;
  auto r = decode(model, canvas::blank(7), left_to_right(1), 1, log);
  CHECK(r.tokens == std::vector<token>{0, 0, 1, 0, 2, 3, 0});
  CHECK(log.committed == steps{{0, 1, 2}, {3, 4}, {5}, {6}});
  CHECK(log.redrawn == steps{{2}, {4}, {5}, {}});
  CHECK(r.cost.of(purpose::draft) == nfe::count{4, 4});
  CHECK(r.cost.of(purpose::verify) == nfe::count{4, 4});
  CHECK(r.cost.rows() == model.rows);

  log = {};
  r = decode(model, canvas::blank(7), left_to_right(3), 1, log);
  CHECK(log.committed == steps{{0, 1, 2, 3, 4, 5}, {6}});
  CHECK(log.redrawn == steps{{2, 4, 5}, {}});
  CHECK(r.cost.of(purpose::verify) == nfe::count{4, 4});
  CHECK(full_passes(r.cost, model) == 2 * 0.75 + 4 * 0.25);

  log = {};
  r = decode(model, canvas::blank(7), left_to_right(100), 1, log);  // more than are needed are not made
  CHECK(log.committed == steps{{0, 1, 2, 3, 4, 5, 6}});
  CHECK(r.cost.of(purpose::verify) == nfe::count{4, 4});
  for (std::size_t i = 0; i < 7; ++i) CHECK(r.step[i] == 0);
}

TEST_CASE("no verification follows when the last of the window was redrawn") {
  drafts_and_verifies model = writer({0, 0, 0, 0}, {0, 0, 0, 5});
  const auto r = decode(model, canvas::blank(4), left_to_right(4), 1);
  CHECK(r.cost.of(purpose::verify) == nfe::count{1, 1});
  CHECK(r.tokens == std::vector<token>{0, 0, 0, 5});
}

TEST_CASE("a window bounds what is drafted and verified, one that is too large is cut") {
  drafts_and_verifies model = writer({0, 1, 2, 3, 4, 5, 0, 1});
  log_of_steps log;
  decode(model, canvas::blank(8), left_to_right(1, window::constant{3}), 1, log);
  CHECK(log.committed == steps{{0, 1, 2}, {3, 4, 5}, {6, 7}});
  log = {};
  decode(model, canvas::blank(8), left_to_right(1, window::constant{100}), 1, log);
  CHECK(log.committed == steps{{0, 1, 2, 3, 4, 5, 6, 7}});
  // N is what there is to decode, i what of it is decoded: a prompt counts in neither
  log = {};
  std::vector<std::pair<std::size_t, std::size_t>> asked;
  const auto window = [&asked](std::size_t i, std::size_t n) {
    asked.emplace_back(i, n);
    return std::size_t{2};
  };
  canvas c = canvas::blank(8);
  for (const std::size_t i : {0U, 1U, 5U}) c.fix(i, 4);
  decode(model, c, left_to_right(1, window), 1, log);
  CHECK(log.committed == steps{{2, 3}, {4, 6}, {7}});
  CHECK(std::equal(asked.end() - 3, asked.end(),
                   std::vector<std::pair<std::size_t, std::size_t>>{{0, 5}, {2, 5}, {4, 5}}.begin()));
}

TEST_CASE("in blocks the window counts with the block, and nothing else is drafted") {
  drafts_and_verifies model = writer(std::vector<token>(10, 1));
  log_of_steps log;
  std::vector<std::pair<std::size_t, std::size_t>> asked;
  const auto window = [&asked](std::size_t i, std::size_t n) {
    asked.emplace_back(i, n);
    return std::size_t{3};
  };
  canvas c = canvas::blank(10);
  c.fix(0, 2);
  c.fix(6, 2);
  const sample::speculative sampler{rank::confidence{}, window, 1, 1.0, 4};  // blocks 1-4, 5-8, 9
  decode(model, c, sampler, 1, log);
  CHECK(log.committed == steps{{1, 2, 3}, {4}, {5, 7, 8}, {9}});
  const std::vector<std::pair<std::size_t, std::size_t>> expected{{0, 4}, {3, 4}, {0, 3}, {0, 1}};
  CHECK(std::equal(expected.begin(), expected.end(), asked.end() - 4));
  CHECK(model.asked == 4 + 1 + 3 + 1);
}

TEST_CASE("an order that does not look at the model has the window scored, any other all that is masked") {
  drafts_and_verifies model = writer(std::vector<token>(20, 1));
  decode(model, canvas::blank(20), left_to_right(1, window::constant{5}), 1);
  CHECK(model.asked == 20);
  model.asked = 0;
  decode(model, canvas::blank(20), sample::speculative{rank::random{}, window::constant{5}}, 1);
  CHECK(model.asked == 20);
  model.asked = 0;
  decode(model, canvas::blank(20), sample::speculative{rank::confidence{}, window::constant{5}}, 1);
  CHECK(model.asked == 20 + 15 + 10 + 5);
}

TEST_CASE("an order that looks at the model is ranked anew at each draft, from the draft") {
  drafts_and_verifies model = writer({0, 1, 2, 3});
  model.logits = [&](std::span<const token> row, std::size_t l, std::span<float> out) {
    std::fill(out.begin(), out.end(), 0.0F);
    const bool fresh = std::count(row.begin(), row.end(), 7) == 4;
    out[l] = fresh ? static_cast<float>(l) : 3 - static_cast<float>(l);  // first from the back, then from the front
  };
  log_of_steps log;
  decode(model, canvas::blank(4), sample::speculative{rank::confidence{}, window::constant{2}, 2}, 1, log);
  CHECK(log.committed == steps{{3, 2}, {0, 1}});
}

TEST_CASE("confidence is the target's probability of the token") {
  drafts_and_verifies model;
  const auto row = [](float first) {
    return [first](std::span<const token>, std::size_t, std::span<float> out) {
      std::fill(out.begin(), out.end(), -std::numeric_limits<float>::infinity());
      out[0] = first;
      out[1] = 0;
    };
  };
  model.logits = row(5);
  model.target = row(-1);
  const double q0 = std::exp(-1.0) / (1 + std::exp(-1.0));
  for (const double temperature : {1.0, 0.0}) {
    const auto r = decode(model, canvas::blank(20), sample::speculative{rank::random{}, window::none{}, 2, temperature}, 3);
    for (std::size_t i = 0; i < 20; ++i) CHECK(r.confidence[i] == doctest::Approx(r.tokens[i] == 0 ? q0 : 1 - q0));
    if (temperature == 0) CHECK(r.tokens == std::vector<token>(20, 1));
  }
}

TEST_CASE("an end token second in an accepted run of four: what is behind it is closed") {
  drafts_and_verifies model = writer({1, end, 2, 3, 4, 5});
  log_of_steps log;
  const auto sampler = left_to_right(3, window::constant{4}, 1000, ending::stop{});
  const auto r = decode(model, canvas::blank(6), sampler, 1, log);
  CHECK(r.tokens == std::vector<token>{1, end, end, end, end, end});
  CHECK(r.reason == stop_reason::end_of_sequence);
  CHECK(r.steps == 1);
  CHECK(r.cost.rows() == 2);
  CHECK(log.committed == steps{{0, 1}});
  for (std::size_t i = 2; i < 6; ++i) {
    CHECK(r.cells[i] == cell::closed);
    CHECK(r.step[i] == never);
    CHECK(r.confidence[i] == 0);
  }
  // it is text where nobody says otherwise
  CHECK(decode(model, canvas::blank(6), left_to_right(1), 1).tokens == std::vector<token>{1, end, 2, 3, 4, 5});
}

TEST_CASE("an end token ends the step: what came behind it before is closed, what is before it is drafted anew") {
  drafts_and_verifies model = writer({1, 2, 3, end, 4, 5}, {1, 0, 3, end, 0, 5});
  const by_list order{{4, 3, 1, 0, 2, 5}};
  log_of_steps log;
  const sample::speculative sampler{order, window::none{}, 3, 1.0, 1000, ending::stop{}};
  const auto r = decode(model, canvas::blank(6), sampler, 1, log);
  CHECK(r.tokens == std::vector<token>{1, 0, 3, end, end, end});
  CHECK(log.committed == steps{{3}, {1, 0, 2}});
  CHECK(log.redrawn == steps{{}, {1}});
  CHECK(r.step[4] == never);
  CHECK(r.reason == stop_reason::end_of_sequence);
}

TEST_CASE("an end token that the target redraws ends the row as well; one in the prompt does not") {
  drafts_and_verifies model = writer({1, 2, 3, 4}, {1, 2, end, 4});
  canvas c = canvas::blank(4);
  c.fix(0, end);
  const auto r = decode(model, c, left_to_right(2, window::none{}, 1000, ending::stop{}), 1);
  CHECK(r.tokens == std::vector<token>{end, 2, end, end});
  CHECK(r.cells[3] == cell::closed);
  CHECK(r.steps == 1);
}

TEST_CASE("commit it last: drafted end tokens wait while there are others") {
  drafts_and_verifies model = writer({1, end, 2, end, 3, end});
  log_of_steps log;
  const auto r =
      decode(model, canvas::blank(6),
             sample::speculative{rank::confidence{}, window::constant{2}, 1, 1.0, 1000, ending::last<ending::stop>{}}, 1, log);
  CHECK(log.committed == steps{{0, 2}, {4}, {1}});
  CHECK(r.tokens == std::vector<token>{1, end, end, end, end, end});
  // one that the target draws waits for a step of its own
  model = writer({1, 2, 2, 2, 3, 2}, {1, 2, 2, end, 3, 2});
  log = {};
  decode(model, canvas::blank(6), left_to_right(5, window::none{}, 1000, ending::last<>{}), 1, log);
  CHECK(log.committed == steps{{0, 1, 2}, {3, 4, 5}});
}

TEST_CASE("a forbidden token that only the target likes does not come") {
  drafts_and_verifies model = writer(std::vector<token>(9, 1));
  model.forbidden = {2};
  model.target = [](std::span<const token>, std::size_t, std::span<float> out) {
    std::fill(out.begin(), out.end(), 0.0F);
    out[2] = 50;
    out[3] = 8;
    out[7] = 60;  // the mask
  };
  const auto r = decode(model, canvas::blank(9), left_to_right(9), 1);
  CHECK(std::count(r.tokens.begin(), r.tokens.end(), 3) >= 8);
  CHECK(std::count(r.tokens.begin(), r.tokens.end(), 2) == 0);
  for (std::size_t i = 0; i < 9; ++i)
    if (r.tokens[i] == 3) CHECK(r.confidence[i] == doctest::Approx(std::exp(8.0) / (std::exp(8.0) + 5)));
}

TEST_CASE("nothing to decode, and a single position") {
  drafts_and_verifies model;
  const auto none = decode(model, canvas::infill({1, 2, 3}, {}), sample::speculative{}, 1);
  CHECK(none.steps == 0);
  CHECK(model.calls == 0);
  canvas c = canvas::infill({1, 2, 3, 4}, std::vector<std::size_t>{2});
  const auto one = decode(model, c, sample::speculative{rank::confidence{}, window::cosine{0.1}, 3}, 1);
  CHECK(one.steps == 1);
  CHECK(one.cost.of(purpose::draft) == nfe::count{1, 1});
  CHECK(one.cost.of(purpose::verify) == nfe::count{1, 1});
  CHECK(one.tokens[0] == 1);
  CHECK(one.tokens[3] == 4);
}

TEST_CASE("rows that need different numbers of rounds share a draft and a verification a round, and come out as alone") {
  std::vector<job> jobs;
  for (std::size_t r = 0; r < 12; ++r) {
    canvas c = canvas::blank(14);
    for (std::size_t i = 0; i < r; ++i) c.fix((3 * i) % 14, static_cast<token>(i % 7));
    jobs.push_back({c, 40 + r, unlimited});
  }
  const sample::speculative sampler{rank::random{}, window::cosine{0.2}, 3};
  std::vector<decode_result> alone;
  std::size_t rounds = 0;
  for (const job& j : jobs) {
    drafts_and_verifies model;
    alone.push_back(decode(model, std::span{&j, 1}, sampler, {.seed = 8}).rows[0]);
    rounds = std::max(rounds, alone.back().cost.calls());
  }
  CHECK_FALSE(std::all_of(alone.begin(), alone.end(), [&](const auto& r) { return r.cost.calls() == rounds; }));
  drafts_and_verifies model;
  const auto together = decode(model, std::span{jobs}, sampler, {.seed = 8});
  CHECK(same(together.rows, alone));
  CHECK(model.drafts <= rounds);
  CHECK(model.verifications <= rounds);
  for (const std::size_t per_call : {1U, 5U}) {
    verifies_backwards other;
    CHECK(same(decode(other, std::span{jobs}, sampler, {.seed = 8, .rows_per_call = per_call}).rows, alone));
    CHECK(other.slots_met.size() == per_call);
  }
}

TEST_CASE("one speculative sampler serves canvases of different lengths and two threads") {
  const sample::speculative sampler{rank::confidence{}, window::cosine{0.1}, 2};
  std::vector<canvas> rows;
  for (const std::size_t length : {3U, 30U, 1U, 12U}) rows.push_back(canvas::blank(length));
  const auto decoded = [&](std::uint64_t seed) {
    drafts_and_verifies model;
    return decode(model, std::span{rows}, sampler, {.seed = seed}).rows;
  };
  std::vector<decode_result> a;
  std::vector<decode_result> b;
  std::thread first([&] { a = decoded(1); });
  std::thread second([&] { b = decoded(2); });
  first.join();
  second.join();
  CHECK(same(a, decoded(1)));
  CHECK(same(b, decoded(2)));
  CHECK_FALSE(same(a, b));
}

TEST_CASE("a run of one's own steps as decode does") {
  drafts_and_verifies model;
  model.end = end;
  canvas c = canvas::blank(15);
  c.fix(4, 3);
  const sample::speculative sampler{rank::confidence{}, window::constant{4}, 2, 0.8, 6, ending::stop{}};
  const job j{c, 17, unlimited};
  const decode_result expected = decode(model, std::span{&j, 1}, sampler, {.seed = 5}).rows[0];
  auto one = start(model, sampler, c, 5, 17);
  auto other = start(model, sampler, c, 6, 17);  // in between, on the same memory of the model
  std::vector<std::size_t> redrawn;
  while (!one.done()) {
    const step_info info = one.step();
    redrawn.insert(redrawn.end(), info.redrawn.begin(), info.redrawn.end());
    if (!other.done()) other.step();
  }
  CHECK(same(one.result(), expected));
  CHECK_FALSE(redrawn.empty());
  const sample::any_verifying_sampler any = sampler;
  CHECK(same(decode(model, std::span{&j, 1}, any, {.seed = 5}).rows[0], expected));
}

TEST_CASE("NaN in a target that is reached: an error that names the row, the track and the position") {
  drafts_and_verifies model = writer(std::vector<token>(5, 1));
  const auto sure = model.target;
  model.target = [sure](std::span<const token> row, std::size_t l, std::span<float> out) {
    sure(row, l, out);
    if (l == 3 && row.size() == 5) std::fill(out.begin(), out.end(), no_number);
  };
  std::vector<canvas> rows{canvas::blank(4), canvas::blank(5), canvas::blank(4)};
  rows[1].fix(4, 0);
  const auto r = decode(model, std::span{rows}, left_to_right(1), {.seed = 2});
  CHECK(r.rows[1].reason == stop_reason::error);
  CHECK(r.rows[1].error ==
        "row 1: model: step 0: the target of track 4 (position 3) has no finite logit for a token that may be generated");
  CHECK(r.rows[1].cost.rows() == 2);
  CHECK(r.rows[0].reason == stop_reason::complete);
  CHECK(r.rows[2].tokens == std::vector<token>(4, 1));
  CHECK_THROWS_AS(decode(model, rows[1], left_to_right(1), 2), model_error);
  // one that is not reached does no harm
  model.logits = writer({1, 1, 2, 1, 1}).logits;
  CHECK(decode(model, canvas::blank(5), left_to_right(1, window::constant{4}), 2, [](const step_event&) {
          return verdict::stop;
        }).reason == stop_reason::observer);
}

TEST_CASE("one NaN in a target is an impossible token and nothing more") {
  drafts_and_verifies model;
  model.target = [](std::span<const token> row, std::size_t l, std::span<float> out) {
    half_scrambled(row, l, out);
    out[l % 3] = no_number;
  };
  drafts_and_verifies control;
  control.target = [](std::span<const token> row, std::size_t l, std::span<float> out) {
    half_scrambled(row, l, out);
    out[l % 3] = -std::numeric_limits<float>::infinity();
  };
  const sample::speculative sampler{rank::random{}, window::none{}, 2};
  CHECK(same(decode(model, canvas::blank(12), sampler, 1), decode(control, canvas::blank(12), sampler, 1)));
}

TEST_CASE("a position without a usable draft waits; if none is left the row ends with an error") {
  drafts_and_verifies model = writer({0, 1, 2, 3});
  const auto sure = model.logits;
  model.logits = [sure](std::span<const token> row, std::size_t l, std::span<float> out) {
    sure(row, l, out);
    if (l == 1 && std::count(row.begin(), row.end(), 7) > 1) std::fill(out.begin(), out.end(), no_number);
  };
  log_of_steps log;
  CHECK(decode(model, canvas::blank(4), left_to_right(1), 1, log).tokens == std::vector<token>{0, 1, 2, 3});
  CHECK(log.committed == steps{{0, 2, 3}, {1}});
  log = {};
  decode(model, canvas::blank(4), sample::speculative{rank::confidence{}, window::constant{3}}, 1, log);
  CHECK(log.committed == steps{{0, 2, 3}, {1}});
  CHECK_THROWS_WITH_AS(decode(model, canvas::blank(4), left_to_right(1, window::constant{1}), 1),
                       "row 0: model: step 1: none of the 1 masked positions drafted (the first is 1) has a finite logit for a "
                       "token that may be generated",
                       model_error);
}

TEST_CASE("a step that fails in its verification begins anew") {
  drafts_and_verifies model = writer({0, 1, 0, 3, 4}, {0, 1, 2, 3, 4});
  const auto sure = model.target;
  std::size_t until_failure = 4;
  model.target = [&](std::span<const token> row, std::size_t l, std::span<float> out) {
    sure(row, l, out);
    if (--until_failure == 0) std::fill(out.begin(), out.end(), no_number);
  };
  auto run = start(model, left_to_right(2), canvas::blank(5));
  until_failure = 6;  // in the second verification: tracks 0 to 4, then 3
  CHECK_THROWS_AS(run.step(), model_error);
  CHECK(run.steps() == 0);
  CHECK(run.sequence() == canvas::blank(5));
  until_failure = 1000;
  while (!run.done()) run.step();
  CHECK(run.result().tokens == std::vector<token>{0, 1, 2, 3, 4});
  CHECK(run.steps() == 1);
  CHECK(run.cost().rows() == model.rows);
}

TEST_CASE("max_steps and observers stop a speculative row between steps") {
  drafts_and_verifies model = writer({0, 1, 2, 3, 4, 5});
  const job j{canvas::blank(6), 0, 2};
  const auto r = decode(model, std::span{&j, 1}, left_to_right(1, window::constant{2}), {}).rows[0];
  CHECK(r.reason == stop_reason::budget);
  CHECK(r.tokens == std::vector<token>{0, 1, 2, 3, 7, 7});
}

TEST_CASE("parameters of the speculative sampler out of range are refused before the first pass") {
  drafts_and_verifies model;
  const auto refused = [&](const auto& sampler, const char* message) {
    CHECK_THROWS_WITH_AS(decode(model, canvas::blank(4), sampler, 1), message, invalid_argument);
  };
  refused(left_to_right(0), "sample::speculative: verifications = 0, expected at least 1");
  refused(left_to_right(1, window::none{}, 0), "sample::speculative: block = 0, expected at least 1 position");
  refused(left_to_right(1, window::constant{0}), "window::constant: k = 0, expected at least 1 position");
  refused(sample::speculative{rank::random{}, window::none{}, 1, -1.0},
          "sample::speculative: temperature = -1.000000, expected at least 0 (0 is argmax, infinity uniform)");
  refused(left_to_right(1, window::none{}, 9, ending::stop{}),
          "sampler: the ending policy needs a model with end_token(), this one has none");
  CHECK(model.calls == 0);
}

TEST_CASE("what a draft or a verification delivers is checked") {
  struct silent : drafts_and_verifies {
    bool drafting = true;
    void draft(const token_batch& x, std::span<const std::size_t> slots, std::span<const std::size_t> wanted, row_sink sink) {
      if (drafting) drafts_and_verifies::draft(x, slots, wanted, sink);
    }
    std::size_t verify(const verify_batch& v, row_sink sink) {
      const std::vector<float> narrow(3);
      sink(0, narrow);
      return v.rows();
    }
  } model;
  CHECK_THROWS_WITH_AS(decode(model, canvas::blank(4), left_to_right(), 1),
                       "model: delivered row of logits 0 with 3 numbers, expected vocabulary_size() = 8", model_error);
  model.drafting = false;
  CHECK_THROWS_WITH_AS(decode(model, canvas::blank(4), left_to_right(), 1),
                       "model: delivered 0 rows of logits, expected the 4 that were wanted", model_error);
}
