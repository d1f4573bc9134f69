#include "lacuna/concepts/rank_policy.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "lacuna/draw/argmax.hpp"
#include "lacuna/order/top_k.hpp"
#include "lacuna/problems/permutation.hpp"
#include "lacuna/rank/confidence.hpp"
#include "lacuna/rank/left_to_right.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"

using namespace lacuna;

namespace {

/// The least a rank may be.
struct archetype {
  explicit archetype(int) {}
  archetype(const archetype&) = default;
  archetype& operator=(const archetype&) = delete;
  float operator()(const step_view& view, std::size_t k) const { return static_cast<float>(view.positions[k]); }
};
struct random_archetype {
  double operator()(const step_view& view, std::size_t k, const step_random& rng) const {
    return rng.at(view.positions[k]).uniform();
  }
};

// ---- Accepted
static_assert(rank_policy<archetype> && plain_rank<archetype> && !random_rank<archetype>);
static_assert(rank_policy<random_archetype> && random_rank<random_archetype> && !plain_rank<random_archetype>);
static_assert(rank_policy<rank::confidence>);
constexpr auto lambda = [](const step_view& view, std::size_t k) { return view.confidence(k) - view.entropy(k); };
static_assert(rank_policy<decltype(lambda)>);
constexpr auto generic = [](const auto& view, auto k) { return static_cast<double>(view.positions[k]); };
static_assert(rank_policy<decltype(generic)>);
static_assert(rank_policy<double (*)(const step_view&, std::size_t)>, "a function");
constexpr auto counts = [](const step_view&, std::size_t k) { return static_cast<int>(k); };
static_assert(rank_policy<decltype(counts)>, "any number will do");

struct of_position : archetype {
  static constexpr bool before_pass = true;
};
struct of_opinion : archetype {
  static constexpr bool before_pass = false;
};
static_assert(rank_before_pass<of_position> && rank_before_pass<rank::left_to_right>);
static_assert(!rank_before_pass<archetype> && !rank_before_pass<of_opinion> && !rank_before_pass<rank::confidence>);

// ---- Rejected
constexpr auto no_result = [](const step_view&, std::size_t) {};
static_assert(!rank_policy<decltype(no_result)>);
constexpr auto text = [](const step_view&, std::size_t) { return std::string(); };
static_assert(!rank_policy<decltype(text)>);
constexpr auto no_index = [](const step_view&) { return 0.0; };
static_assert(!rank_policy<decltype(no_index)>);
constexpr auto no_view = [](std::size_t) { return 0.0; };
static_assert(!rank_policy<decltype(no_view)>);
constexpr auto writes = [](step_view&, std::size_t) { return 0.0; };
static_assert(!rank_policy<decltype(writes)>, "the view is read only");
constexpr auto uses_the_generator_up = [](const step_view&, std::size_t, step_random&) { return 0.0; };
static_assert(!rank_policy<decltype(uses_the_generator_up)>);
constexpr auto takes_a_stream = [](const step_view&, std::size_t, random_stream&) { return 0.0; };
static_assert(!rank_policy<decltype(takes_a_stream)>, "a stream of a position comes from rng.at(position)");
static_assert(!rank_policy<decltype([n = 0](const step_view&, std::size_t) mutable { return n++; })>, "ranks are constants");
struct cannot_be_copied {
  cannot_be_copied(const cannot_be_copied&) = delete;
  double operator()(const step_view&, std::size_t) const;
};
static_assert(!rank_policy<cannot_be_copied>);
static_assert(!rank_policy<double>);

}  // namespace

TEST_CASE("the least ranks and a lambda order a run") {
  problems::permutation model(3);
  const auto steps = [&](auto rank) {
    return decode(model, canvas::blank(3), compose(order::top_k{rank, pace::constant{1}}, draw::argmax{})).step;
  };
  CHECK(steps(archetype{1}) == std::vector<std::size_t>{2, 1, 0});
  CHECK(steps([](const step_view& view, std::size_t k) { return -std::abs(static_cast<double>(view.positions[k]) - 1); }) ==
        std::vector<std::size_t>{1, 0, 2});
  CHECK(steps(random_archetype{}) == steps(random_archetype{}));
}

TEST_CASE("a score that is no number is the worst") {
  step_view view;
  const auto nan = [](const step_view&, std::size_t) { return std::numeric_limits<double>::quiet_NaN(); };
  CHECK(score(nan, view, 0, step_random{}) == -std::numeric_limits<double>::infinity());
  const auto seven = [](const step_view&, std::size_t) { return 7; };
  CHECK(score(seven, view, 0, step_random{}) == 7);
}
