#include "train_mi.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <ostream>
#include <vector>

#include "../common/interruption.hpp"
#include "../common/number_check.hpp"
#include "../common/text_table.hpp"
#include "label_images.hpp"
#include "lacuna/core/number_text.hpp"
#include "lacuna/io/atomic_file.hpp"
#include "lacuna/mi/agreement.hpp"
#include "lacuna/mi/pruned.hpp"
#include "lacuna/nn/contextual_head.hpp"
#include "lacuna/nn/hadamard_head.hpp"
#include "lacuna/nn/pair_metadata.hpp"
#include "lacuna/nn/trainable_head.hpp"
#include "lacuna/train/fresh_pairs.hpp"
#include "lacuna/train/labelling.hpp"
#include "lacuna/train/observers.hpp"
#include "lacuna/train/pair_examples.hpp"
#include "lacuna/train/trainer.hpp"
#include "lacuna/train/weights_file.hpp"
#include "network.hpp"
#include "pair_contexts.hpp"
#include "puzzle_file.hpp"
#include "puzzle_pool.hpp"
#include "symmetry.hpp"
#include "train.hpp"

namespace sudoku {

using namespace common;
namespace {

namespace lt = lacuna::train;

/// The labels of a folder, each context beside so many random images of it.
lt::pair_examples examples_of(model& network, const label_arguments& labels, std::size_t images = 0) {
  const std::vector<lt::labelled_context> contexts =
      lt::read_chunks(labels.out, labels.chunks, label_metadata(labels, network));
  lt::pair_examples examples;
  examples.add(network, contexts);
  for (std::size_t image = 1; image <= images; ++image) {
    std::vector<lt::labelled_context> others;
    lacuna::random_stream random{labels.seed, lacuna::stream_use::other, image};
    for (const lt::labelled_context& c : contexts) others.push_back(image_of(c, random_symmetry(random)));
    examples.add(network, others);
  }
  return examples;
}

/// Agreement with the exact numbers over the pairs of which both directions are known, of contexts with so many blanks.
template <class Head>
lacuna::mi::agreement agreement_with(const lt::pair_examples& truth, const Head& head, std::size_t least, std::size_t most) {
  std::vector<double> estimates, exact, of_context;
  typename Head::scratch scratch;
  for (std::size_t e = 0; e < truth.size(); ++e) {
    const lacuna::nn::pair_example example = truth[e];
    const std::size_t n = example.context.size();
    if (n < least || n > most) continue;
    std::vector<std::size_t> all(n);
    std::iota(all.begin(), all.end(), std::size_t{0});
    of_context.resize(n * n);
    head(example.context, all, scratch, of_context);
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < a; ++b) {
        if (example.weights[a * n + b] != 1) continue;
        const double cap = std::min(example.context.entropies[a], example.context.entropies[b]);
        estimates.push_back(std::min(of_context[a * n + b], cap));  // as decoding cleans it
        exact.push_back(static_cast<double>(example.targets[a * n + b]));
      }
  }
  return lacuna::mi::agreement_of(estimates, exact);
}

template <class Head>
void report(const train_mi_arguments& arguments, const lt::pair_examples& truth, const Head& head, std::ostream& out) {
  if (!arguments.json)
    out << truth.size() << " contexts that were not trained on\n"
        << padded("blanks", 10) << format("%10s%8s%14s%12s\n", "pairs", "R2", "MAE in nats", "rank corr.");
  constexpr std::size_t edges[][2] = {{2, 20}, {21, 40}, {41, 60}, {61, 81}, {2, 81}};
  for (const auto& [least, most] : edges) {
    const lacuna::mi::agreement a = agreement_with(truth, head, least, most);
    if (arguments.json)
      out << nlohmann::ordered_json{{"measure", "agreement"},
                                    {"least_blanks", least},
                                    {"most_blanks", most},
                                    {"pairs", a.count},
                                    {"r_squared", a.r_squared},
                                    {"mean_absolute_error", a.mean_absolute_error},
                                    {"rank_correlation", a.rank_correlation}}
                 .dump()
          << std::endl;
    else
      out << padded(std::to_string(least) + " to " + std::to_string(most), 10)
          << format("%10zu%8.3f%14.5f%12.3f\n", a.count, a.r_squared, a.mean_absolute_error, a.rank_correlation) << std::flush;
  }
}

template <class Head>
void train_head(const train_mi_arguments& arguments, Head head, model& network, std::ostream& out, std::ostream& log) {
  // What would end the run is better known before than after.
  const lacuna::nn::pair_loss loss{arguments.square, arguments.log_square};
  loss.validate();
  lacuna::io::atomic_file{arguments.out};
  if (!arguments.checkpoint.empty()) lacuna::io::atomic_file{arguments.checkpoint};
  label_arguments held_out = arguments.labels;
  held_out.out = arguments.validation.empty() ? arguments.labels.out + "-validation" : arguments.validation;
  held_out.chunks = arguments.validation_chunks;
  held_out.rows = 0;
  held_out.seed = arguments.labels.seed + 1;
  if (held_out.chunks > 0) make_labels(held_out, network, log);
  if (!arguments.fresh) make_labels(arguments.labels, network, log);

  std::map<std::string, std::string> metadata = label_metadata(arguments.labels, network);
  metadata.merge(lacuna::nn::to_metadata(head.config()));
  metadata["sudoku.mi.batch"] = lacuna::number_text(arguments.batch);
  metadata["sudoku.mi.chunks"] = arguments.fresh ? "fresh" : lacuna::number_text(arguments.labels.chunks);
  metadata["sudoku.mi.images"] = lacuna::number_text(arguments.images);
  metadata["sudoku.mi.loss"] = lacuna::number_text(arguments.square) + "," + lacuna::number_text(arguments.log_square);
  metadata["sudoku.mi.seed"] = lacuna::number_text(arguments.seed);
  metadata["sudoku.mi.rate"] = lacuna::number_text(arguments.rate);
  metadata["sudoku.mi.decay"] = lacuna::number_text(arguments.decay);
  metadata["sudoku.mi.ema"] = lacuna::number_text(arguments.average);
  lt::options<> options;
  options.steps = arguments.steps;
  options.seed = arguments.seed;
  options.schedule.peak = arguments.rate;
  options.update.average.decay = arguments.average;
  options.update.optimizer.decay = arguments.decay;
  options.checkpoint = arguments.checkpoint;
  options.metadata = metadata;
  const auto with_source = [&](auto& source) {
    lacuna::nn::trainable_head trainable{head, loss, arguments.labels.threads};
    std::optional<interruption> ctrl_c{std::in_place};
    const lt::training_state state =
        lt::run(trainable, source, options,
                lt::observe_all(lt::progress_line{log, 10},
                                [](const lt::step_report&, const lt::training_state&) { return !interruption::asked(); }));
    ctrl_c.reset();
    metadata["sudoku.mi.steps"] = lacuna::number_text(state.step);
    metadata["sudoku.mi.threads"] = lacuna::number_text(arguments.labels.threads);
    lt::save_weights(arguments.out, head.parameters(), state.average.values, metadata);
    log << "wrote " << arguments.out << ": " << head.parameters().values().size() << " parameters" << std::endl;
    if (interruption::asked() || held_out.chunks == 0) return;
    std::copy(state.average.values.begin(), state.average.values.end(), head.parameters().values().begin());
    report(arguments, examples_of(network, held_out), head, out);
  };
  if (arguments.fresh) {
    lt::fresh_pairs source{
        network, lacuna::mi::pruned{arguments.labels.epsilon},
        pair_contexts(network, arguments.labels.seed, signatures_of(read_puzzles(data_folder() + "/expert-1000.csv"))),
        arguments.labels.rows};
    with_source(source);
  } else {
    const lt::pair_examples known = examples_of(network, arguments.labels, arguments.images);
    lt::pair_training_set source{known, arguments.batch};
    with_source(source);
  }
}

}  // namespace

void train_mi(const train_mi_arguments& arguments, std::ostream& out, std::ostream& log) {
  model network = load_model(arguments.labels.weights, arguments.labels.threads);
  if (arguments.head == "hadamard") {
    train_head(arguments, lacuna::nn::hadamard_head{{network.hidden_size(), arguments.width}, arguments.seed}, network, out,
               log);
    return;
  }
  lacuna::nn::contextual_config config;
  config.hidden = network.hidden_size();
  config.rank = arguments.rank;
  config.blocks = network_config({arguments.width, arguments.depth, 4, 0});
  config.blocks.features.clear();  // where a cell stands is in its hidden state
  config.blocks.feed_forward = 2 * arguments.width;
  train_head(arguments, lacuna::nn::contextual_head{config, arguments.seed}, network, out, log);
}

void add_train_mi_command(CLI::App& app, std::ostream& out, std::ostream& log) {
  const auto arguments = std::make_shared<train_mi_arguments>();
  train_mi_arguments& o = *arguments;
  CLI::App* command = app.add_subcommand("train-mi", "Trains an estimator of mutual information for a network");
  command->footer(
      "Example:\n"
      "  sudoku train-mi --weights mine.safetensors --labels labels --chunks 100 --out mine-mi.safetensors");
  add_label_options(*command, o.labels);
  add_number(*command, "--threads", o.labels.threads,
             "Threads; labels are the same with any number, the estimator differs by rounding")
      ->transform(whole(1, 1024));
  command->add_flag("--fresh", o.fresh, "Label each step's contexts anew, 64 a step, instead of keeping labels in a folder");
  command->add_option("--head", o.head, "Kind of estimator: the published one, or ours, which sees all blank cells together")
      ->check(CLI::IsMember({"hadamard", "contextual"}))
      ->capture_default_str();
  add_number(*command, "--width", o.width, "Width of the estimator")->transform(whole(1));
  add_number(*command, "--depth", o.depth, "Blocks of a contextual one")->transform(whole(1));
  add_number(*command, "--rank", o.rank, "Products that make up a pair's score, of a contextual one")->transform(whole(1));
  add_number(*command, "--steps", o.steps, "Steps in all, those of a resumed run included")->transform(whole(1));
  add_number(*command, "--batch", o.batch, "Contexts a step")->transform(whole(1));
  add_number(*command, "--images", o.images, "Random symmetric images of each labelled context to train on as well")
      ->transform(whole(0));
  add_number(*command, "--rate", o.rate, "Highest learning rate")->check(positive());
  add_number(*command, "--decay", o.decay, "Weight decay")->check(between(0.0, 1.0));
  add_number(*command, "--ema", o.average, "Decay of the moving average of the weights, which is what is saved")
      ->check(between(0.0, 0.999999));
  add_number(*command, "--square", o.square, "Weight of squared errors")->check(between(0.0, 1e6));
  add_number(*command, "--log-square", o.log_square, "Weight of squared errors of logarithms, which teach small values")
      ->check(between(0.0, 1e6));
  add_number(*command, "--start", o.seed, "Seed of the estimator and its batches")->transform(whole(0));
  command
      ->add_option("--validation", o.validation, "Folder of labels to measure with; without: that of --labels with -validation")
      ->type_name("FOLDER");
  add_number(*command, "--validation-chunks", o.validation_chunks, "Chunks of them, every blank probed; 0: nothing is measured")
      ->transform(whole(0));
  command
      ->add_option("--checkpoint", o.checkpoint, "File to save the run to every minute, and to resume it from if it is there")
      ->type_name("FILE");
  command->add_option("--out", o.out, "File to write the estimator to")->type_name("FILE")->capture_default_str();
  command->add_flag("--json", o.json, "Print what is measured as JSON objects, one a line");
  command->callback([arguments, &out, &log] { train_mi(*arguments, out, log); });
}

}  // namespace sudoku
