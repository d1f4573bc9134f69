#include "lacuna/mi/estimate.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "lacuna/mi/enumerated.hpp"
#include "lacuna/mi/mixture.hpp"
#include "lacuna/mi/pruned.hpp"
#include "lacuna/mi/sampled.hpp"
#include "lacuna/testing/recording.hpp"
#include "lacuna/testing/rungs.hpp"
#include "tests/mi/oracles.hpp"
#include "tests/sample/models.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

/// Reads: the product of the first two numbers of the hidden states, less the second.
struct reader {
  static constexpr statistics needs = statistics::hidden;
  struct memory {
    std::vector<std::size_t> sizes;
  };
  void estimate(const step_view& view, std::span<const std::size_t> candidates, memory& m, std::span<double> out) const {
    m.sizes.push_back(candidates.size());
    for (std::size_t a = 0; a < candidates.size(); ++a)
      for (std::size_t b = 0; b < candidates.size(); ++b)
        out[a * candidates.size() + b] =
            double{view.hidden(candidates[a])[0]} * view.hidden(candidates[b])[0] - view.hidden(candidates[b])[1];
  }
};
/// Reads what is not a number for one pair of positions.
struct broken_reader {
  static constexpr statistics needs = statistics::none;
  void estimate(const step_view& view, std::span<const std::size_t> candidates, no_memory&, std::span<double> out) const {
    for (std::size_t a = 0; a < candidates.size(); ++a)
      for (std::size_t b = 0; b < candidates.size(); ++b)
        if (view.positions[candidates[a]] == 4 && view.positions[candidates[b]] == 2)
          out[a * candidates.size() + b] = std::nan("");
  }
};
static_assert(reading_mi_estimator<reader> && !probing_mi_estimator<reader>);
static_assert(mi_estimator_for<reader, whole_hidden> && mi_estimator_for<reader, selective_hidden>);
static_assert(!mi_estimator_for<reader, whole>, "no hidden states");
static_assert(mi_estimator_for<broken_reader, whole>);

/// Some canvases of different lengths, one of them with nothing to do.
std::vector<mi::question> some_questions() {
  std::vector<mi::question> all;
  for (const std::size_t length : {4U, 1U, 6U, 3U, 5U, 4U}) {
    canvas c = canvas::blank(length);
    if (length > 3) c.fix(length - 2, 5);
    all.push_back({c, {}, 20 + all.size()});
  }
  all[3].context = canvas::infill({1, 2, 3}, {});
  return all;
}

bool same(const mi::information& a, const mi::information& b) {
  const auto equal = [](const tensor<double, 2>& x, const tensor<double, 2>& y) {
    for (std::size_t k = 0; k < x.size() && k < y.size(); ++k)
      if (!(x.data()[k] == y.data()[k] || (std::isnan(x.data()[k]) && std::isnan(y.data()[k])))) return false;
    return x.shape() == y.shape();
  };
  return a.positions == b.positions && a.entropies == b.entropies && equal(a.raw, b.raw) && equal(a.error, b.error) &&
         a.cost.of(purpose::decode).rows == b.cost.of(purpose::decode).rows &&
         a.cost.of(purpose::probe).rows == b.cost.of(purpose::probe).rows;
}

template <class E>
void check_any_split(const E& e) {
  const auto questions = some_questions();
  whole plain;
  std::vector<mi::information> alone;
  for (const mi::question& q : questions) alone.push_back(mi::estimate(plain, std::span{&q, 1}, e, {.seed = 3}).of[0]);
  const auto check = [&](auto model, std::size_t rows_per_call) {
    testing::recording seen(model);
    const auto found = mi::estimate(seen, questions, e, {.rows_per_call = rows_per_call, .seed = 3});
    for (std::size_t q = 0; q < questions.size(); ++q) CHECK(same(found.of[q], alone[q]));
    std::size_t rows = 0;
    for (const mi::information& i : found.of) rows += i.cost.rows();
    CHECK(found.network.rows == rows);
    CHECK(found.network.rows == seen.rows());
    CHECK(found.network.calls == seen.calls().size());
    for (const auto& call : seen.calls()) CHECK(call.rows() <= rows_per_call);
    return found.network.calls;
  };
  for (const std::size_t rows_per_call : {1U, 3U, 7U, 64U}) {
    check(whole{}, rows_per_call);
    check(selective{}, rows_per_call);
    check(ragged{}, rows_per_call);
    check(ragged_selective{}, rows_per_call);
  }
}

}  // namespace

TEST_CASE("an estimate does not depend on the other canvases, the split into calls, or the form of the model") {
  check_any_split(mi::enumerated{});
  check_any_split(mi::mixture{});
  check_any_split(mi::pruned{0.2});
  check_any_split(mi::sampled{3});
}

TEST_CASE("probes of many canvases fill calls of the size asked for") {
  ragged_selective network;
  const std::vector<mi::question> questions(30, {canvas::blank(3), {}, 0});
  const auto found = mi::estimate(network, questions, mi::enumerated{}, {.rows_per_call = 32});
  CHECK(found.network.rows == 30 * (1 + 3 * 7));
  CHECK(found.network.calls <= 1 + found.network.rows / 32 + 3);  // the first and the last are not full
}

TEST_CASE("only the rows that can matter are wanted: masked positions, and those only") {
  testing::recording seen(selective{});
  canvas c = canvas::blank(5);
  c.fix(0, 2);
  mi::estimate(seen, c, mi::enumerated{});
  CHECK(seen.rows() == 1 + 4 * 7);
  CHECK(seen.wanted() == 4 + 4 * 7 * 3);
}

TEST_CASE("chosen rows are those of the whole matrix, the others are unknown") {
  whole network;
  const canvas c = canvas::blank(5);
  const mi::information all = mi::estimate(network, c, mi::pruned{0.1});
  const std::vector<mi::question> chosen{{c, std::vector<std::size_t>{3, 1}, 0}};
  const mi::information some = mi::estimate(network, chosen, mi::pruned{0.1}).of[0];
  for (std::size_t a = 0; a < 5; ++a)
    for (std::size_t b = 0; b < 5; ++b)
      if (a == 1 || a == 3) {
        CHECK(some.raw(a, b) == all.raw(a, b));
        CHECK(some.error(a, b) == all.error(a, b));
      } else {
        CHECK((a == b ? some.raw(a, b) == 0 : std::isnan(some.raw(a, b))));
      }
  CHECK(some.cleaned()(1, 3) == all.cleaned()(1, 3));
  CHECK(is_clean(some.cleaned(), some.entropies));
  CHECK(some.cost.of(purpose::probe).rows < all.cost.of(purpose::probe).rows);
  const std::vector<mi::question> none{{c, std::vector<std::size_t>{}, 0}};
  CHECK(mi::estimate(network, none, mi::enumerated{}).of[0].cost.rows() == 1);
}

TEST_CASE("nothing masked costs nothing; a single mask costs its row and shares with nobody") {
  whole network;
  const auto nothing = mi::estimate(network, canvas::infill({1, 2}, {}), mi::enumerated{});
  CHECK(nothing.size() == 0);
  CHECK(nothing.cost.rows() == 0);
  CHECK(network.calls == 0);
  canvas one = canvas::infill({1, 2, 3}, std::vector<std::size_t>{1});
  const auto single = mi::estimate(network, one, mi::enumerated{});
  CHECK(single.raw(0, 0) == 0);
  CHECK(single.entropies[0] > 0);
}

TEST_CASE("what is certain shares nothing, whatever the estimator") {
  whole certain;
  certain.logits = [](std::span<const token>, std::size_t l, std::span<float> out) {
    for (std::size_t v = 0; v < out.size(); ++v) out[v] = v == l ? 1000.0F : 0.0F;
  };
  const auto check = [&](const auto& estimator) {
    const mi::information found = mi::estimate(certain, canvas::blank(4), estimator);
    CHECK(found.entropies == std::vector<double>(4, 0.0));
    for (const double v : found.raw) CHECK(v == 0);
    for (const double v : found.cleaned()) CHECK(v == 0);
    CHECK(found.cost.of(purpose::probe).rows == 4);  // the one value there is
  };
  check(mi::enumerated{});
  check(mi::mixture{});
  check(mi::pruned{});
  check(mi::sampled{5});
}

TEST_CASE("of a vocabulary of one there is nothing to tell") {
  whole network;
  network.vocabulary = 2;
  network.mask = 1;
  const mi::information found = mi::estimate(network, canvas::blank(3), mi::enumerated{});
  CHECK(found.entropies == std::vector<double>(3, 0.0));
  for (const double v : found.raw) CHECK(v == 0);
}

TEST_CASE("independent uniform positions share nothing, copies all that they have") {
  joint_table free = joint_table::independent(std::vector<std::vector<double>>(3, {1, 1, 1, 1}));
  joint_table same = twins(4);
  const auto check = [&](const auto& estimator) {
    for (const double v : mi::estimate(free, canvas::blank(3), estimator).raw) CHECK(std::abs(v) < 1e-6);
    const mi::information found = mi::estimate(same, canvas::blank(2), estimator);
    CHECK(found.entropies[0] == doctest::Approx(std::log(4)).epsilon(1e-6));
    CHECK(found.cleaned()(0, 1) == doctest::Approx(found.entropies[1]).epsilon(1e-6));  // I = H
  };
  check(mi::enumerated{});
  check(mi::pruned{0.0});
  check(mi::sampled{3});  // each value alone tells the other
}

TEST_CASE("an estimator that reads hidden states costs no probes") {
  const auto check = [](auto network) {
    const mi::information found = mi::estimate(network, canvas::blank(3), reader{});
    CHECK(network.calls == 1);
    CHECK(found.cost.rows() == 1);
    CHECK(found.raw(1, 2) == 1 * 2 - 3);  // hidden states are the position and the number of masks
    CHECK(found.raw(2, 0) == -3);
    CHECK(found.error.size() == 0);
    CHECK(is_clean(found.cleaned(), found.entropies));
  };
  check(whole_hidden{});
  check(selective_hidden{});
}

TEST_CASE("progress is told after each call, up to all") {
  whole network;
  std::vector<mi::progress> told;
  const std::vector<mi::question> questions(5, {canvas::blank(3), {}, 0});
  const auto found = mi::estimate(network, questions, mi::enumerated{}, {.rows_per_call = 8},
                                  [&](const mi::progress& p) { told.push_back(p); });
  REQUIRE(told.size() >= 5 * 22 / 8);
  for (std::size_t i = 1; i < told.size(); ++i) {
    CHECK(told[i].done >= told[i - 1].done);
    CHECK(told[i].network.calls >= told[i - 1].network.calls);
  }
  CHECK(told.back().done == 5);
  CHECK(told.back().total == 5);
  CHECK(told.back().network == found.network);
}

TEST_CASE("what is not a number is an error that names the pair") {
  whole network;
  network.logits = [](std::span<const token> row, std::size_t l, std::span<float> out) {
    scrambled(row, l, out);
    if (l == 3 && row[1] == 5) std::fill(out.begin(), out.end(), std::numeric_limits<float>::quiet_NaN());
  };
  CHECK_THROWS_WITH_AS(mi::estimate(network, canvas::blank(4), mi::enumerated{}),
                       "mi: the estimate for positions 1 and 3 is nan, expected a finite number of nats", estimator_error);
  CHECK_THROWS_WITH_AS(mi::estimate(network, canvas::blank(5), broken_reader{}),
                       "mi: the estimate for positions 4 and 2 is nan, expected a finite number of nats", estimator_error);
  canvas without = canvas::blank(4);
  without.fix(1, 0);
  CHECK_NOTHROW(mi::estimate(network, without, mi::enumerated{}));
}

TEST_CASE("a masked position without a possible token is the model's error") {
  whole network;
  network.logits = [](std::span<const token>, std::size_t l, std::span<float> out) {
    std::fill(out.begin(), out.end(), l == 2 ? -std::numeric_limits<float>::infinity() : 0.0F);
  };
  const std::vector<mi::question> questions{{canvas::blank(2), {}, 0}, {canvas::blank(3), {}, 0}};
  CHECK_THROWS_WITH_AS(mi::estimate(network, questions, mi::enumerated{}),
                       "mi: canvas 1: position 2 has no finite logit for a token that may be generated", model_error);
}

TEST_CASE("questions are checked before the first pass") {
  whole network;
  network.longest = 4;
  const auto refuse = [&](const mi::question& q, const mi::estimate_options& options, const char* message) {
    CHECK_THROWS_WITH_AS(mi::estimate(network, std::span{&q, 1}, mi::enumerated{}, options), message, invalid_argument);
  };
  canvas c = canvas::blank(4);
  c.fix(2, 0);
  refuse({c, {}, 0}, {.rows_per_call = 0}, "mi: rows_per_call = 0, expected at least 1");
  refuse({c, std::vector<std::size_t>{2}, 0}, {}, "mi: canvas 0: row 2 was asked for, expected a masked position");
  refuse({c, std::vector<std::size_t>{9}, 0}, {}, "mi: canvas 0: row 9 was asked for, expected a masked position");
  const mi::question too_long{canvas::blank(5), {}, 0};
  CHECK_THROWS_AS(mi::estimate(network, std::span{&too_long, 1}, mi::enumerated{}), invalid_argument);
  CHECK(network.calls == 0);
}
