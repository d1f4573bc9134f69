/// @file
/// @brief A model from a function of the row and the position: any behaviour in one line of a test.
///
/// ```cpp
/// // five tokens, the last is the mask; wherever it is asked it likes token 2
/// lacuna::testing::function_model likes_two{{.vocabulary = 5, .mask = 4},
///                                           [](auto row, std::size_t position, std::span<float> logits) { logits[2] = 3; }};
/// ```
/// The function gets the whole row of tokens, the position, and that position's logits [V], all 0, to write to. Optional facts
/// (forbidden tokens, end token, greatest length, shift) are fields of the first argument.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "lacuna/concepts/masked_model.hpp"
#include "lacuna/concepts/model_facts.hpp"

namespace lacuna::testing {

template <std::invocable<std::span<const token>, std::size_t, std::span<float>> F>
class function_model {
 public:
  function_model(model_facts facts, F f) : facts_{std::move(facts)}, f_{std::move(f)} {}

  [[nodiscard]] std::size_t vocabulary_size() const { return facts_.vocabulary; }
  [[nodiscard]] token mask_token() const { return facts_.mask; }
  [[nodiscard]] const std::vector<token>& forbidden_tokens() const { return facts_.forbidden; }
  [[nodiscard]] std::optional<token> end_token() const { return facts_.end; }
  [[nodiscard]] std::size_t max_length() const { return facts_.max_length.value_or(std::numeric_limits<std::size_t>::max()); }
  [[nodiscard]] std::size_t logits_shift() const { return facts_.logits_shift; }

  tensor<float, 3> operator()(const token_batch& x) {
    const std::size_t length = x.shape(1);
    tensor<float, 3> out({x.shape(0), length, facts_.vocabulary});
    std::fill(out.begin(), out.end(), 0.0F);
    for (std::size_t b = 0; b < x.shape(0); ++b)
      for (std::size_t i = 0; i < length; ++i)
        f_(std::span<const token>(x.data() + b * length, length), i,
           std::span<float>(out.data() + (b * length + i) * facts_.vocabulary, facts_.vocabulary));
    return out;
  }

 private:
  model_facts facts_;
  F f_;
};

}  // namespace lacuna::testing
