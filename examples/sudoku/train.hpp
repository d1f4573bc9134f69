/// @file
/// @brief `sudoku train`: trains a network from scratch on generated puzzles, and measures it on puzzles that it never sees.
///
/// Writes the moving average of the weights, with the network's shape as metadata. With a checkpoint the run can be stopped
/// (Ctrl-C too) and started again with the same command. Puzzles, network and batches follow from the seed; a run by steps
/// gives the same weights each time, a run by minutes as many steps as the machine manages.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data_folder.hpp"
#include "fill_in.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/io/atomic_file.hpp"
#include "lacuna/io/element_type.hpp"
#include "lacuna/nn/metadata.hpp"
#include "lacuna/nn/transformer.hpp"
#include "lacuna/train/observers.hpp"
#include "lacuna/train/trainer.hpp"
#include "lacuna/train/weights_file.hpp"
#include "network.hpp"
#include "puzzle_file.hpp"
#include "puzzle_pool.hpp"
#include "training_set.hpp"

namespace sudoku {

struct train_options {
  std::optional<std::size_t> steps;
  std::optional<double> minutes;
  std::size_t batch = 32;
  double rate = 3e-3;
  double hold = 0;
  double average = 0.999;
  network_size size;
  std::size_t threads = 1;
  std::uint64_t seed = 1;
  std::size_t puzzles = 50000;
  mixture mix;
  bool elbo = false;
  std::string out = "model.safetensors";
  std::string dtype = "f32";  ///< or f16, bf16
  std::string checkpoint;
  std::string evaluation = data_folder() + "/expert-1000.csv";
  double evaluate_minutes = 5;
  std::size_t evaluate_count = 100;
  std::string curve;
};

/// Set by Ctrl-C: the run saves what it has and ends.
inline volatile std::sig_atomic_t interrupted = 0;

/// A line of the learning curve, to the terminal and to the file of that name if there is one.
inline void record(const train_options& options, const lacuna::train::training_state& state, std::size_t solved,
                   std::size_t of) {
  char line[160];
  std::snprintf(line, sizeof line, "%.2f,%zu,%zu,%.4f,%zu,%zu", state.elapsed / 60, state.step, state.rows, state.loss.value(),
                solved, of);
  std::fprintf(stderr, "solved %zu of %zu after %.1f minutes, %zu puzzles seen\n", solved, of, state.elapsed / 60, state.rows);
  if (options.curve.empty()) return;
  const bool fresh = !std::filesystem::exists(options.curve);
  std::ofstream file(options.curve, std::ios::app);
  if (fresh) file << "minutes,steps,puzzles_seen,loss,solved,of\n";
  file << line << std::endl;
  if (!file) throw lacuna::file_error(options.curve + ": cannot be written");
}

/// The element type of the weights' file.
inline lacuna::io::element_type type_named(const std::string& name) {
  if (name == "f32") return lacuna::io::element_type::f32;
  if (name == "f16") return lacuna::io::element_type::f16;
  if (name == "bf16") return lacuna::io::element_type::bf16;
  throw lacuna::invalid_argument("weights are written as f32, f16 or bf16, not as " + name);
}

/// What a checkpoint must agree with to be resumed: the network and the data.
inline std::map<std::string, std::string> run_metadata(const train_options& options,
                                                       const lacuna::nn::transformer_config& config) {
  std::map<std::string, std::string> metadata = lacuna::nn::to_metadata(config);
  metadata["sudoku.seed"] = std::to_string(options.seed);
  metadata["sudoku.batch"] = std::to_string(options.batch);
  metadata["sudoku.puzzles"] = std::to_string(options.puzzles);
  metadata["sudoku.full_grids"] = std::to_string(options.mix.full_grids);
  metadata["sudoku.easy_first"] = std::to_string(options.mix.easy_first);
  metadata["sudoku.stuck"] = std::to_string(options.mix.stuck);
  metadata["sudoku.easy_first"] = std::to_string(options.mix.easy_first);
  metadata["sudoku.stuck"] = std::to_string(options.mix.stuck);
  metadata["sudoku.whole_puzzles"] = std::to_string(options.mix.whole_puzzles);
  metadata["sudoku.loss"] = options.elbo ? "elbo" : "plain";
  return metadata;
}

template <class Weight>
void train(const train_options& options, Weight weight) {
  namespace lt = lacuna::train;
  const lacuna::io::element_type type = type_named(options.dtype);
  lacuna::io::atomic_file{options.out};  // a place that cannot be written to is better known before than after
  const std::vector<puzzle> held_out = read_puzzles(options.evaluation);
  const std::span evaluated = std::span{held_out}.first(std::min(options.evaluate_count, held_out.size()));
  std::cerr << "generating " << options.puzzles << " puzzles, none of them related to those of " << options.evaluation
            << std::endl;
  training_set source(generate_pool(options.puzzles, options.seed, signatures_of(held_out), options.threads), options.batch,
                      options.mix, weight);

  const lacuna::nn::transformer_config config = network_config(options.size);
  lacuna::nn::transformer net(config, options.seed, options.threads);
  std::cerr << net.parameters().values().size() << " parameters" << std::endl;

  lt::options<> run;
  run.steps = options.steps.value_or(run.steps);
  if (options.minutes) run.seconds = 60 * *options.minutes;
  run.seed = options.seed;
  run.schedule.peak = options.rate;
  run.schedule.hold = options.hold;
  run.update.average.decay = options.average;
  run.checkpoint = options.checkpoint;
  run.metadata = run_metadata(options, config);

  const auto evaluate = [&](const lt::training_state& state) {
    const lt::averaged_weights scope{net.parameters(), state.average};
    record(options, state, count_solved(net, evaluated), evaluated.size());
  };
  interrupted = 0;
  const auto previous = std::signal(SIGINT, [](int) { interrupted = 1; });
  const lt::training_state state =
      lt::run(net, source, run,
              lt::observe_all(lt::progress_line{std::cerr, 10},
                              lt::every_seconds(60 * options.evaluate_minutes,
                                                [&](const lt::step_report&, const lt::training_state& now) { evaluate(now); }),
                              [](const lt::step_report&, const lt::training_state&) { return interrupted == 0; }));
  std::signal(SIGINT, previous);

  std::map<std::string, std::string> metadata = run_metadata(options, config);
  metadata["sudoku.steps"] = std::to_string(state.step);
  metadata["sudoku.puzzles_seen"] = std::to_string(state.rows);
  metadata["sudoku.minutes"] = std::to_string(state.elapsed / 60);
  lt::save_weights(options.out, net.parameters(), state.average.values, metadata, type);
  std::cerr << "wrote " << options.out << (interrupted != 0 ? ", interrupted" : "") << std::endl;
  if (interrupted == 0) evaluate(state);
}

/// Adds the subcommand.
inline void add_train_command(CLI::App& app) {
  auto options = std::make_shared<train_options>();
  train_options& o = *options;
  CLI::App* command = app.add_subcommand("train", "Trains a network from scratch on generated puzzles");
  const auto number = [&](const char* name, auto& value, const char* what) {
    return command->add_option(name, value, what)->capture_default_str();
  };
  command->add_option("--steps", o.steps, "Steps in all, those of a resumed run included");
  command->add_option("--minutes", o.minutes, "Minutes in all; the first limit reached ends the run");
  number("--batch", o.batch, "Rows a step")->check(CLI::PositiveNumber);
  number("--rate", o.rate, "Highest learning rate")->check(CLI::PositiveNumber);
  number("--hold", o.hold, "Share of the run at the highest rate before it decays; until then the length may be changed")
      ->check(CLI::Range(0.0, 0.99));
  number("--ema", o.average, "Decay of the moving average of the weights, which is what is saved; 0: the last weights")
      ->check(CLI::Range(0.0, 1.0));
  number("--width", o.size.width, "Width of the network")->check(CLI::PositiveNumber);
  number("--depth", o.size.depth, "Blocks of the network")->check(CLI::PositiveNumber);
  number("--heads", o.size.heads, "Attention heads")->check(CLI::PositiveNumber);
  number("--threads", o.threads, "Threads")->check(CLI::PositiveNumber);
  number("--seed", o.seed, "Seed of puzzles, network and batches");
  number("--puzzles", o.puzzles, "Puzzles to generate and to train on images of")->check(CLI::PositiveNumber);
  number("--full-grids", o.mix.full_grids, "Share of rows in which any cell may be masked, not only a puzzle's blanks");
  number("--easy-first", o.mix.easy_first, "Share of the other rows whose easier blanks are filled in");
  number("--stuck", o.mix.stuck, "Share of these that are cut where a guess is due");
  number("--whole-puzzles", o.mix.whole_puzzles, "Share of the remaining rows in which all blanks are masked");
  command->add_flag("--elbo", o.elbo, "Weigh each row by the likelihood bound instead of the plain mean over masked cells");
  number("--out", o.out, "File to write the weights to");
  number("--dtype", o.dtype, "Numbers of the file")->check(CLI::IsMember({"f32", "f16", "bf16"}));
  command->add_option("--checkpoint", o.checkpoint,
                      "File to save the run to every minute, and to resume it from if it is there");
  number("--evaluate", o.evaluation, "File of puzzles to measure with; their grids are kept out of training");
  number("--evaluate-every", o.evaluate_minutes, "Minutes between two measurements")->check(CLI::PositiveNumber);
  number("--evaluate-count", o.evaluate_count, "How many of those puzzles to measure with");
  command->add_option("--curve", o.curve, "File to append the measurements to, as CSV");
  command->callback([options] {
    if (!options->steps && !options->minutes) throw lacuna::invalid_argument("train: neither --steps nor --minutes is given");
    if (options->elbo) {
      train(*options, lacuna::train::elbo_by_count{});
    } else {
      train(*options, lacuna::train::plain_weight{});
    }
  });
}

}  // namespace sudoku
