/// @file
/// @brief What an end-of-sequence token does to a run: nothing, stop the row, be committed last.
///
/// | policy | choose it when |
/// |---|---|
/// | ignore | the model has no end token, or it is text like any other (default) |
/// | stop | nothing behind the first decoded end token is wanted: no pass is spent on it |
/// | last<stop> | the model likes to fill the tail with end tokens early (LLaDA): text is decoded first |
#pragma once

#include <concepts>

namespace lacuna::ending {

/// The end token is a token like any other.
struct ignore {
  static constexpr bool stops = false;
  static constexpr bool defers = false;
};

/// When an end token is committed, every later position that is not fixed is closed: it holds the end token, is never decoded
/// and costs nothing. An end token in the prompt means nothing.
struct stop {
  static constexpr bool stops = true;
  static constexpr bool defers = false;
};

/// Candidates for which the end token was drawn wait until there are no others.
template <class Inner = ignore>
struct last {
  static constexpr bool stops = Inner::stops;
  static constexpr bool defers = true;
};

}  // namespace lacuna::ending

namespace lacuna {

/// Says at compile time whether the end token stops a row and whether it waits.
template <class E>
concept ending_policy = std::copy_constructible<E> && requires {
  { E::stops } -> std::convertible_to<bool>;
  { E::defers } -> std::convertible_to<bool>;
};

}  // namespace lacuna
