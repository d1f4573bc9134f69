/// @file
/// @brief Parameters of several networks as those of one, to be trained together.
///
/// ```cpp
/// lacuna::train::joined_parameters all;
/// all.add("head.", head.parameters());
/// all.add("scores.", network.parameters());
/// all.parameters();            // one buffer, names with their prefix
/// all.hand_out();              // to the networks, after a step
/// all.part(gradient, 1);       // of a gradient of all, that of the second network
/// ```
/// Refers to what was added. Errors: none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "lacuna/nn/parameters.hpp"

namespace lacuna::train {

class joined_parameters {
 public:
  void add(const std::string& prefix, nn::parameters& one) {
    begin_.push_back(all_.values().size());
    for (const nn::parameter& p : one.list()) {
      const nn::parameter place = all_.add(prefix + p.name, p.shape, p.decayed);
      const std::span<const float> values = one.of(p);
      std::copy(values.begin(), values.end(), all_.of(place).begin());
    }
    parts_.push_back(&one);
  }

  [[nodiscard]] nn::parameters& parameters() { return all_; }
  [[nodiscard]] const nn::parameters& parameters() const { return all_; }

  /// Gives each network its parameters.
  void hand_out() const {
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      const std::span<float> to = parts_[k]->values();
      std::copy_n(all_.values().begin() + static_cast<std::ptrdiff_t>(begin_[k]), to.size(), to.begin());
    }
  }

  /// Of an array with the layout of all of them, that of network k.
  [[nodiscard]] std::span<float> part(std::span<float> all, std::size_t k) const {
    return all.subspan(begin_[k], parts_[k]->values().size());
  }

 private:
  nn::parameters all_;
  std::vector<std::size_t> begin_;
  std::vector<nn::parameters*> parts_;
};

}  // namespace lacuna::train
