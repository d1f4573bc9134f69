/// @file
/// @brief A trained estimator of mutual information behind one type, so that what only decodes compiles without the network's
/// code.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "lacuna/concepts/mi_estimator.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"
#include "model.hpp"

namespace sudoku {

class pair_estimator {
 public:
  static constexpr lacuna::statistics needs =
      lacuna::statistics::hidden | lacuna::statistics::rows | lacuna::statistics::entropy;

  /// Nothing is kept from step to step.
  struct memory {
    void reset() {}
  };

  /// Writes the information [m, m] of these candidates, nats.
  using reading = std::function<void(const lacuna::step_view&, std::span<const std::size_t> candidates, std::span<double> out)>;

  explicit pair_estimator(reading read, std::size_t parameters = 0) : read_{std::move(read)}, parameters_{parameters} {}

  void estimate(const lacuna::step_view& view, std::span<const std::size_t> candidates, memory& /*m*/,
                std::span<double> out) const {
    read_(view, candidates, out);
  }
  [[nodiscard]] std::size_t parameter_count() const { return parameters_; }

 private:
  reading read_;
  std::size_t parameters_;
};
static_assert(lacuna::reading_mi_estimator<pair_estimator>);

/// The estimator in a file of weights, as sudoku train-mi writes it. Throws lacuna::file_error if the file is missing or
/// broken, or was trained for another network than this.
pair_estimator load_pair_estimator(const std::string& weights, const model& network);

}  // namespace sudoku
