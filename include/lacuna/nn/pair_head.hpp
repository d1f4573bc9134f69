/// @file
/// @brief pair_head: estimates the information of pairs of masked positions from what one pass shows of them.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>

#include "lacuna/core/statistics.hpp"
#include "lacuna/nn/pair_example.hpp"
#include "lacuna/nn/pair_loss.hpp"
#include "lacuna/nn/parameters.hpp"

namespace lacuna::nn {

/// `head(context, chosen, scratch, out)` writes the estimates of m chosen positions of the n, [m, m], symmetric, in nats;
/// `loss_and_gradient(example, loss, scratch, gradient)` returns the loss of an example and adds its gradient. `H::reads` names
/// what of the context it looks at; `hidden_size()` is the D it was made for; `check(context)` throws invalid_argument for a
/// context of other sizes, and nothing else of the head throws for one that it takes. `reserve(scratch, n)` makes room for n
/// positions, so that estimates for as many take nothing from the heap. nn/hadamard_head.hpp is the published one,
/// nn/contextual_head.hpp ours.
template <class H>
concept pair_head = std::default_initializable<typename H::scratch> &&
    requires(H& head, const H& fixed, const pair_context& context, const pair_example& example,
             std::span<const std::size_t> chosen, typename H::scratch& scratch, std::span<double> out, const pair_loss& loss,
             std::span<float> gradient) {
  fixed(context, chosen, scratch, out);
  { fixed.loss_and_gradient(example, loss, scratch, gradient) } -> std::same_as<double>;
  fixed.check(context);
  fixed.reserve(scratch, chosen.size());
  { H::reads } -> std::convertible_to<statistics>;
  { fixed.hidden_size() } -> std::convertible_to<std::size_t>;
  { head.parameters() } -> std::same_as<parameters&>;
};

}  // namespace lacuna::nn
