#include "train_order.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <ostream>
#include <vector>

#include "../common/interruption.hpp"
#include "../common/number_check.hpp"
#include "../common/text_table.hpp"
#include "element_type.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/number_text.hpp"
#include "lacuna/io/atomic_file.hpp"
#include "lacuna/nn/metadata.hpp"
#include "lacuna/nn/order_metadata.hpp"
#include "lacuna/train/observers.hpp"
#include "lacuna/train/trainable_order.hpp"
#include "lacuna/train/trainer.hpp"
#include "lacuna/train/weights_file.hpp"
#include "network.hpp"
#include "problem_file.hpp"
#include "rows.hpp"

namespace arithmetic {

using namespace common;

namespace {

namespace lt = lacuna::train;

/// Problems with budgets: a step's are told by its number and the seed alone.
class problem_rows {
 public:
  using batch = lt::order_batch;

  problem_rows(const std::vector<example>& all, const train_order_arguments& arguments)
      : all_{&all}, arguments_{&arguments}, solution_{solution_positions()} {}

  void operator()(std::size_t /*step*/, lt::order_batch& out, lacuna::random_stream& random) const {
    for (std::size_t r = 0; r < arguments_->batch; ++r) {
      const std::size_t which = random.below(all_->size());
      const std::size_t budget =
          arguments_->least_budget + random.below(arguments_->most_budget - arguments_->least_budget + 1);
      out.add((*all_)[which].row, solution_, budget, random);
    }
  }

 private:
  const std::vector<example>* all_;
  const train_order_arguments* arguments_;
  std::vector<std::size_t> solution_;
};

/// A line about the orders every ten seconds, and one in the curve's file.
class order_log {
 public:
  order_log(std::ostream& out, std::string curve) : out_{&out}, curve_{std::move(curve)} {}

  void operator()(const lt::step_report& r, const lt::order_report& now) {
    elbo_.add(now.elbo);
    divergence_.add(now.divergence);
    steps_.add(now.steps);
    first_.add(now.first);
    last_.add(now.last);
    advantage_.add(now.advantage_variance);
    if (r.elapsed - said_ < 10 && r.step > 1) return;
    said_ = r.elapsed;
    *out_ << format(
                 "step %6zu  bound %8.3f = %8.3f - %7.3f nats  steps %.2f  first %.2f  last %.2f  advantage^2 %.3g  %.1f min\n",
                 r.step, elbo_.value(), elbo_.value() + divergence_.value(), divergence_.value(), steps_.value(),
                 first_.value(), last_.value(), advantage_.value(), r.elapsed / 60)
          << std::flush;
    if (curve_.empty()) return;
    const bool fresh = !std::filesystem::exists(curve_);
    std::ofstream file(curve_, std::ios::app);
    if (fresh) file << "minutes,steps,bound,divergence,path_steps,first,last,advantage_variance\n";
    file << format("%.2f,%zu,%.4f,%.4f,%.3f,%.3f,%.3f,%.4g\n", r.elapsed / 60, r.step, elbo_.value(), divergence_.value(),
                   steps_.value(), first_.value(), last_.value(), advantage_.value());
  }

 private:
  std::ostream* out_;
  std::string curve_;
  double said_ = -1e9;
  lt::running_mean elbo_, divergence_, steps_, first_, last_, advantage_;
};

}  // namespace

void train_order(const train_order_arguments& arguments, const streams& io) {
  if (!arguments.steps && !arguments.minutes)
    throw lacuna::invalid_argument("train-order: neither --steps nor --minutes is given");
  if (arguments.least_budget > arguments.most_budget)
    throw lacuna::invalid_argument("train-order: budgets from " + std::to_string(arguments.least_budget) + " to " +
                                   std::to_string(arguments.most_budget) + ", expected an ascending range");
  const lacuna::io::element_type type = element_type_of(arguments.dtype);
  lacuna::io::atomic_file{arguments.out};
  if (!arguments.checkpoint.empty()) lacuna::io::atomic_file{arguments.checkpoint};
  const auto trunk = load_network(arguments.base, arguments.threads);
  const std::string base = fingerprint_of(trunk->parameters());
  const tokeniser words;
  const examples data = arguments.problems.empty() ? make_examples(words, arguments.seed, false, arguments.count)
                                                   : read_examples(words, arguments.problems);
  io.err << data.all.size() << " problems" << (data.skipped > 0 ? ", " + std::to_string(data.skipped) + " skipped" : "")
         << std::endl;

  lacuna::nn::order_head head{{trunk->hidden_size(), arguments.head_width, static_cast<float>(arguments.start)},
                              arguments.seed};
  lacuna::nn::transformer scores{lt::score_config(trunk->config(), arguments.score_width, arguments.score_depth),
                                 arguments.seed + 1, arguments.threads};
  lt::order_options<> how;
  how.paths = arguments.paths;
  how.beta = arguments.beta;
  how.posterior.tau = arguments.tau;
  how.trunk = arguments.along ? lt::trunk_training::along : lt::trunk_training::frozen;
  lt::trainable_order<> model{*trunk, head, scores, how};
  io.err << model.parameters().values().size() << " parameters" << std::endl;

  std::map<std::string, std::string> metadata = lacuna::nn::to_metadata(head.config());
  if (arguments.along)
    metadata.merge(lacuna::nn::to_metadata(trunk->config()));
  else
    metadata["arithmetic.base"] = base;
  metadata["arithmetic.order.from"] = base;
  metadata["arithmetic.problems"] = fingerprint_of(data.all);
  metadata["arithmetic.order.seed"] = lacuna::number_text(arguments.seed);
  metadata["arithmetic.order.batch"] = lacuna::number_text(arguments.batch);
  metadata["arithmetic.order.paths"] = lacuna::number_text(arguments.paths);
  metadata["arithmetic.order.rate"] = lacuna::number_text(arguments.rate);
  metadata["arithmetic.order.tau"] = lacuna::number_text(arguments.tau);
  metadata["arithmetic.order.beta"] = lacuna::number_text(arguments.beta);
  metadata["arithmetic.order.budget"] =
      lacuna::number_text(arguments.least_budget) + "," + lacuna::number_text(arguments.most_budget);
  lt::options<> run;
  run.steps = arguments.steps.value_or(run.steps);
  if (arguments.minutes) run.seconds = 60 * *arguments.minutes;
  run.seed = arguments.seed;
  run.schedule.peak = arguments.rate;
  run.update.average.decay = arguments.average;
  run.checkpoint = arguments.checkpoint;
  run.metadata = metadata;
  order_log log{io.err, arguments.curve};
  lt::training_state state;
  {
    const interruption ctrl_c;
    state = lt::run(model, problem_rows{data.all, arguments}, run, [&](const lt::step_report& r, const lt::training_state&) {
      log(r, model.last());
      return !interruption::asked();
    });
  }
  metadata["arithmetic.order.steps"] = lacuna::number_text(state.step);
  model.take(state.average.values);
  lt::joined_parameters kept;  // the scores are for training alone
  kept.add("", head.parameters());
  if (arguments.along) kept.add("trunk.", trunk->parameters());
  lt::save_weights(arguments.out, kept.parameters(), kept.parameters().values(), metadata, type);
  io.err << "wrote " << arguments.out << std::endl;
}

void add_train_order_command(CLI::App& app, const streams& io) {
  const auto arguments = std::make_shared<train_order_arguments>();
  train_order_arguments& o = *arguments;
  CLI::App* command = app.add_subcommand("train-order", "Learns in which order a trained model is to reveal a solution");
  command->footer("Example:\n  arithmetic train-order --budget 5 --most 5 --minutes 10 --out order5.safetensors");
  const auto file = [&](const char* name, std::string& value, const char* what) {
    return command->add_option(name, value, what)->type_name("FILE");
  };
  file("--base", o.base, "Base model")->capture_default_str();
  file("--problems,--gsm8k", o.problems, "Learn from these, JSON lines as GSM8K has them; what does not fit is skipped");
  add_number(*command, "--count", o.count, "Problems to make")->transform(whole(1));
  add_number(*command, "--budget", o.least_budget, "Steps at most, T; the least of them")->transform(whole(1));
  add_number(*command, "--most", o.most_budget, "The most of them: T is drawn for each problem")->transform(whole(1));
  add_number(*command, "--paths", o.paths, "Paths of each problem")->transform(whole(2));
  add_number(*command, "--tau", o.tau, "Temperature of the posterior")->check(positive());
  add_number(*command, "--beta", o.beta, "Weight of the divergence; less than 1: more steps, less rush")
      ->check(between(0, 100));
  command->add_flag("--along", o.along, "The base model learns too, and is saved with the order");
  add_number(*command, "--head-width", o.head_width, "Width of the order's head")->transform(whole(1));
  add_number(*command, "--start", o.start, "Logit of revealing, of all positions, before training")->check(between(-20, 20));
  add_number(*command, "--score-width", o.score_width, "Width of the network of the posterior's scores")->transform(whole(4));
  add_number(*command, "--score-depth", o.score_depth, "Its blocks")->transform(whole(1));
  command->add_option("--steps", o.steps, "Steps in all, those of a resumed run included")->type_name("N")->transform(whole(1));
  command->add_option("--minutes", o.minutes, "Minutes in all; the first limit reached ends the run")->check(positive());
  add_number(*command, "--batch", o.batch, "Problems a step")->transform(whole(1));
  add_number(*command, "--rate", o.rate, "Highest learning rate")->check(positive());
  add_number(*command, "--ema", o.average, "Decay of the moving average of the weights, which is what is saved")
      ->check(between(0.0, 0.999999));
  add_number(*command, "--threads", o.threads, "Threads")->transform(whole(1, 1024));
  add_number(*command, "--seed", o.seed, "Seed of problems, networks, batches and paths")->transform(whole(0));
  file("--out", o.out, "File to write the weights to")->capture_default_str();
  add_element_type(*command, o.dtype);
  file("--checkpoint", o.checkpoint, "File to save the run to every minute, and to resume it from if it is there");
  file("--curve", o.curve, "File to append what is told of the run to, as CSV");
  command->callback([arguments, io] { train_order(*arguments, io); });
}

}  // namespace arithmetic
