/// @file
/// @brief A model inside another, whose facts show through: what the models that wrap a model are built on.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/core/token.hpp"

namespace lacuna::testing {

/// Holds a model and has its vocabulary, its mask and whichever optional facts it has, but not its call operators.
template <class M>
class wrapped {
 public:
  explicit wrapped(M model) : model_{std::move(model)} {}

  [[nodiscard]] std::size_t vocabulary_size() const { return model_.vocabulary_size(); }
  [[nodiscard]] token mask_token() const { return model_.mask_token(); }
  [[nodiscard]] decltype(auto) forbidden_tokens() const requires has_forbidden_tokens<M> { return model_.forbidden_tokens(); }
  [[nodiscard]] std::optional<token> end_token() const requires has_end_token<M> { return model_.end_token(); }
  [[nodiscard]] std::size_t max_length() const requires has_max_length<M> { return model_.max_length(); }
  [[nodiscard]] std::size_t logits_shift() const requires has_logits_shift<M> { return model_.logits_shift(); }

  /// The model inside.
  [[nodiscard]] M& model() { return model_; }
  [[nodiscard]] const M& model() const { return model_; }

 private:
  M model_;
};

}  // namespace lacuna::testing
