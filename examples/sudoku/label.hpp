/// @file
/// @brief `sudoku label`: probes contexts with a network, to train an estimator of information on what comes out.
///
/// Any number of processes may share the work, each with its own --part, or started together by mpirun (mpi_part.hpp). What is
/// there already is not made again, and the files are the same whoever makes them (train/labelling.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>

#include "data_folder.hpp"
#include "model.hpp"

namespace CLI {
class App;
}

namespace sudoku {

struct label_arguments {
  std::string weights = data_folder() + "/best.safetensors";
  std::string out = "labels";
  std::size_t chunks = 100;
  std::size_t rows = 4;   ///< positions of a context that are probed; 0: all
  double epsilon = 1e-4;  ///< of mi::pruned
  std::uint64_t seed = 1;
  std::size_t part = 0;
  std::size_t parts = 1;
  std::size_t threads = 1;
};

/// What is written beside labels, and asked of them: what they were made of.
std::map<std::string, std::string> label_metadata(const label_arguments& arguments, const model& network);

/// Makes this part's chunks; of puzzles in expert-1000.csv none is used, nor a relative. Progress goes to `log`. Throws
/// lacuna::invalid_argument, lacuna::file_error, lacuna::model_error.
void make_labels(const label_arguments& arguments, model& network, std::ostream& log);

/// Adds the subcommand.
void add_label_command(CLI::App& app, std::ostream& log);

/// The options that `label` and `train-mi` share.
void add_label_options(CLI::App& command, label_arguments& arguments);

}  // namespace sudoku
