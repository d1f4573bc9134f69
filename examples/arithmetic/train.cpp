#include "train.hpp"

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <ostream>
#include <vector>

#include "../common/interruption.hpp"
#include "../common/number_check.hpp"
#include "element_type.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/number_text.hpp"
#include "lacuna/io/atomic_file.hpp"
#include "lacuna/nn/metadata.hpp"
#include "lacuna/train/masking.hpp"
#include "lacuna/train/observers.hpp"
#include "lacuna/train/trainer.hpp"
#include "lacuna/train/weights_file.hpp"
#include "network.hpp"
#include "problem_file.hpp"
#include "rows.hpp"

namespace arithmetic {

using namespace common;

namespace {

namespace lt = lacuna::train;

/// Rows with masks in their solutions: a step's are told by its number and the seed alone.
class masked_rows {
 public:
  masked_rows(const std::vector<example>& all, lacuna::token mask, std::size_t rows)
      : all_{&all}, levels_(rows), eligible_(row_length, 0), masker_{mask} {
    for (const std::size_t i : solution_positions()) eligible_[i] = 1;
  }

  void operator()(std::size_t /*step*/, lt::batch_builder& batch, lacuna::random_stream& random) {
    lt::stratified_levels{}.fill(levels_, random);
    for (const double level : levels_)
      masker_.add_row((*all_)[random.below(all_->size())].row, eligible_, level, batch, random);
  }

 private:
  const std::vector<example>* all_;
  std::vector<double> levels_;
  std::vector<std::uint8_t> eligible_;
  lt::masker<> masker_;
};

}  // namespace

void train(const train_arguments& arguments, const streams& io) {
  if (!arguments.steps && !arguments.minutes) throw lacuna::invalid_argument("train: neither --steps nor --minutes is given");
  const lacuna::io::element_type type = element_type_of(arguments.dtype);
  lacuna::io::atomic_file{arguments.out};  // a place that cannot be written to is better known before than after
  if (!arguments.checkpoint.empty()) lacuna::io::atomic_file{arguments.checkpoint};
  const tokeniser words;
  const examples data = arguments.problems.empty() ? make_examples(words, arguments.seed, false, arguments.count)
                                                   : read_examples(words, arguments.problems);
  io.err << data.all.size() << " problems" << (data.skipped > 0 ? ", " + std::to_string(data.skipped) + " skipped" : "")
         << std::endl;

  std::unique_ptr<lacuna::nn::transformer> net;
  if (arguments.from.empty())
    net = std::make_unique<lacuna::nn::transformer>(network_config({arguments.width, arguments.depth, arguments.heads}),
                                                    arguments.seed, arguments.threads);
  else
    net = load_network(arguments.from, arguments.threads);
  io.err << net->parameters().values().size() << " parameters" << std::endl;
  std::map<std::string, std::string> metadata = lacuna::nn::to_metadata(net->config());
  metadata["arithmetic.seed"] = lacuna::number_text(arguments.seed);
  metadata["arithmetic.batch"] = lacuna::number_text(arguments.batch);
  metadata["arithmetic.problems"] = fingerprint_of(data.all);
  metadata["arithmetic.rate"] = lacuna::number_text(arguments.rate);
  if (!arguments.from.empty()) metadata["arithmetic.from"] = fingerprint_of(net->parameters());
  lt::options<> run;
  run.steps = arguments.steps.value_or(run.steps);
  if (arguments.minutes) run.seconds = 60 * *arguments.minutes;
  run.seed = arguments.seed;
  run.schedule.peak = arguments.rate;
  run.update.average.decay = arguments.average;
  run.checkpoint = arguments.checkpoint;
  run.metadata = metadata;
  lt::training_state state;
  {
    const interruption ctrl_c;
    state = lt::run(*net, masked_rows{data.all, words.mask(), arguments.batch}, run,
                    lt::observe_all(lt::progress_line{io.err, 10},
                                    [](const lt::step_report&, const lt::training_state&) { return !interruption::asked(); }));
  }
  metadata["arithmetic.steps"] = lacuna::number_text(state.step);
  lt::save_weights(arguments.out, net->parameters(), state.average.values, metadata, type);
  io.err << "wrote " << arguments.out << std::endl;
  if (interruption::asked())
    io.err << "interrupted" << (arguments.checkpoint.empty() ? "" : "; the same command goes on from " + arguments.checkpoint)
           << std::endl;
}

void add_train_command(CLI::App& app, const streams& io) {
  const auto arguments = std::make_shared<train_arguments>();
  train_arguments& o = *arguments;
  CLI::App* command = app.add_subcommand("train", "Trains the base model, which solves problems, on problems that it makes");
  command->footer("Example:\n  arithmetic train --minutes 15 --checkpoint mine.checkpoint --out mine.safetensors");
  const auto file = [&](const char* name, std::string& value, const char* what) {
    return command->add_option(name, value, what)->type_name("FILE");
  };
  file("--problems,--gsm8k", o.problems, "Learn from these, JSON lines as GSM8K has them; what does not fit is skipped");
  add_number(*command, "--count", o.count, "Problems to make")->transform(whole(1));
  add_number(*command, "--width", o.width, "Width of the network")->transform(whole(1));
  add_number(*command, "--depth", o.depth, "Blocks of the network")->transform(whole(1));
  add_number(*command, "--heads", o.heads, "Attention heads")->transform(whole(1));
  command->add_option("--steps", o.steps, "Steps in all, those of a resumed run included")->type_name("N")->transform(whole(1));
  command->add_option("--minutes", o.minutes, "Minutes in all; the first limit reached ends the run")->check(positive());
  add_number(*command, "--batch", o.batch, "Rows a step")->transform(whole(1));
  add_number(*command, "--rate", o.rate, "Highest learning rate")->check(positive());
  add_number(*command, "--ema", o.average, "Decay of the moving average of the weights, which is what is saved")
      ->check(between(0.0, 0.999999));
  add_number(*command, "--threads", o.threads, "Threads")->transform(whole(1, 1024));
  add_number(*command, "--seed", o.seed, "Seed of problems, network and batches")->transform(whole(0));
  file("--from", o.from, "Weights to go on from");
  file("--out", o.out, "File to write the weights to")->capture_default_str();
  add_element_type(*command, o.dtype);
  file("--checkpoint", o.checkpoint, "File to save the run to every minute, and to resume it from if it is there");
  command->callback([arguments, io] { train(*arguments, io); });
}

}  // namespace arithmetic
