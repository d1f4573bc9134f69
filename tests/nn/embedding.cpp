#include "lacuna/nn/embedding.hpp"

#include <vector>

#include <doctest/doctest.h>

#include "comparing.hpp"
#include "lacuna/nn/parameters.hpp"
#include "small_networks.hpp"

namespace {

using namespace lacuna;

}  // namespace

TEST_CASE("an embedding is the sum of the rows of token, position and features, and its gradient goes to just these") {
  nn::transformer_config c = small_networks::with_relation();
  c.positions = nn::positions::learned;
  nn::parameters p;
  const nn::transformer_layout layout = nn::transformer_layout::add_to(p, c);
  nn::fill_normal(p.values(), 1.0, 1, 1);
  const std::size_t d = c.width, position = 13;
  const token t = 5;
  std::vector<float> x(d), expected(d);
  nn::embed(c, layout, p.values().data(), t, position, x.data());
  const std::vector<std::size_t> rows{layout.token_embedding.offset + 5 * d, layout.position_embedding->offset + 13 * d,
                                      layout.feature_embeddings[0].offset + 4 * d, layout.feature_embeddings[1].offset + 1 * d};
  for (std::size_t i = 0; i < d; ++i)
    for (const std::size_t row : rows) expected[i] += p.values()[row + i];
  CHECK(comparing::difference(x, expected) < 1e-6);

  std::vector<float> gradient(p.values().size(), 0.5F), wanted = gradient;
  nn::embed_backward(c, layout, t, position, x.data(), gradient.data());
  for (const std::size_t row : rows)
    for (std::size_t i = 0; i < d; ++i) wanted[row + i] += x[i];
  CHECK(gradient == wanted);
}

TEST_CASE("the scores of a relation are the number of each pair's class, and gradients gather there") {
  const nn::transformer_config c = small_networks::with_relation();
  const std::size_t length = 7, stride = 32;
  const std::vector<float> numbers = comparing::numbers(c.heads * 3, 1);
  std::vector<float> table(c.heads * length * stride, 99.0F);
  const nn::attention_scores<float> scores{table.data(), length, stride};
  for (std::size_t h = 0; h < c.heads; ++h) nn::expand_relation(c, numbers.data(), length, h, scores);
  std::vector<float> ones(table.size(), 1.0F), counts(numbers.size());
  nn::expand_relation_backward(c, {ones.data(), length, stride}, length, counts.data());
  for (std::size_t h = 0; h < c.heads; ++h) {
    for (std::size_t q = 0; q < length; ++q)
      for (std::size_t k = 0; k < stride; ++k) {
        const std::size_t kind = q == k ? 2 : (q / 3 == k / 3 ? 1 : 0);
        CHECK(scores.at(h, q)[k] == (k < length ? numbers[h * 3 + kind] : 0.0F));
      }
    CHECK(counts[h * 3 + 2] == 7.0F);       // the diagonal
    CHECK(counts[h * 3 + 1] == 12.0F);      // two whole thirds of 3 x 3 less their diagonals, and one position alone
    CHECK(counts[h * 3] == 49.0F - 19.0F);  // the rest
  }
}
