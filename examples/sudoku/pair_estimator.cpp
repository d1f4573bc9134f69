#include "pair_estimator.hpp"

#include <memory>

#include "lacuna/core/errors.hpp"
#include "lacuna/io/safetensors.hpp"
#include "lacuna/nn/contextual_head.hpp"
#include "lacuna/nn/hadamard_head.hpp"
#include "lacuna/nn/neural.hpp"
#include "lacuna/nn/pair_metadata.hpp"
#include "lacuna/train/weights_file.hpp"

namespace sudoku {
namespace {

template <class Head>
pair_estimator estimator_of(const lacuna::io::safetensors_file& file, const typename Head::config_type& config,
                            const model& network) {
  if (config.hidden != network.hidden_size())
    throw lacuna::file_error(file.path() + ": an estimator for hidden states of " + std::to_string(config.hidden) +
                             " numbers, expected " + std::to_string(network.hidden_size()));
  lacuna::train::expect_size(file, config);
  Head head(config, 0);
  lacuna::train::load_weights(file, head.parameters());
  const std::size_t parameters = head.parameters().values().size();
  const auto neural = std::make_shared<const lacuna::mi::neural<Head>>(std::move(head));
  const auto memory = std::make_shared<typename lacuna::mi::neural<Head>::memory>();  // scratch: one estimate at a time
  return pair_estimator{[neural, memory](const lacuna::step_view& view, std::span<const std::size_t> candidates,
                                         std::span<double> out) { neural->estimate(view, candidates, *memory, out); },
                        parameters};
}

}  // namespace

pair_estimator load_pair_estimator(const std::string& weights, const model& network) {
  const lacuna::io::safetensors_file file{weights};
  file.expect_metadata({{"sudoku.network", network.fingerprint()}});
  try {
    if (lacuna::nn::pair_head_kind(file.metadata()) == "hadamard")
      return estimator_of<lacuna::nn::hadamard_head>(file, lacuna::nn::hadamard_from_metadata(file.metadata()), network);
    const auto config = lacuna::nn::contextual_from_metadata(file.metadata());
    if (config.blocks.vocabulary != network.vocabulary_size() || config.blocks.max_length != cell_count)
      throw lacuna::file_error(weights + ": an estimator for " + std::to_string(config.blocks.vocabulary) +
                               " tokens and length " + std::to_string(config.blocks.max_length) +
                               ", expected 10 tokens and length 81");
    return estimator_of<lacuna::nn::contextual_head>(file, config, network);
  } catch (const lacuna::invalid_argument& e) {
    throw lacuna::file_error(weights + ": " + e.what());
  }
}

}  // namespace sudoku
