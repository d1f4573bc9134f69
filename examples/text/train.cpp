#include "train.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../common/interruption.hpp"
#include "../common/number_check.hpp"
#include "../common/text_table.hpp"
#include "corpus.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/number_text.hpp"
#include "lacuna/io/atomic_file.hpp"
#include "lacuna/io/element_type.hpp"
#include "lacuna/nn/hybrid_metadata.hpp"
#include "lacuna/nn/metadata.hpp"
#include "lacuna/nn/trainable_hybrid.hpp"
#include "lacuna/nn/trainable_verifier.hpp"
#include "lacuna/nn/transformer.hpp"
#include "lacuna/train/hybrid_rows.hpp"
#include "lacuna/train/masking.hpp"
#include "lacuna/train/observers.hpp"
#include "lacuna/train/trainer.hpp"
#include "lacuna/train/weights_file.hpp"
#include "network.hpp"
#include "networks.hpp"

namespace text {

using namespace common;

namespace {

namespace lt = lacuna::train;

/// Rows of a text with masks: a step's are told by its number and the seed alone.
class masked_rows {
 public:
  masked_rows(std::string_view symbols, std::size_t length, std::size_t rows)
      : symbols_{symbols}, length_{length}, levels_(rows), masker_{mask} {}

  void operator()(std::size_t /*step*/, lt::batch_builder& batch, lacuna::random_stream& random) {
    lt::stratified_levels{}.fill(levels_, random);
    for (const double level : levels_) masker_.add_row(random_row(symbols_, length_, random), level, batch, random);
  }
  /// Rows spread over the whole text, the masks drawn from a stream of their own.
  void spread(std::size_t count, lt::batch_builder& batch) {
    lacuna::random_stream random{0, lacuna::stream_use::other};
    for (std::size_t k = 0; k < count; ++k)
      masker_.add_row(spread_row(symbols_, length_, k, count), (static_cast<double>(k) + 0.5) / static_cast<double>(count),
                      batch, random);
  }

 private:
  std::string_view symbols_;
  std::size_t length_;
  std::vector<double> levels_;
  lt::masker<> masker_;
};

/// Draws rows for lacuna::train::hybrid_rows.
struct row_drawer {
  std::string_view symbols;
  std::size_t length;
  std::vector<lacuna::token> row{};

  std::span<const lacuna::token> operator()(lacuna::random_stream& random) {
    row = random_row(symbols, length, random);
    return row;
  }
};

/// The same rows, each in an order of its own with some of it revealed.
class ordered_rows {
 public:
  using batch = lt::hybrid_batch;

  ordered_rows(std::string_view symbols, std::size_t length, std::size_t rows)
      : symbols_{symbols}, length_{length}, rows_{row_drawer{symbols, length}, rows} {}

  void operator()(std::size_t step, lt::hybrid_batch& out, lacuna::random_stream& random) { rows_(step, out, random); }
  /// Rows spread over the whole text, the orders drawn from a stream of their own.
  void spread(std::size_t count, lt::hybrid_batch& out) const {
    lacuna::random_stream random{0, lacuna::stream_use::other};
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < count; ++k)
      lt::add_in_random_order(spread_row(symbols_, length_, k, count),
                              (static_cast<double>(k) + 0.5) / static_cast<double>(count), out, order, random);
  }

 private:
  std::string_view symbols_;
  std::size_t length_;
  lt::hybrid_rows<row_drawer> rows_;
};

/// What a checkpoint must agree with to be resumed, and what the weights' file tells of the run.
std::map<std::string, std::string> run_metadata(const train_arguments& arguments) {
  return {{"text.kind", arguments.kind},
          {"text.seed", lacuna::number_text(arguments.seed)},
          {"text.batch", lacuna::number_text(arguments.batch)},
          {"text.rate", lacuna::number_text(arguments.rate)}};
}

/// The loss of some rows in nats a symbol, by the average of the weights: of drafts, and of targets where there are any.
struct measured {
  double draft = 0;
  std::optional<double> target{};
};
template <class Model, class Batch>
measured loss_of(Model& net, const Batch& batch, const lt::training_state& state) {
  const lt::averaged_weights scope{net.parameters(), state.average};
  if constexpr (requires { net.loss(batch.view()); }) {
    const lacuna::nn::hybrid_loss loss = net.loss(batch.view());
    return {loss.draft, loss.target};
  } else {
    std::vector<float> gradient(net.parameters().values().size(), 0.0F);
    return {net.loss_and_gradient(batch.view(), gradient) / batch.units()};
  }
}

/// Trains whatever it is and writes it; `source` makes batches and validation rows of a text.
template <class Model, class Source, class Rows>
void train_with(const train_arguments& arguments, Model& net, Source source, Rows held_out,
                std::map<std::string, std::string> metadata, std::size_t length, lacuna::io::element_type type,
                std::ostream& log) {
  metadata.merge(run_metadata(arguments));
  lt::options<> run;
  run.steps = arguments.steps.value_or(run.steps);
  if (arguments.minutes) run.seconds = 60 * *arguments.minutes;
  run.seed = arguments.seed;
  run.schedule.peak = arguments.rate;
  run.update.average.decay = arguments.average;
  run.checkpoint = arguments.checkpoint;
  run.metadata = metadata;
  log << net.parameters().values().size() << " parameters" << std::endl;

  lt::batch_of<Source> validation;
  if (held_out) held_out->spread(arguments.evaluate_rows, validation);
  const auto evaluate = [&](const lt::training_state& state) {
    if (!held_out) return;
    const measured loss = loss_of(net, validation, state);
    log << "validation: " << format("%.4f", loss.draft) << " nats a symbol"
        << (loss.target ? format(", targets %.4f,", *loss.target) : std::string{}) << " after " << lt::clock_text(state.elapsed)
        << ", " << state.rows * length << " symbols" << std::endl;
    if (arguments.curve.empty()) return;
    const bool fresh = !std::filesystem::exists(arguments.curve);
    std::ofstream file(arguments.curve, std::ios::app);
    if (fresh) file << "minutes,steps,symbols,loss,validation,targets\n";
    file << format("%.2f,%zu,%zu,%.4f,%.4f,", state.elapsed / 60, state.step, state.rows * length, state.loss.value(),
                   loss.draft)
         << (loss.target ? format("%.4f", *loss.target) : std::string{}) << std::endl;
    if (!file) log << arguments.curve << ": cannot be written" << std::endl;  // no reason to lose what has been trained
  };
  using clock = std::chrono::steady_clock;
  clock::time_point measured = clock::now();
  lt::training_state state;
  {
    const interruption ctrl_c;
    state = lt::run(net, source, run,
                    lt::observe_all(lt::progress_line{log, 10}, [&](const lt::step_report&, const lt::training_state& now) {
                      if (std::chrono::duration<double>(clock::now() - measured).count() >= 60 * arguments.evaluate_minutes) {
                        evaluate(now);
                        measured = clock::now();
                      }
                      return !interruption::asked();
                    }));
  }
  metadata["text.steps"] = lacuna::number_text(state.step);
  metadata["text.symbols"] = lacuna::number_text(state.rows * length);
  lt::save_weights(arguments.out, net.parameters(), state.average.values, metadata, type);
  log << "wrote " << arguments.out << std::endl;
  if (!interruption::asked())
    evaluate(state);
  else
    log << "interrupted" << (arguments.checkpoint.empty() ? "" : "; the same command goes on from " + arguments.checkpoint)
        << std::endl;
}

lacuna::nn::output_residual residual_of(const train_arguments& arguments) {
  return arguments.residual == "none" ? lacuna::nn::output_residual::off : lacuna::nn::output_residual::on;
}

}  // namespace

void train(const train_arguments& arguments, const streams& io) {
  if (!arguments.steps && !arguments.minutes) throw lacuna::invalid_argument("train: neither --steps nor --minutes is given");
  const bool onto = arguments.kind == "causal";
  if (onto == arguments.from.empty())
    throw lacuna::invalid_argument(onto ? "train: --kind causal needs --from, a masked network"
                                        : "train: --from goes with --kind causal alone");
  const lacuna::io::element_type type = arguments.dtype == "f16"    ? lacuna::io::element_type::f16
                                        : arguments.dtype == "bf16" ? lacuna::io::element_type::bf16
                                                                    : lacuna::io::element_type::f32;
  network_size size{arguments.length, arguments.width, arguments.depth, arguments.heads,
                    arguments.positions == "learned" ? lacuna::nn::positions::learned : lacuna::nn::positions::rotary};
  lacuna::io::atomic_file{arguments.out};  // a place that cannot be written to is better known before than after
  if (!arguments.checkpoint.empty()) lacuna::io::atomic_file{arguments.checkpoint};
  std::shared_ptr<lacuna::nn::transformer> trunk;
  if (onto) trunk = load_masked(arguments.from, 1);
  const std::size_t length = onto ? trunk->max_length() : arguments.length;
  const std::string symbols = read_text(arguments.text, io.in, length);
  std::string held_out;
  if (!arguments.validation.empty()) held_out = read_text(arguments.validation, io.in, length);
  io.err << symbols.size() << " symbols of text" << std::endl;

  std::optional<ordered_rows> held_out_orders;
  if (!held_out.empty()) held_out_orders.emplace(held_out, length, arguments.batch);
  if (onto) {
    lacuna::nn::hybrid_config config;
    config.trunk = trunk->config();
    config.causal_depth = arguments.causal;
    config.residual = residual_of(arguments);
    std::map<std::string, std::string> metadata = lacuna::nn::to_metadata(config);
    metadata["text.trunk"] = fingerprint_of(trunk->parameters());
    lacuna::nn::trainable_verifier net(config, trunk->parameters(), arguments.seed, arguments.threads);
    train_with(arguments, net, ordered_rows{symbols, length, arguments.batch}, held_out_orders, std::move(metadata), length,
               type, io.err);
    return;
  }
  if (arguments.kind == "hybrid") {
    if (arguments.causal >= arguments.depth)
      throw lacuna::invalid_argument("train: " + std::to_string(arguments.causal) + " causal blocks of " +
                                     std::to_string(arguments.depth) + ", expected fewer");
    size.depth -= arguments.causal;
    lacuna::nn::hybrid_config config;
    config.trunk = network_config(size);
    config.causal_depth = arguments.causal;
    config.residual = residual_of(arguments);
    lacuna::nn::trainable_hybrid net(config, arguments.seed, arguments.threads);
    train_with(arguments, net, ordered_rows{symbols, length, arguments.batch}, held_out_orders, lacuna::nn::to_metadata(config),
               length, type, io.err);
    return;
  }
  const lacuna::nn::transformer_config config = network_config(size);
  lacuna::nn::transformer net(config, arguments.seed, arguments.threads);
  std::optional<masked_rows> rows;
  if (!held_out.empty()) rows.emplace(held_out, length, arguments.batch);
  train_with(arguments, net, masked_rows{symbols, length, arguments.batch}, rows, lacuna::nn::to_metadata(config), length, type,
             io.err);
}

void add_train_command(CLI::App& app, const streams& io) {
  const auto arguments = std::make_shared<train_arguments>();
  train_arguments& o = *arguments;
  CLI::App* command = app.add_subcommand("train", "Trains a network on a text");
  command->footer(
      "Example:\n"
      "  text train --text novels.txt --validation other.txt --minutes 20 --checkpoint mine.checkpoint --out mine.safetensors\n"
      "  text train --kind causal --from masked.safetensors --text novels.txt --minutes 5 --out causal.safetensors");
  const auto file = [&](const char* name, std::string& value, const char* what) {
    return command->add_option(name, value, what)->type_name("FILE");
  };
  command->add_option("--kind", o.kind, "masked; hybrid: drafts and verifies; causal: verifies a masked one")
      ->check(CLI::IsMember({"masked", "hybrid", "causal"}))
      ->capture_default_str();
  file("--from", o.from, "Masked network that causal blocks are to verify; it stays as it is and has the shape");
  file("--text", o.text, "Text to learn from, any: all but a to z becomes spaces; - reads standard input")->required();
  file("--validation", o.validation, "Text to measure with");
  command->add_option("--steps", o.steps, "Steps in all, those of a resumed run included")->type_name("N")->transform(whole(1));
  command->add_option("--minutes", o.minutes, "Minutes in all; the first limit reached ends the run")->check(positive());
  add_number(*command, "--batch", o.batch, "Rows a step")->transform(whole(1));
  add_number(*command, "--length", o.length, "Symbols of a row")->transform(whole(2));
  add_number(*command, "--width", o.width, "Width of the network")->transform(whole(1));
  add_number(*command, "--depth", o.depth, "Blocks of the network, the causal ones included")->transform(whole(1));
  add_number(*command, "--causal", o.causal, "Causal ones among them; of kind causal, beside them")->transform(whole(1));
  add_number(*command, "--heads", o.heads, "Attention heads")->transform(whole(1));
  command
      ->add_option("--residual", o.residual, "What is added to a causal block's output: the draft's hidden state, or nothing")
      ->check(CLI::IsMember({"next", "none"}))
      ->capture_default_str();
  command->add_option("--positions", o.positions, "How a network knows where symbols stand")
      ->check(CLI::IsMember({"rotary", "learned"}))
      ->capture_default_str();
  add_number(*command, "--rate", o.rate, "Highest learning rate")->check(positive());
  add_number(*command, "--ema", o.average, "Decay of the moving average of the weights, which is what is saved")
      ->check(between(0.0, 0.999999));
  add_number(*command, "--threads", o.threads, "Threads")->transform(whole(1, 1024));
  add_number(*command, "--seed", o.seed, "Seed of network and batches")->transform(whole(0));
  file("--out", o.out, "File to write the weights to")->capture_default_str();
  command->add_option("--dtype", o.dtype, "Numbers of the file")
      ->check(CLI::IsMember({"f32", "f16", "bf16"}))
      ->capture_default_str();
  file("--checkpoint", o.checkpoint, "File to save the run to every minute, and to resume it from if it is there");
  add_number(*command, "--evaluate-every", o.evaluate_minutes, "Minutes from one measurement to the next")->check(positive());
  add_number(*command, "--evaluate-rows", o.evaluate_rows, "Rows of the validation text to measure with")->transform(whole(1));
  file("--curve", o.curve, "File to append the measurements to, as CSV");
  command->callback([arguments, io] { train(*arguments, io); });
}

}  // namespace text
