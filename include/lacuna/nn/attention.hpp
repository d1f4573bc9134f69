/// @file
/// @brief Softmax attention of one row, forward and backward.
///
/// Shapes, for one row of length L: queries, keys, values, out [L, D], head h in the columns [h E, (h + 1) E) with E = D / H;
/// probabilities [H, L, P], P = L rounded up to a packet, zeros behind L; scores to add (learned per relation of two positions)
/// [H, L, S], S >= P.  probability = softmax over keys of (q . k / sqrt(E) + score).
///
/// A query's result depends on its own row only. Cost per row 4 L^2 D operations forward, 8 L^2 D backward.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "lacuna/nn/matmul.hpp"
#include "lacuna/nn/simd.hpp"

namespace lacuna::nn {

struct attention_shape {
  std::size_t heads;
  std::size_t head_width;  ///< E
  [[nodiscard]] float scale() const { return 1.0F / std::sqrt(static_cast<float>(head_width)); }
};

/// Where a row's queries, keys and values begin; often three column ranges of one matrix.
struct attention_inputs {
  const_matrix queries, keys, values;
};

/// Scores added before the softmax: `data[(h * rows + query) * stride + key]`; null for none.
template <class Float>
struct attention_scores {
  Float* data = nullptr;
  std::size_t rows = 0;
  std::size_t stride = 0;
  [[nodiscard]] Float* at(std::size_t head, std::size_t query) const { return data + (head * rows + query) * stride; }
};

/// Softmax over rows of n scores that lie in whole packets; what is behind the n-th comes out as 0.
class row_softmax {
 public:
  row_softmax(std::size_t n, float scale)
      : end_{simd::padded(n)},
        scale_{simd::fill(scale)},
        keep_{simd::first_entries(n + simd::width - end_, 1.0F, 0.0F)},
        lower_{simd::first_entries(n + simd::width - end_, 0.0F, -std::numeric_limits<float>::max())} {}

  /// s = softmax(scale s + extra); `extra` may be null.
  void operator()(const float* extra, float* s) const {
    const std::size_t last = end_ - simd::width;
    simd::packet top = simd::fill(-std::numeric_limits<float>::max());
    for (std::size_t i = 0; i < end_; i += simd::width) {
      simd::packet v = simd::load(s + i);
      v = extra != nullptr ? simd::multiply_add(v, scale_, simd::load(extra + i)) : simd::multiply(v, scale_);
      if (i == last) v = simd::add(simd::multiply(v, keep_), lower_);
      simd::store(s + i, v);
      top = simd::larger(top, v);
    }
    const simd::packet shift = simd::fill(simd::largest(top));
    simd::packet total = simd::fill(0.0F);
    for (std::size_t i = 0; i < end_; i += simd::width) {
      simd::packet v = simd::exponential(simd::subtract(simd::load(s + i), shift));
      if (i == last) v = simd::multiply(v, keep_);
      simd::store(s + i, v);
      total = simd::add(total, v);
    }
    const simd::packet share = simd::fill(1.0F / simd::sum(total));
    for (std::size_t i = 0; i < end_; i += simd::width) simd::store(s + i, simd::multiply(simd::load(s + i), share));
  }

 private:
  std::size_t end_;
  simd::packet scale_, keep_, lower_;
};

/// The keys that a query of a row sees: all of them, or those up to its own, the others having a probability of exactly 0.
enum class key_range { all, up_to_own };

/// `in.queries` and `out` begin with the query of key `first`, and there are `queries` of them, in a row of `length` keys. The
/// probabilities of head h and the q-th of them are left at `probabilities + h * head_stride + q * simd::padded(length)`; with
/// a head_stride of 0 they are mere scratch. A query that sees the keys up to its own has the same result bitwise whatever keys
/// there are behind and however the queries are split into calls; keys behind the last query's are then not looked at, so that
/// few queries a call save work.
template <key_range Keys>
void attend(const attention_shape& shape, std::size_t length, std::size_t first, std::size_t queries,
            const attention_inputs& in, attention_scores<const float> scores, float* probabilities, std::size_t head_stride,
            matrix out) {
  const std::size_t e = shape.head_width;
  const std::size_t stride = simd::padded(length);
  const std::size_t keys = Keys == key_range::all ? length : first + queries;
  if (queries == 0) return;
  [[maybe_unused]] const row_softmax softmax{length, shape.scale()};
  for (std::size_t h = 0; h < shape.heads; ++h) {
    float* p = probabilities + h * head_stride;
    product<operand::plain, operand::transposed, tail::padded>(queries, keys, e, {in.queries.data + h * e, in.queries.stride},
                                                               {in.keys.data + h * e, in.keys.stride}, {p, stride});
    for (std::size_t q = 0; q < queries; ++q) {
      const float* extra = scores.data == nullptr ? nullptr : scores.at(h, first + q);
      if constexpr (Keys == key_range::all) {
        softmax(extra, p + q * stride);
      } else {
        const std::size_t seen = first + q + 1;
        row_softmax{seen, shape.scale()}(extra, p + q * stride);
        std::fill(p + q * stride + simd::padded(seen), p + (q + 1) * stride, 0.0F);
      }
    }
    product(queries, e, keys, {p, stride}, {in.values.data + h * e, in.values.stride}, {out.data + h * e, out.stride});
  }
}

/// The same for the queries [first, last) of a row whose queries and results are all at hand: out[q] from query q.
template <key_range Keys = key_range::all>
void attention_forward(const attention_shape& shape, std::size_t length, std::size_t first, std::size_t last,
                       const attention_inputs& in, attention_scores<const float> scores, float* probabilities,
                       std::size_t head_stride, matrix out) {
  attend<Keys>(shape, length, first, last - first,
               {{in.queries.data + first * in.queries.stride, in.queries.stride}, in.keys, in.values}, scores, probabilities,
               head_stride, {out.data + first * out.stride, out.stride});
}

/// The gradients of queries, keys and values (overwritten) and of the scores (accumulated, if any) from that of `out`, for the
/// last `queries` queries of a row of `length` keys: `in.queries`, `probabilities` of a head, `dout` and `dqueries` begin with
/// the first of them. Scores are for whole rows. `scratch` holds queries * simd::padded(length) floats.
inline void attention_backward(const attention_shape& shape, std::size_t h, std::size_t queries, std::size_t length,
                               const attention_inputs& in, const float* probabilities, const_matrix dout, matrix dqueries,
                               matrix dkeys, matrix dvalues, attention_scores<float> dscores, float* scratch) {
  const std::size_t e = shape.head_width;
  const std::size_t stride = simd::padded(length);
  const simd::packet scale = simd::fill(shape.scale());
  const float* p = probabilities + h * length * stride;
  const const_matrix dhead{dout.data + h * e, dout.stride};
  product<operand::transposed, operand::plain>(length, e, queries, {p, stride}, dhead, {dvalues.data + h * e, dvalues.stride});
  product<operand::plain, operand::transposed, tail::padded>(queries, length, e, dhead,
                                                             {in.values.data + h * e, in.values.stride}, {scratch, stride});
  for (std::size_t q = 0; q < queries; ++q) {
    float* ds = scratch + q * stride;
    const float* pq = p + q * stride;
    const float mean = simd::sum_of(
        stride, [](const auto& a, const auto& b) { return simd::multiply(a, b); }, pq, ds);
    const simd::packet shift = simd::fill(mean);
    if (dscores.data != nullptr) {
      float* total = dscores.at(h, q);
      for (std::size_t i = 0; i < stride; i += simd::width) {
        const simd::packet d = simd::multiply(simd::load(pq + i), simd::subtract(simd::load(ds + i), shift));
        simd::store(total + i, simd::add(simd::load(total + i), d));
        simd::store(ds + i, simd::multiply(d, scale));
      }
    } else {
      for (std::size_t i = 0; i < stride; i += simd::width) {
        const simd::packet d = simd::multiply(simd::load(pq + i), simd::subtract(simd::load(ds + i), shift));
        simd::store(ds + i, simd::multiply(d, scale));
      }
    }
  }
  product(queries, e, length, {scratch, stride}, {in.keys.data + h * e, in.keys.stride},
          {dqueries.data + h * e, dqueries.stride});
  product<operand::transposed, operand::plain>(
      length, e, queries, {scratch, stride}, {in.queries.data + h * e, in.queries.stride}, {dkeys.data + h * e, dkeys.stride});
}

}  // namespace lacuna::nn
