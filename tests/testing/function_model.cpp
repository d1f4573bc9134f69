#include "lacuna/testing/function_model.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <vector>

using namespace lacuna;
using testing::function_model;

TEST_CASE("the function is asked for every position of every row, with the whole row and logits of zero") {
  function_model model{{.vocabulary = 4, .mask = 3}, [](std::span<const token> row, std::size_t i, std::span<float> logits) {
                         CHECK(logits.size() == 4);
                         for (const float v : logits) CHECK(v == 0);
                         logits[1] = static_cast<float>(row[i]);
                         logits[2] = static_cast<float>(i);
                       }};
  const std::vector<token> x{3, 0, 2, 1};
  const auto out = model(view_as_tensor<const token, 2>(x.data(), {2, 2}));
  static_assert(masked_model<decltype(model)>);
  for (std::size_t b = 0; b < 2; ++b)
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(out(b, i, 0) == 0);
      CHECK(out(b, i, 1) == static_cast<float>(x[b * 2 + i]));
      CHECK(out(b, i, 2) == static_cast<float>(i));
    }
}

TEST_CASE("facts given are facts told") {
  const auto nothing = [](std::span<const token>, std::size_t, std::span<float>) {};
  const function_model model{{.vocabulary = 6, .mask = 5, .forbidden = {4}, .end = 3, .max_length = 9, .logits_shift = 1},
                             nothing};
  const model_facts f = facts_of(model);
  CHECK(f.vocabulary == 6);
  CHECK(f.mask == 5);
  CHECK(f.forbidden == std::vector<token>{4, 5});
  CHECK(f.end == 3);
  CHECK(f.max_length == 9);
  CHECK(f.logits_shift == 1);
  const model_facts plain = facts_of(function_model{{.vocabulary = 2, .mask = 0}, nothing});
  CHECK_FALSE(plain.end.has_value());
  CHECK(plain.max_length == std::numeric_limits<std::size_t>::max());
}
