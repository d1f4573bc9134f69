#include "lacuna/concepts/hidden_state_model.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "lacuna/draw/argmax.hpp"
#include "lacuna/problems/permutation.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/testing/rungs.hpp"

using namespace lacuna;

namespace {

template <class Logits, class Hidden>
struct pair_of {
  Logits logits;
  Hidden hidden;
};

/// The least a model with hidden states may be, here decodable as well.
struct archetype {
  archetype() = default;
  archetype(const archetype&) = delete;
  archetype& operator=(const archetype&) = delete;
  unsigned vocabulary_size() const { return 3; }
  short mask_token() const { return 2; }
  unsigned char hidden_size() const { return 1; }
  tensor<float, 3> operator()(const token_batch& x) { return with_hidden(x).logits; }
  pair_of<tensor<float, 3>, tensor<float, 3>> with_hidden(const token_batch& x) {
    pair_of<tensor<float, 3>, tensor<float, 3>> both;
    both.logits.resize({x.shape(0), x.shape(1), 3});
    both.hidden.resize({x.shape(0), x.shape(1), 1});
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t v = 0; v < 3; ++v) both.logits.data()[i * 3 + v] = v == 1 ? 1.0F : 0.0F;
      both.hidden.data()[i] = static_cast<float>(i % x.shape(1));
    }
    return both;
  }
};
struct selective_archetype {
  unsigned vocabulary_size() const { return 3; }
  short mask_token() const { return 2; }
  unsigned char hidden_size() const { return 1; }
  void operator()(const token_batch& x, std::span<const std::size_t> wanted, row_sink sink) {
    const auto ignore = [](std::size_t, std::span<const float>) {};
    with_hidden(x, wanted, sink, ignore);
  }
  void with_hidden(const token_batch& x, std::span<const std::size_t> wanted, row_sink logits, row_sink hidden) {
    const float row[] = {0, 1, 0};
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const float h[] = {static_cast<float>(wanted[k] % x.shape(1))};
      hidden(k, h);
      logits(k, row);
    }
  }
};

// ---- Accepted
static_assert(hidden_state_model<archetype> && returns_hidden<archetype> && !selects_hidden<archetype>);
static_assert(hidden_state_model<selective_archetype> && selects_hidden<selective_archetype>);
static_assert(hidden_state_model<testing::as_hidden<problems::permutation>>);
static_assert(hidden_state_model<testing::as_selective_hidden<problems::permutation>>);

template <class Both>
struct returning {
  std::size_t vocabulary_size() const;
  token mask_token() const;
  std::size_t hidden_size() const;
  Both with_hidden(const token_batch&);
};
using floats = tensor<float, 3>;
using view = tensor_view<const float, 3>;
static_assert(hidden_state_model<returning<pair_of<view, view>>>, "both in memory of another runtime");
static_assert(hidden_state_model<returning<pair_of<const floats&, view>>>);
static_assert(hidden_state_model<returning<const pair_of<floats, floats>&>>, "both kept by the model");

// ---- Rejected
static_assert(!hidden_state_model<problems::permutation>);
static_assert(!hidden_state_model<returning<floats>>, "no members logits and hidden");
static_assert(!hidden_state_model<returning<pair_of<floats, tensor<double, 3>>>>);
static_assert(!hidden_state_model<returning<pair_of<tensor<double, 3>, floats>>>);
static_assert(!hidden_state_model<returning<pair_of<floats, xt::xtensor<float, 3, xt::layout_type::column_major>>>>);
static_assert(!hidden_state_model<returning<std::pair<floats, floats>>>, "first and second are no names");

struct no_size {
  std::size_t vocabulary_size() const;
  token mask_token() const;
  pair_of<floats, floats> with_hidden(const token_batch&);
};
static_assert(returns_hidden<no_size> && !has_hidden_size<no_size> && !hidden_state_model<no_size>);

struct one_sink {
  std::size_t vocabulary_size() const;
  token mask_token() const;
  std::size_t hidden_size() const;
  void with_hidden(const token_batch&, std::span<const std::size_t>, row_sink);
};
static_assert(!selects_hidden<one_sink> && !hidden_state_model<one_sink>);

struct no_mask {
  std::size_t vocabulary_size() const;
  std::size_t hidden_size() const;
  pair_of<floats, floats> with_hidden(const token_batch&);
};
static_assert(!hidden_state_model<no_mask>);

/// Unmasks the candidate with the largest hidden state: here from the right.
struct by_hidden_state {
  static constexpr statistics needs = statistics::hidden;
  void select(const step_view& v, selection& out, const step_random&) const {
    std::size_t best = 0;
    for (std::size_t k = 1; k < v.size(); ++k)
      if (v.hidden(k)[0] > v.hidden(best)[0]) best = k;
    out.add(best);
  }
};

}  // namespace

TEST_CASE("the least models with hidden states decode with an order that looks at them") {
  archetype whole;
  selective_archetype selective;
  const auto sampler = compose(by_hidden_state{}, draw::argmax{});
  const std::vector<std::size_t> from_the_right{2, 1, 0};
  CHECK(decode(whole, canvas::blank(3), sampler).step == from_the_right);
  CHECK(decode(selective, canvas::blank(3), sampler).step == from_the_right);
}
