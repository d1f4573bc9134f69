#include "lacuna/concepts/selective_model.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "lacuna/concepts/ragged_model.hpp"
#include "lacuna/draw/argmax.hpp"
#include "lacuna/order/left_to_right.hpp"
#include "lacuna/problems/permutation.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/testing/rungs.hpp"

using namespace lacuna;

namespace {

/// The least a selective model may be.
struct archetype {
  archetype() = default;
  archetype(const archetype&) = delete;
  archetype& operator=(const archetype&) = delete;
  unsigned vocabulary_size() const { return 3; }
  short mask_token() const { return 2; }
  void operator()(const token_batch&, std::span<const std::size_t> wanted, row_sink sink) {
    const float row[] = {0, 1, 0};
    for (std::size_t k = wanted.size(); k-- > 0;) sink(k, row);
  }
};

// ---- Accepted
static_assert(selective_model<archetype> && !masked_model<archetype>);
static_assert(decodable_model<archetype>);
static_assert(selective_model<testing::as_selective<problems::permutation>>);

template <class... Arguments>
struct taking {
  std::size_t vocabulary_size() const;
  token mask_token() const;
  int operator()(Arguments...);
};
static_assert(selective_model<taking<const token_batch&, std::span<const std::size_t>, row_sink>>, "any result is ignored");
static_assert(selective_model<taking<token_batch, std::span<const std::size_t>, const row_sink&>>);
static_assert(selective_model<taking<const token_batch&, std::span<const std::size_t>,
                                     const std::function<void(std::size_t, std::span<const float>)>&>>,
              "a sink is a callable like others");

struct on_both_rungs {
  std::size_t vocabulary_size() const;
  token mask_token() const;
  tensor<float, 3> operator()(const token_batch&);
  void operator()(const token_batch&, std::span<const std::size_t>, row_sink);
};
static_assert(selective_model<on_both_rungs> && masked_model<on_both_rungs>);

// ---- Rejected
static_assert(!selective_model<problems::permutation>, "a plain model");
static_assert(!selective_model<const archetype>, "its call changes it");
static_assert(!selective_model<taking<const token_batch&, std::span<const std::size_t>>>, "nowhere to put the rows");
static_assert(!selective_model<taking<const token_batch&, row_sink, std::span<const std::size_t>>>);
static_assert(!selective_model<taking<const token_batch&, std::span<std::size_t>, row_sink>>, "what is wanted is read only");
static_assert(!selective_model<taking<const token_batch&, std::vector<std::size_t>, row_sink>>);
static_assert(!selective_model<taking<const token_batch&, std::span<const int>, row_sink>>);

struct no_vocabulary {
  token mask_token() const;
  void operator()(const token_batch&, std::span<const std::size_t>, row_sink);
};
struct no_mask {
  std::size_t vocabulary_size() const;
  void operator()(const token_batch&, std::span<const std::size_t>, row_sink);
};
static_assert(!selective_model<no_vocabulary> && !selective_model<no_mask>);

}  // namespace

TEST_CASE("the least selective model decodes") {
  archetype model;
  const decode_result r = decode(model, canvas::blank(3), compose(order::left_to_right{}, draw::argmax{}));
  CHECK(r.tokens == std::vector<token>{1, 1, 1});
}
