/// @file
/// @brief `sudoku mi-map`: draws which cells the model believes depend on which.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "data_folder.hpp"
#include "decode.hpp"
#include "mi_estimates.hpp"
#include "model.hpp"

namespace sudoku {

struct mi_map_arguments {
  std::string file = data_folder() + "/expert-1000.csv";  ///< - for standard input
  std::size_t puzzle = 1;                                 ///< its number in the file, from 1
  bool empty = false;                                     ///< an empty board instead
  std::size_t filled = 0;                                 ///< blanks that the network fills in first, the surest first
  std::string cell;                                       ///< R,C from 1; the blank that shares most if not given
  double epsilon = 0;                                     ///< mass of rare values that is left out
  double log_from = 1e-4;                                 ///< where the scale of colours begins, 0 for a linear one
  std::size_t pairs = 10;                                 ///< listed
  std::string weights = data_folder() + "/best.safetensors";
  std::string estimator;  ///< the one beside the weights, if there is one, if not given
  std::string out = "mi-map.svg";
  std::string npy, npy_neural;  ///< not written if not given
  std::size_t batch = 256;
  std::size_t threads = 1;
};

/// Runs the command; files are loaded when all other arguments have proved right. Throws lacuna::invalid_argument,
/// lacuna::file_error, lacuna::model_error.
void mi_map(const mi_map_arguments& arguments, const streams& io,
            const std::function<model(const std::string&, std::size_t)>& load = load_model,
            const estimator_slot::loading& load_estimator = load_pair_estimator);

/// Adds the subcommand.
void add_mi_map_command(CLI::App& app, const streams& io);

}  // namespace sudoku
