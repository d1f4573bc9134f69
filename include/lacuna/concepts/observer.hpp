/// @file
/// @brief observer: is told of every step of every row, sees everything, changes nothing, and can stop a row.
///
/// ```cpp
/// auto quiet = [](const lacuna::step_event& e) { return e.step == 9 ? lacuna::verdict::stop : lacuna::verdict::go_on; };
/// lacuna::decode(model, canvas, sampler, seed, quiet);
/// ```
/// An observer that must know where a row began has a member `start` as well (starts_watcher). Rows of a batch take turns, and
/// all of them report to the same observers, from the thread that called decode.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "lacuna/core/canvas.hpp"
#include "lacuna/core/cost.hpp"

namespace lacuna {

/// What an observer may answer.
enum class verdict : std::uint8_t { go_on, stop };

/// One finished step of one row. Everything is a view that ends with the call.
struct step_event {
  std::size_t row = 0;                       ///< index of the row in the call of decode
  std::size_t step = 0;                      ///< from 0
  const canvas* sequence = nullptr;          ///< after the step
  std::span<const std::size_t> committed{};  ///< positions unmasked in this step, in the order of choice
  std::span<const double> confidence{};      ///< probability the model gave each of their tokens
  std::span<const std::size_t> remasked{};   ///< positions masked again in this step
  const nfe* cost = nullptr;                 ///< of this row, so far
  std::span<const std::size_t> redrawn{};    ///< those committed whose draft was refused, in the order of choice
};

/// o(step_event) -> void or verdict.
template <class O>
concept observer = requires(O& o, const step_event& e) {
  { o(e) } -> std::same_as<void>;
}
|| requires(O& o, const step_event& e) {
  { o(e) } -> std::same_as<verdict>;
};

/// o.start(row, canvas): told of every row before its first step, also of rows that need none. Optional.
template <class O>
concept starts_watcher = requires(O& o, std::size_t row, const canvas& c) {
  o.start(row, c);
};

/// Tells observers in order, all of them; stop wins.
template <observer... O>
verdict notify([[maybe_unused]] const step_event& e, O&... observers) {
  verdict answer = verdict::go_on;
  [[maybe_unused]] const auto tell = [&](auto& o) {
    if constexpr (std::is_void_v<decltype(o(e))>)
      o(e);
    else if (o(e) == verdict::stop)
      answer = verdict::stop;
  };
  (tell(observers), ...);
  return answer;
}

/// Tells the observers that want to know that a row begins.
template <class... O>
void notify_start([[maybe_unused]] std::size_t row, [[maybe_unused]] const canvas& c, O&... observers) {
  [[maybe_unused]] const auto tell = [&](auto& o) {
    if constexpr (starts_watcher<decltype(o)>) o.start(row, c);
  };
  (tell(observers), ...);
}

}  // namespace lacuna
