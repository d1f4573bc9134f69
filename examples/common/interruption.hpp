/// @file
/// @brief Ctrl-C as a wish to stop soon, so that a long run saves what it has.
#pragma once

#include <csignal>

namespace common {

/// While it lives the first Ctrl-C is noted, and a second ends the program as usual. One at a time.
class interruption {
 public:
  interruption() {
    asked_ = 0;
    previous_ = std::signal(SIGINT, [](int) {
      asked_ = 1;
      std::signal(SIGINT, SIG_DFL);
    });
  }
  ~interruption() { std::signal(SIGINT, previous_); }
  interruption(const interruption&) = delete;
  interruption& operator=(const interruption&) = delete;

  /// Whether the last run was asked to stop; a new one forgets it.
  [[nodiscard]] static bool asked() { return asked_ != 0; }
  static void forget() { asked_ = 0; }

 private:
  static inline volatile std::sig_atomic_t asked_ = 0;
  void (*previous_)(int) = SIG_DFL;
};

}  // namespace common
