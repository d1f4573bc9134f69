/// @file
/// @brief `sudoku mi-check`: how good estimates of mutual information are, over many contexts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data_folder.hpp"
#include "decode.hpp"
#include "mi_contexts.hpp"
#include "mi_estimates.hpp"
#include "model.hpp"

namespace sudoku {

struct mi_check_arguments {
  std::size_t contexts = 200;
  blank_range blanks;
  mixture mix;                         ///< of kinds of contexts; only full_grids and easy_first matter
  std::uint64_t seed = 31415;          ///< of the contexts; training counts its pools from 0
  std::vector<double> epsilons{1e-3};  ///< of pruned probes
  std::string weights = data_folder() + "/best.safetensors";
  std::string estimator;  ///< the one beside the weights, if there is one, if not given
  std::size_t batch = 256;
  std::size_t threads = 1;
  bool json = false;
};

/// Runs the command; files are loaded when all other arguments have proved right. Throws lacuna::invalid_argument,
/// lacuna::file_error, lacuna::model_error.
void mi_check(const mi_check_arguments& arguments, const streams& io,
              const std::function<model(const std::string&, std::size_t)>& load = load_model,
              const estimator_slot::loading& load_estimator = load_pair_estimator);

/// Adds the subcommand.
void add_mi_check_command(CLI::App& app, const streams& io);

}  // namespace sudoku
