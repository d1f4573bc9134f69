/// @file
/// @brief A model of any rung, asked in one way, with everything it answers written down: the instrument of check_laws.
#pragma once

#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "lacuna/concepts/hidden_state_model.hpp"
#include "lacuna/concepts/masked_model.hpp"
#include "lacuna/concepts/ragged_model.hpp"
#include "lacuna/concepts/selective_model.hpp"
#include "lacuna/core/shape_text.hpp"

namespace lacuna::testing {

/// Rows of tokens for one call.
using token_rows = std::vector<std::vector<token>>;

/// What came back for n positions: `values` [n, width], NaN where nothing was delivered.
struct answer {
  std::size_t width = 0;
  std::vector<float> values;
  std::vector<std::size_t> deliveries;  ///< [n] how often each came
  std::string wrong_shape;              ///< got and expected, or empty
  std::string wrong_delivery;           ///< the first position delivered not exactly once, or empty

  [[nodiscard]] std::span<const float> row(std::size_t k) const {
    return std::span<const float>(values).subspan(k * width, width);
  }
};

/// Calls a model and writes down what it answers. Rows of one call have equal lengths unless the call is ragged; `wanted`
/// indexes the concatenated rows.
template <class M>
class examined {
 public:
  examined(M& model, std::size_t vocabulary) : model_{model}, vocabulary_{vocabulary} {}

  static constexpr bool any_selective = selective_model<M> || selects_from_ragged_batches<M> || selects_hidden<M>;

  /// All rows of all positions, by the plainest call the model has.
  answer all(const token_rows& rows) {
    std::vector<std::size_t> everything(total(rows));
    std::iota(everything.begin(), everything.end(), std::size_t{0});
    if constexpr (scores_batches<M>)
      return whole(rows);
    else if constexpr (selective_model<M>)
      return selected(rows, everything);
    else if constexpr (scores_ragged_batches<M>)
      return ragged(rows);
    else
      return ragged_selected(rows, everything);
  }

  answer whole(const token_rows& rows) requires scores_batches<M> {
    const std::vector<token> tokens = packed(rows);
    const auto& out = model_(batch(tokens, rows));
    return written(out, {rows.size(), rows[0].size(), vocabulary_}, "logits");
  }
  answer selected(const token_rows& rows, std::span<const std::size_t> wanted) requires selective_model<M> {
    const std::vector<token> tokens = packed(rows);
    return delivered(wanted.size(), vocabulary_, [&](row_sink sink) { model_(batch(tokens, rows), wanted, sink); });
  }
  answer ragged(const token_rows& rows) requires scores_ragged_batches<M> {
    const std::vector<token> tokens = packed(rows);
    const std::vector<std::size_t> offsets = ends(rows);
    const auto& out = model_(ragged_batch{tokens, offsets});
    return written(out, {tokens.size(), vocabulary_}, "logits");
  }
  answer ragged_selected(const token_rows& rows, std::span<const std::size_t> wanted) requires selects_from_ragged_batches<M> {
    const std::vector<token> tokens = packed(rows);
    const std::vector<std::size_t> offsets = ends(rows);
    return delivered(wanted.size(), vocabulary_, [&](row_sink sink) { model_(ragged_batch{tokens, offsets}, wanted, sink); });
  }

  struct both {
    answer logits;
    answer hidden;
  };
  both hidden_whole(const token_rows& rows) requires has_hidden_size<M> && returns_hidden<M> {
    const std::vector<token> tokens = packed(rows);
    const auto& out = model_.with_hidden(batch(tokens, rows));
    return {written(out.logits, {rows.size(), rows[0].size(), vocabulary_}, "logits"),
            written(out.hidden, {rows.size(), rows[0].size(), width()}, "hidden states")};
  }
  both hidden_selected(const token_rows& rows,
                       std::span<const std::size_t> wanted) requires has_hidden_size<M> && selects_hidden<M> {
    const std::vector<token> tokens = packed(rows);
    both out;
    out.logits = delivered(wanted.size(), vocabulary_, [&](row_sink logits) {
      out.hidden = delivered(wanted.size(), width(),
                             [&](row_sink hidden) { model_.with_hidden(batch(tokens, rows), wanted, logits, hidden); });
    });
    return out;
  }

 private:
  [[nodiscard]] std::size_t width() const { return static_cast<std::size_t>(model_.hidden_size()); }

  static std::size_t total(const token_rows& rows) {
    std::size_t n = 0;
    for (const auto& row : rows) n += row.size();
    return n;
  }
  static std::vector<token> packed(const token_rows& rows) {
    std::vector<token> tokens;
    for (const auto& row : rows) tokens.insert(tokens.end(), row.begin(), row.end());
    return tokens;
  }
  static std::vector<std::size_t> ends(const token_rows& rows) {
    std::vector<std::size_t> offsets{0};
    for (const auto& row : rows) offsets.push_back(offsets.back() + row.size());
    return offsets;
  }
  static token_batch batch(const std::vector<token>& tokens, const token_rows& rows) {
    return view_as_tensor<const token, 2>(tokens.data(), {rows.size(), rows[0].size()});
  }

  template <class Tensor>
  static answer written(const Tensor& out, std::vector<std::size_t> expected, const std::string& what) {
    answer a;
    std::vector<std::size_t> got;
    for (std::size_t i = 0; i < out.shape().size(); ++i) got.push_back(static_cast<std::size_t>(out.shape()[i]));
    if (got != expected) {
      a.wrong_shape = what + " of shape " + shape_text(got) + ", expected " + shape_text(expected);
      return a;
    }
    a.width = expected.back();
    std::size_t size = 1;
    for (const std::size_t extent : expected) size *= extent;
    a.values.assign(out.data(), out.data() + size);
    a.deliveries.assign(a.width == 0 ? 0 : size / a.width, 1);
    return a;
  }

  template <class Call>
  static answer delivered(std::size_t n, std::size_t width, Call call) {
    answer a;
    a.width = width;
    a.values.assign(n * width, std::numeric_limits<float>::quiet_NaN());
    a.deliveries.assign(n, 0);
    const auto take = [&](std::size_t k, std::span<const float> row) {
      if (k >= n) {
        a.wrong_delivery = "row " + std::to_string(k) + " was delivered, but only " + std::to_string(n) + " were wanted";
      } else if (row.size() != width) {
        a.wrong_shape = "a row of " + std::to_string(row.size()) + " numbers, expected " + std::to_string(width);
        ++a.deliveries[k];
      } else {
        ++a.deliveries[k];
        std::copy(row.begin(), row.end(), a.values.begin() + static_cast<std::ptrdiff_t>(k * width));
      }
    };
    call(row_sink{take});
    for (std::size_t k = 0; k < n && a.wrong_delivery.empty(); ++k)
      if (a.deliveries[k] != 1)
        a.wrong_delivery = "row " + std::to_string(k) + " of " + std::to_string(n) + " wanted was delivered " +
                           std::to_string(a.deliveries[k]) + " times, expected once";
    return a;
  }

  M& model_;
  std::size_t vocabulary_;
};

}  // namespace lacuna::testing
