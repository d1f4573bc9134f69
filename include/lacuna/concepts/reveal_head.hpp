/// @file
/// @brief reveal_head: tells from what one pass shows of the masked positions how likely each is to be revealed now.
///
/// ```cpp
/// struct sure_ones {  // no network is needed to be one
///   struct scratch {};
///   static constexpr std::size_t hidden_size() { return 0; }  // reads no hidden states, so takes those of any size
///   void operator()(const lacuna::reveal_context& c, scratch&, std::span<double> logits) const {
///     for (std::size_t k = 0; k < c.size(); ++k) logits[k] = -4 - 4 * c.feature(k)[0];  // log(1 - confidence)
///   }
/// };
/// static_assert(lacuna::reveal_head<sure_ones>);
/// ```
/// A head is a const value; what it computes with lives in its scratch. nn/order_head.hpp is the trained one.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <span>

namespace lacuna {

/// Numbers that tell of a position beside its hidden state: log(1 - confidence), entropy (nats), margin.
inline constexpr std::size_t reveal_feature_count = 3;

/// The features of a position, finite also where the model is sure.
inline std::array<float, reveal_feature_count> reveal_features(double confidence, double entropy, double margin) {
  return {static_cast<float>(std::log(std::max(1e-6, 1 - confidence))), static_cast<float>(entropy),
          static_cast<float>(margin)};
}

/// What one pass shows of n masked positions of one row.
struct reveal_context {
  std::span<const std::size_t> positions{};  ///< [n] ascending
  std::span<const float> hidden{};           ///< [n, D]
  std::span<const float> features{};         ///< [n, reveal_feature_count]
  double elapsed = 0;                        ///< share of the step budget used before this step, [0, 1)

  /// n.
  [[nodiscard]] std::size_t size() const { return positions.size(); }
  /// Features of position k.
  [[nodiscard]] std::span<const float, reveal_feature_count> feature(std::size_t k) const {
    return features.subspan(k * reveal_feature_count).template first<reveal_feature_count>();
  }
};

/// head(context, scratch, logits [n]): position k is revealed with probability sigmoid(logits[k]). `H::scratch` is default
/// constructible; hidden_size() is the D of the hidden states it was made for, 0 if it does not look at them.
template <class H>
concept reveal_head = requires {
  typename H::scratch;
}
&&std::default_initializable<typename H::scratch>&& requires(const H& head, const reveal_context& context,
                                                             typename H::scratch& scratch, std::span<double> logits) {
  head(context, scratch, logits);
  { head.hidden_size() } -> std::convertible_to<std::size_t>;
};

}  // namespace lacuna
