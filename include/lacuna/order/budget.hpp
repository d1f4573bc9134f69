/// @file
/// @brief order::budget: how the budget of an order that admits position after position is spent.
///
/// | budget | a position is admitted if its cost is at most | and then takes away |
/// |---|---|---|
/// | running (default) | what is left of gamma | its cost |
/// | threshold | gamma | nothing |
/// | running_entropy | what is left of gamma | its entropy |
///
/// Choose `running` for a bound on the step as a whole, `threshold` to judge each position by itself (more positions a step,
/// none of which depends much on the others), `running_entropy` where positions that depend on each other should be kept
/// apart but not make the step shorter. One of your own has the one member; it must not fall as `left` grows or as `cost`
/// shrinks, and for cost <= left lie between 0 and `left`.
#pragma once

#include <concepts>

namespace lacuna::order::budget {

/// b.after(left, cost, entropy) -> what is left, when a position of that cost and entropy has been admitted.
template <class B>
concept is_budget = std::copyable<B> && requires(const B& b, double number) {
  { b.after(number, number, number) } -> std::convertible_to<double>;
};

struct running {
  [[nodiscard]] double after(double left, double cost, double /*entropy*/) const { return left - cost; }
};

struct threshold {
  [[nodiscard]] double after(double left, double /*cost*/, double /*entropy*/) const { return left; }
};

struct running_entropy {
  [[nodiscard]] double after(double left, double /*cost*/, double entropy) const { return left - entropy; }
};

}  // namespace lacuna::order::budget
