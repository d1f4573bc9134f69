/// @file
/// @brief The place of a trained estimator in samplers that are made before the network is read: to be filled once its size is
/// known.
///
/// ```cpp
/// estimator_slot slot{"best-mi.safetensors"};
/// const named_sampler s = make_sampler("mi_guided:mi=neural", &slot);   // checks the text, reads no file
/// model m = load_model("best.safetensors", 1);
/// slot.fill(m);                                                         // reads the file, if a sampler wants it
/// ```
/// Counts the time spent in the estimator, for all samplers together.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/step_view.hpp"
#include "model.hpp"
#include "pair_estimator.hpp"

namespace sudoku {

/// Where the estimator of a network lies by default: NAME-mi.safetensors beside NAME.safetensors.
inline std::string estimator_beside(const std::string& weights) {
  constexpr std::string_view ending = ".safetensors";
  return (weights.ends_with(ending) ? weights.substr(0, weights.size() - ending.size()) : weights) + "-mi" +
         std::string(ending);
}

class estimator_slot {
 public:
  using loading = std::function<pair_estimator(const std::string& file, const model& network)>;

  explicit estimator_slot(std::string file, loading load = load_pair_estimator)
      : file_{std::move(file)}, load_{std::move(load)} {}

  /// The estimator that will be in the slot; throws lacuna::model_error if it is used before.
  [[nodiscard]] pair_estimator promised() {
    wanted_ = true;
    return pair_estimator{
        [in = inside_](const lacuna::step_view& view, std::span<const std::size_t> candidates, std::span<double> out) {
          if (!in->estimator) throw lacuna::model_error("a trained estimator is used, but none was loaded");
          const auto begin = std::chrono::steady_clock::now();
          pair_estimator::memory memory;
          in->estimator->estimate(view, candidates, memory, out);
          in->seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        }};
  }
  [[nodiscard]] bool wanted() const { return wanted_; }
  [[nodiscard]] bool filled() const { return inside_->estimator.has_value(); }
  [[nodiscard]] const std::string& file() const { return file_; }

  /// Loads the estimator for that network, if one was promised. Throws lacuna::file_error.
  void fill(const model& network) {
    if (wanted_ && !filled()) inside_->estimator = load_(file_, network);
  }

  /// Spent in the estimator so far.
  [[nodiscard]] std::shared_ptr<const double> seconds() const { return {inside_, &inside_->seconds}; }

 private:
  struct inside {
    std::optional<pair_estimator> estimator;
    double seconds = 0;
  };
  std::string file_;
  loading load_;
  std::shared_ptr<inside> inside_ = std::make_shared<inside>();
  bool wanted_ = false;
};

}  // namespace sudoku
