#include "lacuna/nn/causal_block.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include "comparing.hpp"
#include "lacuna/nn/buffer.hpp"
#include "lacuna/nn/layout.hpp"
#include "lacuna/nn/parameters.hpp"
#include "lacuna/nn/reference_block.hpp"
#include "lacuna/nn/training_memory.hpp"
#include "small_networks.hpp"

namespace {

using namespace lacuna;
namespace plain = nn::reference;
using doubles = std::vector<double>;

nn::transformer_config one_block(nn::activation activation) {
  nn::transformer_config c = small_networks::plain();
  c.depth = 1;
  c.max_length = 60;
  c.activation = activation;
  return c;
}

/// Scores of minus infinity for later keys.
nn::transformer_config with_later_keys_apart(nn::transformer_config c, std::size_t length) {
  c.max_length = length;
  c.relation.emplace();
  c.relation->count = 2;
  for (std::size_t q = 0; q < length; ++q)
    for (std::size_t k = 0; k < length; ++k) c.relation->ids.push_back(k > q ? 1U : 0U);
  return c;
}

}  // namespace

TEST_CASE("a causal block and its gradient are those of the plain loops at the wanted tracks of each row") {
  for (const nn::activation activation : {nn::activation::gelu, nn::activation::swiglu}) {
    CAPTURE(activation);
    const nn::transformer_config c = one_block(activation);
    const std::size_t d = c.width;
    nn::parameters p;
    const nn::block_layout b = nn::block_layout::add_to(p, "", c);
    const std::vector<float> start = comparing::numbers(p.values().size(), 1, 0.2);
    std::copy(start.begin(), start.end(), p.values().begin());
    const doubles weights = comparing::exact(start);

    // The second row is longer than a tile of queries; of the third one track is wanted, of the fourth all.
    const std::vector<std::size_t> offsets{0, 7, 67, 72, 76}, wanted{0, 4, 58, 59, 63};
    const std::size_t tracks = 76;
    const std::size_t count = 63;
    const std::vector<float> x = comparing::numbers(tracks * d, 2);
    const std::vector<float> dy = comparing::numbers(count * d, 3);
    std::vector<std::size_t> queries, keys;
    for (std::size_t t = 0; t < tracks; ++t) {
      queries.push_back(t * 7 % 60);
      keys.push_back(t * 11 % 60);
    }
    const nn::rotary_table table{c.max_length, c.head_width(), c.rotary_base};
    const nn::rotation turning{table, queries.data(), keys.data()};

    nn::training_memory memory;
    memory.lay_out(c, offsets, 1, 1, 1);
    const nn::block_record& record = memory.records[0];
    std::copy(x.begin(), x.end(), record.x);
    nn::buffer transposed;
    float* t = transposed.reserve(3 * d * d + d * d + d * c.up_width() + c.feed_forward * d);
    const nn::block_transposes transposes{t, t + 3 * d * d, t + 4 * d * d, t + 4 * d * d + d * c.up_width()};
    const nn::block_tensors<const float> tensors{b, p.values().data()};
    nn::transpose_block(c, tensors, transposes);
    std::vector<float> y(count * d), back = dy, dx(tracks * d, 5.0F), gradient(p.values().size());
    const nn::track_rows rows{offsets, wanted};
    nn::causal_block_forward(c, tensors, rows, turning, record, y.data());
    nn::causal_block_backward(c, tensors, transposes, rows, turning, record, memory.scratch, back.data(), dx.data(),
                              {b, gradient.data()});

    doubles expected_y, expected_dx, expected_gradient(gradient.size());
    for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
      const std::size_t n = offsets[row + 1] - offsets[row];
      const std::size_t first = n - (wanted[row + 1] - wanted[row]);
      const nn::transformer_config masked = with_later_keys_apart(c, n);
      doubles scores;
      for (std::size_t h = 0; h < c.heads; ++h) scores.insert(scores.end(), {0.0, -HUGE_VAL});
      const auto turn = [&](double direction, doubles& qkv) {
        for (std::size_t k = 0; k < n; ++k) {
          plain::rotate_heads(c, queries[offsets[row] + k], direction, qkv.data() + k * 3 * d);
          plain::rotate_heads(c, keys[offsets[row] + k], direction, qkv.data() + k * 3 * d + d);
        }
      };
      plain::block_kept<double> kept;
      const doubles in(x.begin() + static_cast<std::ptrdiff_t>(offsets[row] * d),
                       x.begin() + static_cast<std::ptrdiff_t>(offsets[row + 1] * d));
      const doubles out = plain::block(
          c, b, weights.data(), in,
          [&](doubles& qkv, doubles& probabilities) {
            turn(1, qkv);
            return plain::attention(masked, n, qkv, scores.data(), probabilities);
          },
          kept);
      expected_y.insert(expected_y.end(), out.begin() + static_cast<std::ptrdiff_t>(first * d), out.end());
      doubles grad(n * d);
      std::copy(dy.begin() + static_cast<std::ptrdiff_t>(wanted[row] * d),
                dy.begin() + static_cast<std::ptrdiff_t>(wanted[row + 1] * d),
                grad.begin() + static_cast<std::ptrdiff_t>(first * d));
      plain::block_backward(
          c, b, weights.data(), kept,
          [&](const doubles& qkv, const doubles& probabilities, const doubles& dattended) {
            doubles dqkv = plain::attention_backward(masked, n, qkv, probabilities, dattended, static_cast<double*>(nullptr));
            turn(-1, dqkv);
            return dqkv;
          },
          grad, expected_gradient.data());
      expected_dx.insert(expected_dx.end(), grad.begin(), grad.end());
    }
    CHECK(comparing::difference(y, expected_y) < 1e-5);
    CHECK(comparing::difference(dx, expected_dx) < 1e-5);
    CHECK(comparing::difference(gradient, expected_gradient) < 1e-5);
  }
}
