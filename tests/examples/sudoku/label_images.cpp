#include "../../../examples/sudoku/label_images.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"

namespace {

using namespace sudoku;
using lacuna::train::labelled_context;

/// Blanks at random, some of them probed; the number about a pair of cells is told by the pair.
labelled_context some_context(lacuna::random_stream& random) {
  labelled_context c;
  for (std::size_t cell = 0; cell < cell_count; ++cell)
    c.tokens.push_back(random.bernoulli(0.5) ? labelled_context::masked : static_cast<lacuna::token>(1 + random.below(9)));
  const std::vector<std::size_t> masked = c.masked_positions();
  for (const std::size_t cell : masked)
    if (random.bernoulli(0.3)) {
      c.probed.push_back(cell);
      for (const std::size_t about : masked) c.information.push_back(static_cast<float>(100 * cell + about));
    }
  return c;
}

TEST_CASE("an image of labels says of a pair of cells what the original says of those they come from") {
  lacuna::random_stream random{3, lacuna::stream_use::other};
  for (int round = 0; round < 20; ++round) {
    const labelled_context original = some_context(random);
    const symmetry s = random_symmetry(random);
    const labelled_context image = image_of(original, s);
    REQUIRE(image.tokens.size() == cell_count);
    for (std::size_t cell = 0; cell < cell_count; ++cell) {
      const lacuna::token t = original.tokens[s.from[cell]];
      CHECK(image.tokens[cell] == (t == labelled_context::masked ? t : s.digit[static_cast<std::size_t>(t)]));
    }
    CHECK(image.probed.size() == original.probed.size());
    CHECK(std::is_sorted(image.probed.begin(), image.probed.end()));
    const std::vector<std::size_t> masked = image.masked_positions();
    REQUIRE(image.information.size() == image.probed.size() * masked.size());
    for (std::size_t k = 0; k < image.probed.size(); ++k)
      for (std::size_t b = 0; b < masked.size(); ++b)
        CHECK(image.information[k * masked.size() + b] ==
              static_cast<float>(100 * s.from[image.probed[k]] + s.from[masked[b]]));
  }
}

TEST_CASE("what is no grid has no image") {
  lacuna::random_stream random{4, lacuna::stream_use::other};
  labelled_context shorter = some_context(random);
  shorter.tokens.pop_back();
  CHECK_THROWS_WITH_AS(image_of(shorter, random_symmetry(random)), "image of a labelled context of 80 tokens, expected 81",
                       lacuna::invalid_argument);
}

}  // namespace
