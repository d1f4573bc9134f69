/// @file
/// @brief What has come of the rows that a call of the model was asked for: each once, of the right width.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lacuna/core/errors.hpp"

namespace lacuna {

class receipt {
 public:
  /// Of a call for `wanted` rows; memory for `at_most` is taken at once.
  void expect(std::size_t wanted, std::size_t at_most) {
    times_.reserve(at_most);
    times_.assign(wanted, 0);
    count_ = 0;
  }
  /// Row k has come. Throws model_error if nobody wanted it, if it came before or has the wrong width.
  void note(std::size_t k, std::size_t width, std::size_t expected_width, const char* what, const char* width_name) {
    const auto of_model = [&] { return std::string("model: delivered ") + what + " " + std::to_string(k); };
    if (k >= times_.size()) throw model_error(of_model() + ", expected less than " + std::to_string(times_.size()));
    if (width != expected_width)
      throw model_error(of_model() + " with " + std::to_string(width) + " numbers, expected " + width_name + " = " +
                        std::to_string(expected_width));
    if (times_[k] != 0) throw model_error(of_model() + " twice, expected each once");
    times_[k] = 1;
    ++count_;
  }
  /// Throws model_error if some have not come.
  void check(const char* what) const {
    if (count_ != times_.size())
      throw model_error("model: delivered " + std::to_string(count_) + " " + what + ", expected the " +
                        std::to_string(times_.size()) + " that were wanted");
  }

 private:
  std::vector<std::uint8_t> times_;
  std::size_t count_ = 0;
};

}  // namespace lacuna
