/// @file
/// @brief training_batch: owns the examples of a step while they are filled in; train/batch_builder.hpp is that of tokens.
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

namespace lacuna::train {

/// `clear()` empties it and keeps the memory; `rows()` counts examples; `units()` is what the sum of their losses is divided
/// by; `view()` is what a model is given.
template <class B>
concept training_batch = std::default_initializable<B> && requires(B& batch, const B& filled) {
  batch.clear();
  { filled.rows() } -> std::convertible_to<std::size_t>;
  { filled.units() } -> std::convertible_to<double>;
  filled.view();
};

/// What a model is given of a batch.
template <training_batch B>
using examples_of = decltype(std::declval<const B&>().view());

}  // namespace lacuna::train
