#include "lacuna/concepts/draw_policy.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <vector>

#include "lacuna/draw/argmax.hpp"
#include "lacuna/draw/categorical.hpp"
#include "lacuna/order/left_to_right.hpp"
#include "lacuna/problems/permutation.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"

using namespace lacuna;

namespace {

/// The least a draw may be: the last possible token.
class archetype {
 public:
  explicit archetype(int) {}
  archetype(const archetype&) = default;
  archetype& operator=(const archetype&) = delete;
  token draw(std::span<double> log_p, random_stream&) const {
    std::size_t v = log_p.size() - 1;
    while (!(log_p[v] > -1e300)) --v;
    return static_cast<token>(v);
  }
};

// ---- Accepted
static_assert(draw_policy<archetype> && draw_policy<draw::argmax> && draw_policy<draw::categorical>);

template <class Result, class... Arguments>
struct drawing {
  Result draw(Arguments...) const;
};
static_assert(draw_policy<drawing<token, std::span<const double>, random_stream&>>, "a draw that only reads");
static_assert(draw_policy<drawing<token, std::span<double>, random_stream>>, "a draw that works on a copy of the stream");
struct generic {
  token draw(auto, auto&) const;
};
static_assert(draw_policy<generic>);

// ---- Rejected
static_assert(!draw_policy<drawing<void, std::span<double>, random_stream&>>);
static_assert(!draw_policy<drawing<std::size_t, std::span<double>, random_stream&>>, "an index is not a token");
static_assert(!draw_policy<drawing<double, std::span<double>, random_stream&>>);
static_assert(!draw_policy<drawing<token, std::span<float>, random_stream&>>, "rows are in double");
static_assert(!draw_policy<drawing<token, const std::vector<double>&, random_stream&>>);
static_assert(!draw_policy<drawing<token, std::span<double>>>, "no generator");
static_assert(!draw_policy<drawing<token, random_stream&, std::span<double>>>);
struct not_constant {
  token draw(std::span<double>, random_stream&);
};
static_assert(!draw_policy<not_constant>);
struct cannot_be_copied {
  cannot_be_copied(const cannot_be_copied&) = delete;
  token draw(std::span<double>, random_stream&) const;
};
static_assert(!draw_policy<cannot_be_copied>);
static_assert(!draw_policy<decltype([](std::span<double>, random_stream&) { return token{0}; })>, "a draw has a draw");

}  // namespace

TEST_CASE("the least draw decodes") {
  problems::permutation model(3);
  CHECK(decode(model, canvas::blank(3), compose(order::left_to_right{}, archetype{1})).tokens == std::vector<token>{2, 1, 0});
}
