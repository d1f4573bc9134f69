/// @file
/// @brief The last norm and the output projection, with several threads.
///
/// Shapes: hidden [N, D], logits [N, V]. A row's numbers do not depend on what is read out beside it.
#pragma once

#include <algorithm>
#include <cstddef>

#include "lacuna/nn/config.hpp"
#include "lacuna/nn/head.hpp"
#include "lacuna/nn/layout.hpp"
#include "lacuna/nn/norm.hpp"
#include "lacuna/nn/threads.hpp"

namespace lacuna::nn {

/// Rows of logits to hold at a time where only some positions are wanted: a million numbers.
inline std::size_t read_out_tile(std::size_t vocabulary) {
  return std::clamp<std::size_t>((std::size_t{1} << 20U) / vocabulary, 1, 256);
}

/// hidden[k] = the last norm of the D numbers at x_of(k), and the logits of each, for `count` rows.
template <class XOf>
void read_out(const transformer_config& c, const transformer_layout& layout, const float* values, thread_team& team,
              std::size_t count, const XOf& x_of, float* hidden, float* logits) {
  const std::size_t d = c.width;
  const std::size_t threads = team.size();
  const float* norm_bias = layout.norm_bias.size == 0 ? nullptr : values + layout.norm_bias.offset;
  // Many rows are split between the threads by rows; few rows of a large vocabulary by columns.
  const bool by_columns = c.vocabulary >= 1024;
  team.run([&](std::size_t i) {
    const share mine{i, threads};
    const std::size_t begin = mine.begin(count);
    const std::size_t end = mine.end(count);
    for (std::size_t k = begin; k < end; ++k)
      norm_forward(1, d, x_of(k), values + layout.norm_weight.offset, norm_bias, c.norm_epsilon, hidden + k * d, nullptr);
    if (by_columns) {
      team.meet();
      const auto boundary = [&](std::size_t t) { return t == threads ? c.vocabulary : c.vocabulary * t / threads / 64 * 64; };
      head_forward(c, layout, values, count, hidden, logits, boundary(i), boundary(i + 1));
    } else {
      head_forward(c, layout, values, end - begin, hidden + begin * d, logits + begin * c.vocabulary, 0, c.vocabulary);
    }
  });
}

}  // namespace lacuna::nn
