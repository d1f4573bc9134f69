#include "label.hpp"

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <ostream>
#include <string>

#include "../common/number_check.hpp"
#include "lacuna/core/number_text.hpp"
#include "lacuna/mi/pruned.hpp"
#include "lacuna/train/labelling.hpp"
#include "mpi_part.hpp"
#include "pair_contexts.hpp"
#include "puzzle_file.hpp"
#include "puzzle_pool.hpp"

namespace sudoku {

using namespace common;

std::map<std::string, std::string> label_metadata(const label_arguments& arguments, const model& network) {
  return {{"sudoku.network", network.fingerprint()},
          {"sudoku.label.seed", lacuna::number_text(arguments.seed)},
          {"sudoku.label.rows", lacuna::number_text(arguments.rows)},
          {"sudoku.label.epsilon", lacuna::number_text(arguments.epsilon)}};
}

void make_labels(const label_arguments& arguments, model& network, std::ostream& log) {
  pair_contexts contexts(network, arguments.seed, signatures_of(read_puzzles(data_folder() + "/expert-1000.csv")));
  lacuna::train::label_options options;
  options.chunks = arguments.chunks;
  options.rows = arguments.rows;
  options.seed = arguments.seed;
  options.part = arguments.part;
  options.parts = arguments.parts;
  // Lines are written whole, since processes that share a terminal would mix their pieces.
  const std::string who =
      arguments.parts == 1 ? "" : "part " + std::to_string(arguments.part) + " of " + std::to_string(arguments.parts) + ": ";
  using clock = std::chrono::steady_clock;
  clock::time_point told = clock::now();
  lacuna::train::label(network, lacuna::mi::pruned{arguments.epsilon}, contexts, arguments.out, options,
                       label_metadata(arguments, network), [&](std::size_t done, std::size_t mine) {
                         if (done < mine && clock::now() - told < std::chrono::seconds(10)) return;
                         told = clock::now();
                         log << who + std::to_string(done) + " of " + std::to_string(mine) + " chunks of " +
                                    std::to_string(pair_contexts::chunk_size) + " contexts\n"
                             << std::flush;
                       });
}

void add_label_options(CLI::App& command, label_arguments& o) {
  command.add_option("--weights", o.weights, "Network to probe")->type_name("FILE")->capture_default_str();
  command.add_option("--labels", o.out, "Folder of the labels")->type_name("FOLDER")->capture_default_str();
  add_number(command, "--chunks", o.chunks, "Chunks of 64 contexts, in all")->transform(whole(1));
  add_number(command, "--rows", o.rows, "Blank cells of a context to probe, chosen at random; 0: all")
      ->transform(whole(0, cell_count));
  add_number(command, "--epsilon", o.epsilon, "Mass of rare digits that are not put in")->check(between(0.0, 0.5));
  add_number(command, "--seed", o.seed, "Seed of contexts and choices")->transform(whole(0));
}

void add_label_command(CLI::App& app, std::ostream& log) {
  const auto arguments = std::make_shared<label_arguments>();
  label_arguments& o = *arguments;
  CLI::App* command = app.add_subcommand("label", "Probes contexts, for sudoku train-mi to learn from");
  command->footer(
      "Examples:\n"
      "  sudoku label --labels labels --chunks 200\n"
      "  sudoku label --labels labels --chunks 200 --part 0 --parts 2 & sudoku label --labels labels --chunks 200 --part 1 "
      "--parts 2; wait\n"
      "  mpirun -np 4 --bind-to none sudoku label --labels labels --chunks 200");
  add_label_options(*command, o);
  add_number(*command, "--threads", o.threads, "Threads of the network; changes no result")->transform(whole(1, 1024));
  const CLI::Option* part =
      command->add_option("--part", o.part, "Which part of the chunks to make, from 0; under mpirun its rank")
          ->type_name("N")
          ->transform(whole(0));
  const CLI::Option* parts =
      command->add_option("--parts", o.parts, "Parts that they are shared out in; under mpirun the number of processes")
          ->type_name("N")
          ->transform(whole(1));
  command->callback([arguments, part, parts, &log] {
    const auto make = [&](work_part mine) {
      arguments->part = mine.part;
      arguments->parts = mine.parts;
      model network = load_model(arguments->weights, arguments->threads);
      make_labels(*arguments, network, log);
    };
    const bool chosen = part->count() + parts->count() > 0;
    if (!started_by_mpirun() || (chosen && !built_with_mpi())) return make({arguments->part, arguments->parts});
    if (chosen) throw lacuna::invalid_argument("--part and --parts: given under mpirun, expected none: it deals out the parts");
    run_with_mpi(make, log);
  });
}

}  // namespace sudoku
