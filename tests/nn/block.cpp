#include "lacuna/nn/block.hpp"

#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include "comparing.hpp"
#include "lacuna/nn/parameters.hpp"
#include "lacuna/nn/reference.hpp"
#include "lacuna/nn/training_memory.hpp"
#include "small_networks.hpp"

namespace {

using namespace lacuna;
using comparing::exact;
using comparing::numbers;
namespace plain = nn::reference;

}  // namespace

TEST_CASE("one block over packed rows equals its parts in plain loops, forward and back to its input") {
  nn::transformer_config c = small_networks::plain();
  c.depth = 1;
  c.positions = nn::positions::rotary;
  nn::parameters p;
  const nn::transformer_layout layout = nn::transformer_layout::add_to(p, c);
  nn::fill_normal(p.values(), 0.3, 1, 1);
  const nn::block_layout& b = layout.blocks[0];
  const std::vector<std::size_t> offsets{0, 9, 10, 31};
  const std::size_t tokens = 31, d = c.width, f = c.feed_forward;
  const std::vector<float> x = numbers(tokens * d, 2), dy = numbers(tokens * d, 3);

  nn::training_memory memory;
  memory.lay_out(c, offsets, 1, 1, 1);
  const nn::block_record& record = memory.records[0];
  std::copy(x.begin(), x.end(), record.x);
  const nn::rotary_table rotary{c.max_length, c.head_width(), c.rotary_base};
  const nn::block_tensors<const float> tensors{b, p.values().data()};
  nn::block_forward(c, tensors, offsets, {}, &rotary, record, memory.last);

  nn::buffer room;
  nn::pieces pieces{room.reserve(8 * d * d + 2 * d * f + 64)};
  const nn::block_transposes transposed{pieces.take(3 * d * d), pieces.take(d * d), pieces.take(d * f), pieces.take(d * f)};
  nn::transpose_block(c, tensors, transposed);
  std::copy(dy.begin(), dy.end(), memory.dx);
  std::vector<float> gradient(p.values().size());
  nn::block_backward(c, tensors, transposed, offsets, &rotary, record, memory.scratch, memory.dx, {b, gradient.data()}, {});

  const std::vector<double> w = exact({p.values().begin(), p.values().end()});
  std::vector<double> dw(w.size()), y, dx;
  const auto at = [&](const nn::parameter& q) { return w.data() + q.offset; };
  const auto into = [&](const nn::parameter& q) { return dw.data() + q.offset; };
  const double epsilon = static_cast<double>(c.norm_epsilon);
  for (std::size_t row = 0; row < 3; ++row) {
    const std::size_t n = offsets[row + 1] - offsets[row];
    const auto of_row = [&](const std::vector<float>& all) {
      return exact({all.begin() + static_cast<std::ptrdiff_t>(offsets[row] * d),
                    all.begin() + static_cast<std::ptrdiff_t>(offsets[row + 1] * d)});
    };
    const auto add = [&](std::vector<double> a, const std::vector<double>& more) {
      for (std::size_t i = 0; i < a.size(); ++i) a[i] += more[i];
      return a;
    };
    const std::vector<double> in = of_row(x);
    const std::vector<double> h1 = plain::norm(n, d, in, at(b.norm1_weight), at(b.norm1_bias), epsilon);
    std::vector<double> qkv = plain::linear(n, d, 3 * d, h1, at(b.qkv_weight), at(b.qkv_bias)), weights;
    plain::rotate(c, n, 1.0, qkv);
    const std::vector<double> attended = plain::attention(c, n, qkv, static_cast<const double*>(nullptr), weights);
    const std::vector<double> middle = add(plain::linear(n, d, d, attended, at(b.out_weight), at(b.out_bias)), in);
    const std::vector<double> h2 = plain::norm(n, d, middle, at(b.norm2_weight), at(b.norm2_bias), epsilon);
    const std::vector<double> u = plain::linear(n, d, f, h2, at(b.up_weight), at(b.up_bias));
    const std::vector<double> g = plain::activate(c.activation, n, f, u);
    const std::vector<double> out = add(plain::linear(n, f, d, g, at(b.down_weight), at(b.down_bias)), middle);
    y.insert(y.end(), out.begin(), out.end());

    std::vector<double> back = of_row(dy);
    const std::vector<double> dg =
        plain::linear_backward(n, f, d, g, at(b.down_weight), back, into(b.down_weight), into(b.down_bias));
    const std::vector<double> du = plain::activate_backward(c.activation, n, f, u, dg);
    const std::vector<double> dh2 =
        plain::linear_backward(n, d, f, h2, at(b.up_weight), du, into(b.up_weight), into(b.up_bias));
    back = add(back, plain::norm_backward(n, d, middle, at(b.norm2_weight), true, epsilon, dh2, into(b.norm2_weight),
                                          into(b.norm2_bias)));
    const std::vector<double> dattended =
        plain::linear_backward(n, d, d, attended, at(b.out_weight), back, into(b.out_weight), into(b.out_bias));
    std::vector<double> dqkv = plain::attention_backward(c, n, qkv, weights, dattended, static_cast<double*>(nullptr));
    plain::rotate(c, n, -1.0, dqkv);
    const std::vector<double> dh1 =
        plain::linear_backward(n, d, 3 * d, h1, at(b.qkv_weight), dqkv, into(b.qkv_weight), into(b.qkv_bias));
    back = add(
        back, plain::norm_backward(n, d, in, at(b.norm1_weight), true, epsilon, dh1, into(b.norm1_weight), into(b.norm1_bias)));
    dx.insert(dx.end(), back.begin(), back.end());
  }
  CHECK(comparing::difference(std::vector<float>(memory.last, memory.last + tokens * d), y) < 1e-5);
  CHECK(comparing::difference(std::vector<float>(memory.dx, memory.dx + tokens * d), dx) < 1e-5);
  CHECK(comparing::difference(gradient, dw) < 1e-5);
}
