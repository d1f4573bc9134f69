/// @file
/// @brief Information between the blank cells of grids, exact and by a trained estimator where there is one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "estimator_slot.hpp"
#include "lacuna/core/canvas.hpp"
#include "lacuna/mi/estimate.hpp"
#include "model.hpp"
#include "pair_estimator.hpp"

namespace sudoku {

/// The estimator that was named; if none was, the one beside the network, if there is one. Throws lacuna::file_error.
inline std::optional<pair_estimator> find_estimator(const std::string& named, const std::string& weights, const model& network,
                                                    const estimator_slot::loading& load) {
  const std::string file = named.empty() ? estimator_beside(weights) : named;
  if (named.empty() && !std::filesystem::exists(file)) return std::nullopt;
  return load(file, network);
}

inline std::vector<lacuna::mi::question> questions_of(std::span<const lacuna::canvas> contexts) {
  std::vector<lacuna::mi::question> all;
  for (std::size_t i = 0; i < contexts.size(); ++i) all.push_back({contexts[i], {}, i});
  return all;
}

}  // namespace sudoku
