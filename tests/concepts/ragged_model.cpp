#include "lacuna/concepts/ragged_model.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "lacuna/draw/argmax.hpp"
#include "lacuna/order/left_to_right.hpp"
#include "lacuna/problems/permutation.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/testing/rungs.hpp"

using namespace lacuna;

namespace {

/// The least a ragged model may be.
struct archetype {
  archetype() = default;
  archetype(const archetype&) = delete;
  archetype& operator=(const archetype&) = delete;
  unsigned vocabulary_size() const { return 3; }
  short mask_token() const { return 2; }
  tensor<float, 2> operator()(ragged_batch x) {
    tensor<float, 2> out({x.tokens.size(), 3});
    for (std::size_t i = 0; i < x.tokens.size(); ++i) out(i, 0) = out(i, 2) = 0, out(i, 1) = 1;
    return out;
  }
};
/// The least a selective ragged model may be.
struct selective_archetype {
  unsigned vocabulary_size() const { return 3; }
  short mask_token() const { return 2; }
  void operator()(ragged_batch, std::span<const std::size_t> wanted, row_sink sink) {
    const float row[] = {0, 1, 0};
    for (std::size_t k = wanted.size(); k-- > 0;) sink(k, row);
  }
};

// ---- Accepted
static_assert(ragged_model<archetype> && !masked_model<archetype> && !selective_model<archetype>);
static_assert(ragged_model<selective_archetype> && !selective_model<selective_archetype>);
static_assert(ragged_model<testing::as_ragged<problems::permutation>>);
static_assert(ragged_model<testing::as_selective_ragged<problems::permutation>>);
static_assert(decodable_model<archetype> && decodable_model<selective_archetype>);

template <class Out, class In = const ragged_batch&>
struct returning {
  std::size_t vocabulary_size() const;
  token mask_token() const;
  Out operator()(In);
};
static_assert(ragged_model<returning<tensor_view<const float, 2>>>);
static_assert(ragged_model<returning<const tensor<float, 2>&>>);

// ---- Rejected
static_assert(!ragged_model<problems::permutation>, "a plain model");
static_assert(!ragged_model<testing::as_selective<problems::permutation>>, "a selective one");
static_assert(!ragged_model<returning<tensor<double, 2>>>);
static_assert(!ragged_model<returning<xt::xtensor<float, 2, xt::layout_type::column_major>>>);
static_assert(!ragged_model<returning<std::vector<std::vector<float>>>>);
static_assert(!ragged_model<returning<tensor<float, 2>, ragged_batch&>>, "a batch is read only");
static_assert(!ragged_model<const archetype>, "its call changes it");
static_assert(!decodable_model<int>);

struct no_mask {
  std::size_t vocabulary_size() const;
  tensor<float, 2> operator()(const ragged_batch&);
};
struct no_vocabulary {
  token mask_token() const;
  tensor<float, 2> operator()(const ragged_batch&);
};
static_assert(!ragged_model<no_mask> && !ragged_model<no_vocabulary>);

}  // namespace

TEST_CASE("the least ragged models decode rows of different lengths") {
  const std::vector<canvas> starts{canvas::blank(1), canvas::blank(3)};
  archetype whole;
  selective_archetype selective;
  const auto sampler = compose(order::left_to_right{}, draw::argmax{});
  CHECK(decode(whole, std::span<const canvas>(starts), sampler).rows[1].tokens == std::vector<token>{1, 1, 1});
  CHECK(decode(selective, std::span<const canvas>(starts), sampler).rows[0].tokens == std::vector<token>{1});
}
