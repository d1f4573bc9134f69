// Models whose row at i - s scores position i.
#include <doctest/doctest.h>

#include <vector>

#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/policies.hpp"
#include "tests/sample/results.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

/// Row l of the output says token l.
template <class Model>
std::vector<token> said(std::size_t shift) {
  Model model;
  model.shift = shift;
  model.logits = [](std::span<const token>, std::size_t l, std::span<float> out) {
    std::fill(out.begin(), out.end(), 0.0F);
    out[l] = 3;
  };
  const std::vector<canvas> rows{canvas::blank(6), canvas::blank(4), canvas::blank(6)};
  const batch_result r = decode(model, std::span{rows}, compose(surest(2), draw::argmax{}), {});
  CHECK(r.rows[0].tokens == r.rows[2].tokens);
  CHECK(r.rows[1].tokens == std::vector<token>(r.rows[0].tokens.begin(), r.rows[0].tokens.begin() + 4));
  return r.rows[0].tokens;
}

/// The same network without a shift.
struct shifted_back : whole {
  shifted_back() {
    logits = [](std::span<const token> row, std::size_t l, std::span<float> out) { scrambled(row, l == 0 ? 0 : l - 1, out); };
  }
};

}  // namespace

TEST_CASE("row i - s scores position i, and row 0 the first s positions") {
  CHECK(said<whole>(0) == std::vector<token>{0, 1, 2, 3, 4, 5});
  CHECK(said<whole>(1) == std::vector<token>{0, 0, 1, 2, 3, 4});
  CHECK(said<selective>(1) == std::vector<token>{0, 0, 1, 2, 3, 4});
  CHECK(said<ragged>(1) == std::vector<token>{0, 0, 1, 2, 3, 4});
  CHECK(said<ragged_selective>(2) == std::vector<token>{0, 0, 0, 1, 2, 3});
}

TEST_CASE("a shifted model decodes as the same model without shift would") {
  const auto sampler = compose(order::random{pace::constant{2}}, draw::categorical{});
  shifted_back straight;
  const decode_result expected = decode(straight, canvas::blank(9), sampler, 4);
  whole a;
  a.shift = 1;
  selective b;
  b.shift = 1;
  CHECK(same(decode(a, canvas::blank(9), sampler, 4), expected));
  CHECK(same(decode(b, canvas::blank(9), sampler, 4), expected));
}
