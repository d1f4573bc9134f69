/// @file
/// @brief More contexts from labelled ones: symmetric images of them with the same labels.
///
/// What one blank cell tells about another is the same in an image for a network that treats symmetric grids alike. One that
/// was trained on random images does so nearly, and an image costs one pass, where its labels cost dozens.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "grid.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/token.hpp"
#include "lacuna/train/labelled_context.hpp"
#include "symmetry.hpp"

namespace sudoku {

/// The image of a labelled grid. Throws lacuna::invalid_argument for a context that is no grid.
inline lacuna::train::labelled_context image_of(const lacuna::train::labelled_context& context, const symmetry& s) {
  using lacuna::train::labelled_context;
  if (context.tokens.size() != cell_count)
    throw lacuna::invalid_argument("image of a labelled context of " + std::to_string(context.tokens.size()) +
                                   " tokens, expected " + std::to_string(cell_count));
  labelled_context image;
  std::vector<std::size_t> number(cell_count, 0);  // of a blank cell of the original
  const std::vector<std::size_t> masked = context.masked_positions();
  for (std::size_t k = 0; k < masked.size(); ++k) number[masked[k]] = k;
  std::vector<std::size_t> from;  // the original's number of each blank of the image
  for (std::size_t cell = 0; cell < cell_count; ++cell) {
    const lacuna::token t = context.tokens[s.from[cell]];
    image.tokens.push_back(t == labelled_context::masked ? t : s.digit[static_cast<std::size_t>(t)]);
    if (t == labelled_context::masked) from.push_back(number[s.from[cell]]);
  }
  for (std::size_t cell = 0; cell < cell_count; ++cell) {
    const auto at = std::lower_bound(context.probed.begin(), context.probed.end(), s.from[cell]);
    if (at == context.probed.end() || *at != s.from[cell]) continue;
    const auto row = static_cast<std::size_t>(at - context.probed.begin());
    image.probed.push_back(cell);
    for (const std::size_t k : from) image.information.push_back(context.information[row * masked.size() + k]);
  }
  return image;
}

}  // namespace sudoku
