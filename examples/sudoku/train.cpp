#include "train.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <utility>
#include <vector>

#include "../common/interruption.hpp"
#include "../common/number_check.hpp"
#include "decode_puzzles.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/io/atomic_file.hpp"
#include "lacuna/io/element_type.hpp"
#include "lacuna/io/safetensors.hpp"
#include "lacuna/nn/metadata.hpp"
#include "lacuna/nn/transformer.hpp"
#include "lacuna/train/observers.hpp"
#include "lacuna/train/trainer.hpp"
#include "lacuna/train/weights_file.hpp"
#include "model.hpp"
#include "puzzle_file.hpp"
#include "puzzle_pool.hpp"
#include "samplers.hpp"

namespace sudoku {

using namespace common;
namespace {

/// A line of the learning curve, to the terminal and to the file of that name if there is one.
void record(const train_options& options, const lacuna::train::training_state& state, std::size_t solved, std::size_t of,
            std::ostream& log) {
  char line[160];
  std::snprintf(line, sizeof line, "%.2f,%zu,%zu,%.4f,%zu,%zu", state.elapsed / 60, state.step, state.rows, state.loss.value(),
                solved, of);
  log << "solved " << solved << " of " << of << " after " << lacuna::train::clock_text(state.elapsed) << ", " << state.rows
      << " puzzles seen" << std::endl;
  if (options.curve.empty()) return;
  const bool fresh = !std::filesystem::exists(options.curve);
  std::ofstream file(options.curve, std::ios::app);
  if (fresh) file << "minutes,steps,puzzles_seen,loss,solved,of\n";
  file << line << std::endl;
  if (!file) log << options.curve << ": cannot be written" << std::endl;  // no reason to lose what has been trained
}

/// Throws lacuna::file_error unless lines can be appended to that file, or it can be made.
void expect_appendable(const std::string& path) {
  const bool fresh = !std::filesystem::exists(path);
  if (!std::ofstream(path, std::ios::app)) throw lacuna::file_error(path + ": cannot be written");
  if (fresh) std::filesystem::remove(path);
}

/// The element type of the weights' file.
lacuna::io::element_type type_named(const std::string& name) {
  if (name == "f32") return lacuna::io::element_type::f32;
  if (name == "f16") return lacuna::io::element_type::f16;
  if (name == "bf16") return lacuna::io::element_type::bf16;
  throw lacuna::invalid_argument("weights are written as f32, f16 or bf16, not as " + name);
}

/// What a checkpoint must agree with to be resumed: the network and the data.
std::map<std::string, std::string> run_metadata(const train_options& options, const lacuna::nn::transformer_config& config) {
  std::map<std::string, std::string> metadata = lacuna::nn::to_metadata(config);
  metadata["sudoku.seed"] = std::to_string(options.seed);
  metadata["sudoku.batch"] = std::to_string(options.batch);
  metadata["sudoku.puzzles"] = std::to_string(options.puzzles);
  metadata["sudoku.full_grids"] = std::to_string(options.mix.full_grids);
  metadata["sudoku.easy_first"] = std::to_string(options.mix.easy_first);
  metadata["sudoku.stuck"] = std::to_string(options.mix.stuck);
  metadata["sudoku.whole_puzzles"] = std::to_string(options.mix.whole_puzzles);
  metadata["sudoku.loss"] = options.elbo ? "elbo" : "plain";
  return metadata;
}

/// Sets `all` to the weights of a file. A network that goes through its blocks more often than the file's has more relation
/// tables: those begin as the file's last.
void start_from(const std::string& path, const lacuna::nn::transformer_config& config, lacuna::nn::parameters& all) {
  const lacuna::io::safetensors_file file{path};
  lacuna::nn::transformer_config shallower = lacuna::nn::from_metadata(file.metadata());
  lacuna::train::expect_size(file, shallower);
  const std::size_t depth = shallower.depth;
  lacuna::nn::transformer given(shallower, 0);
  lacuna::train::load_weights(file, given.parameters());
  shallower.depth = config.depth;
  if (shallower != config || depth > config.depth || given.config().own_blocks() != config.own_blocks())
    throw lacuna::invalid_argument(
        path + ": a network of another shape, expected that of the options, or fewer rounds of the same blocks");
  for (std::size_t i = 0; i < all.list().size(); ++i) {
    const std::span<const float> values = given.parameters().of(given.parameters().list()[i]);
    const std::span<float> target = all.of(all.list()[i]);
    const std::size_t tail = values.size() / depth;  // of a table with an entry a block
    std::copy(values.begin(), values.end(), target.begin());
    for (std::size_t k = values.size(); k < target.size(); ++k) target[k] = target[k - tail];
  }
}

template <class Weight>
void train_with(const train_options& options, Weight weight, std::ostream& log) {
  namespace lt = lacuna::train;
  const lacuna::io::element_type type = type_named(options.dtype);
  const lacuna::nn::transformer_config config = network_config(options.size);
  lacuna::nn::transformer net(config, options.seed, options.threads);
  if (!options.from.empty()) start_from(options.from, config, net.parameters());
  lacuna::io::atomic_file{options.out};  // a place that cannot be written to is better known before than after
  if (!options.checkpoint.empty()) lacuna::io::atomic_file{options.checkpoint};
  if (!options.curve.empty()) expect_appendable(options.curve);
  const std::vector<puzzle> held_out = read_puzzles(options.evaluation);
  const std::span evaluated = std::span{held_out}.first(std::min(options.evaluate_count, held_out.size()));
  log << net.parameters().values().size() << " parameters\n"
      << "generating " << options.puzzles << " puzzles, none of them related to those of " << options.evaluation << std::endl;
  training_set source(generate_pool(options.puzzles, options.seed, signatures_of(held_out), options.threads), options.batch,
                      options.mix, weight);

  lt::options<> run;
  run.steps = options.steps.value_or(run.steps);
  if (options.minutes) run.seconds = 60 * *options.minutes;
  run.seed = options.seed;
  run.schedule.peak = options.rate;
  run.schedule.hold = options.hold;
  run.update.average.decay = options.average;
  run.checkpoint = options.checkpoint;
  run.metadata = run_metadata(options, config);

  const lacuna::sample::any_hidden_sampler one_at_a_time = make_sampler("sequential").sampler;
  model averaged{[&](const lacuna::token_batch& batch, std::span<const std::size_t> wanted, lacuna::row_sink sink) {
    net(batch, wanted, sink);
  }};
  const auto evaluate = [&](const lt::training_state& state) {
    if (evaluated.empty()) return;
    const lt::averaged_weights scope{net.parameters(), state.average};
    record(options, state, decode_puzzles(averaged, one_at_a_time, evaluated).solved, evaluated.size(), log);
  };
  using clock = std::chrono::steady_clock;
  clock::time_point measured = clock::now();  // when the last measurement ended: it may take as long as it likes
  std::optional<interruption> ctrl_c{std::in_place};
  const lt::training_state state = lt::run(
      net, source, run, lt::observe_all(lt::progress_line{log, 10}, [&](const lt::step_report&, const lt::training_state& now) {
        if (std::chrono::duration<double>(clock::now() - measured).count() >= 60 * options.evaluate_minutes) {
          evaluate(now);
          measured = clock::now();
        }
        return !interruption::asked();
      }));
  ctrl_c.reset();

  std::map<std::string, std::string> metadata = run_metadata(options, config);
  metadata["sudoku.steps"] = std::to_string(state.step);
  metadata["sudoku.puzzles_seen"] = std::to_string(state.rows);
  metadata["sudoku.minutes"] = std::to_string(state.elapsed / 60);
  lt::save_weights(options.out, net.parameters(), state.average.values, metadata, type);
  log << "wrote " << options.out << std::endl;
  if (!interruption::asked())
    evaluate(state);
  else
    log << "interrupted" << (options.checkpoint.empty() ? "" : "; the same command goes on from " + options.checkpoint)
        << std::endl;
}

}  // namespace

void train(const train_options& options, std::ostream& log) {
  if (!options.steps && !options.minutes) throw lacuna::invalid_argument("train: neither --steps nor --minutes is given");
  if (options.elbo)
    train_with(options, lacuna::train::elbo_by_count{}, log);
  else
    train_with(options, lacuna::train::plain_weight{}, log);
}

void add_train_command(CLI::App& app, std::ostream& log) {
  auto options = std::make_shared<train_options>();
  train_options& o = *options;
  CLI::App* command = app.add_subcommand("train", "Trains a network from scratch on generated puzzles");
  command->footer(
      "Example:\n"
      "  sudoku train --minutes 12 --checkpoint mine.checkpoint --out mine.safetensors");
  command->add_option("--steps", o.steps, "Steps in all, those of a resumed run included")->transform(whole(1));
  command->add_option("--minutes", o.minutes, "Minutes in all; the first limit reached ends the run")->check(positive());
  add_number(*command, "--batch", o.batch, "Rows a step")->transform(whole(1));
  add_number(*command, "--rate", o.rate, "Highest learning rate")->check(positive());
  add_number(*command, "--hold", o.hold,
             "Share of the run at the highest rate before it decays, 1: no decay; until then the length may be changed")
      ->check(between(0.0, 1.0));
  add_number(*command, "--ema", o.average,
             "Decay of the moving average of the weights, which is what is saved; 0: the last weights")
      ->check(between(0.0, 0.999999));
  add_number(*command, "--width", o.size.width, "Width of the network")->transform(whole(1));
  add_number(*command, "--depth", o.size.depth, "Blocks of the network")->transform(whole(1));
  add_number(*command, "--distinct", o.size.distinct,
             "Blocks with parameters of their own, gone through again and again; 0: all")
      ->transform(whole(0));
  add_number(*command, "--heads", o.size.heads, "Attention heads")->transform(whole(1));
  add_number(*command, "--threads", o.threads, "Threads")->transform(whole(1, 1024));
  add_number(*command, "--seed", o.seed, "Seed of puzzles, network and batches")->transform(whole(0));
  add_number(*command, "--puzzles", o.puzzles, "Puzzles to generate and to train on images of")->transform(whole(1));
  add_number(*command, "--full-grids", o.mix.full_grids,
             "Share of rows in which any cell may be masked, not only a puzzle's blanks")
      ->check(between(0.0, 1.0));
  add_number(*command, "--easy-first", o.mix.easy_first, "Share of the other rows whose easier blanks are filled in")
      ->check(between(0.0, 1.0));
  add_number(*command, "--stuck", o.mix.stuck, "Share of these that are cut where a guess is due")->check(between(0.0, 1.0));
  add_number(*command, "--whole-puzzles", o.mix.whole_puzzles, "Share of the remaining rows in which all blanks are masked")
      ->check(between(0.0, 1.0));
  command->add_flag("--elbo", o.elbo, "Weigh each row by the likelihood bound instead of the plain mean over masked cells");
  command
      ->add_option("--from", o.from,
                   "Weights to start from, of a network of the same shape or a shallower one with the same --distinct")
      ->type_name("FILE")
      ->capture_default_str();
  command->add_option("--out", o.out, "File to write the weights to")->type_name("FILE")->capture_default_str();
  command->add_option("--dtype", o.dtype, "Numbers of the file")
      ->capture_default_str()
      ->check(CLI::IsMember({"f32", "f16", "bf16"}));
  command->add_option("--checkpoint", o.checkpoint,
                      "File to save the run to every minute, and to resume it from if it is there");
  command->add_option("--evaluate", o.evaluation, "File of puzzles to measure with; their grids are kept out of training")
      ->type_name("FILE")
      ->capture_default_str();
  add_number(*command, "--evaluate-every", o.evaluate_minutes, "Minutes from one measurement to the next")->check(positive());
  add_number(*command, "--evaluate-count", o.evaluate_count, "How many of those puzzles to measure with")->transform(whole(0));
  command->add_option("--curve", o.curve, "File to append the measurements to, as CSV");
  command->callback([options, &log] { train(*options, log); });
}

}  // namespace sudoku
