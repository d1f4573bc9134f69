/// @file
/// @brief `text table`: what samplers write, how well it is spelled, and what it costs.
///
/// Samplers take turns, a piece of the texts each, so that seconds compare whatever else the machine does. A row tells the
/// passes of the whole network a text takes (drafts and verifications at their shares), the share of whole words that occur in
/// the training text (and in a dictionary), the unigram entropy of the symbols and the number of distinct words: what a sampler
/// gains in spelling by writing less variety shows in these two. With a validation text also the bits a symbol of it costs
/// under the sampler: exact in a given order, an upper bound in random ones (likelihood/), and none where the order looks at
/// the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../common/streams.hpp"
#include "data_folder.hpp"
#include "networks.hpp"

namespace CLI {
class App;
}

namespace text {

struct table_arguments {
  network_files files{};
  std::string words = data_folder() + "/words.txt";
  std::string dictionary;             ///< a second list of words; none: that column is left out
  std::string validation;             ///< a text; none: the column of likelihoods is left out
  std::size_t validation_rows = 64;   ///< of it
  std::vector<std::string> samplers;  ///< none: those of table_plan()
  std::size_t samples = 1000;
  std::size_t batch = 100;  ///< texts written together, and a piece
  std::uint64_t seed = 0;
  std::size_t threads = 1;
  std::string results;
  std::string picture;
  bool json = false;
};

/// Runs the command. Throws lacuna::invalid_argument, lacuna::file_error, lacuna::model_error.
void table(const table_arguments& arguments, const common::streams& io);

/// Adds the subcommand.
void add_table_command(CLI::App& app, const common::streams& io);

}  // namespace text
