#include "decode.hpp"

#include <CLI/CLI.hpp>
#include <fstream>
#include <functional>
#include <istream>
#include <memory>
#include <ostream>

#include "../common/number_check.hpp"
#include "decode_puzzles.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/sample/trace_json.hpp"
#include "lacuna/sample/trace_picture.hpp"
#include "lacuna/sample/trace_recorder.hpp"
#include "puzzle_file.hpp"
#include "report.hpp"
#include "samplers.hpp"

namespace sudoku {

using namespace common;
namespace {

const std::vector<std::string> default_samplers{"sequential", "top_k:k=4", "top_k:k=7", "threshold:tau=0.9",
                                                "entropy_bound:gamma=0.1"};

/// Calls `write` with the file of that name, opened.
template <class Write>
void write_file(const std::string& path, Write write) {
  std::ofstream file(path);
  if (file) write(file);
  file.close();
  if (!file) throw lacuna::file_error(path + ": cannot be written");
}

/// What is asked for about the first puzzle, under the first sampler.
void show_first(const decode_arguments& arguments, model& m, const named_sampler& first, const puzzle& p, bool grids,
                std::ostream& out) {
  lacuna::sample::trace_recorder recorder;
  const lacuna::decode_result result = decode_traced(m, first.sampler, p, arguments.seed, recorder);
  if (grids) {
    out << "The first puzzle under " << first.text() << ", " << result.cost.calls() << " passes:\n\n";
    show_filling(out, p, result);
    out << '\n';
  }
  if (!arguments.picture.empty())
    write_file(arguments.picture, [&](std::ostream& file) {
      lacuna::sample::trace_picture{9, 3}.write(file, recorder.row(0), [](lacuna::token t) { return std::to_string(t); });
    });
  if (!arguments.trace.empty())
    write_file(arguments.trace, [&](std::ostream& file) { lacuna::sample::trace_json{}.write(file, recorder.rows()); });
}

}  // namespace

void decode(const decode_arguments& arguments, const streams& io,
            const std::function<model(const std::string&, std::size_t)>& load, const estimator_slot::loading& load_estimator) {
  std::vector<std::string> texts = arguments.samplers;
  if (texts.empty()) texts = arguments.grids ? std::vector{default_samplers.front()} : default_samplers;
  estimator_slot slot{arguments.estimator.empty() ? estimator_beside(arguments.weights) : arguments.estimator, load_estimator};
  std::vector<named_sampler> samplers;
  for (const std::string& text : texts) samplers.push_back(make_sampler(text, &slot));
  std::vector<puzzle> puzzles = read_puzzles(arguments.file, io.in);
  const std::string name = arguments.file == "-" ? "standard input" : arguments.file;
  if (arguments.count && *arguments.count > puzzles.size())
    io.err << "sudoku: " << name << " holds " << puzzles.size() << " puzzles, fewer than --count " << *arguments.count
           << ": decoding these\n";
  if (arguments.count && *arguments.count < puzzles.size()) puzzles.resize(*arguments.count);
  model m = load(arguments.weights, arguments.threads);
  slot.fill(m);

  const bool table = !arguments.grids && !arguments.json;
  if (table)
    io.out << puzzles.size() << " puzzles of " << name << ", a network of " << m.parameter_count() << " parameters\n\n";
  if (table || !arguments.picture.empty() || !arguments.trace.empty())
    show_first(arguments, m, samplers.front(), puzzles.front(), table, io.out);
  std::optional<sampler_table> rows;
  if (table) rows.emplace(io.out, samplers);
  for (const named_sampler& s : samplers) {
    const decoded_puzzles decoded = decode_puzzles(m, s, puzzles, {arguments.seed, arguments.batch});
    if (arguments.grids)
      for (const grid& g : decoded.grids) io.out << to_line(g) << '\n';
    if (arguments.json) write_json_line(io.out, s, decoded);
    if (rows) rows->row(s, decoded);
  }
}

void add_decode_command(CLI::App& app, const streams& io) {
  const auto arguments = std::make_shared<decode_arguments>();
  decode_arguments& o = *arguments;
  CLI::App* command = app.add_subcommand("decode", "Decodes puzzles, and tells what each sampler costs and solves");
  command->footer(
      "Examples:\n"
      "  sudoku decode --count 100\n"
      "  sudoku decode mine.csv --sampler top_k:rank=margin,k=4 --sampler entropy_bound:gamma=0.2\n"
      "  sudoku decode - --sampler sequential --grids < mine.csv");
  command
      ->add_option("FILE", o.file,
                   "Puzzles, one a line: 81 characters, . or 0 for a blank, then optionally ,solution; - reads standard input")
      ->type_name("")
      ->capture_default_str();
  std::string names;
  for (const std::string& text : default_samplers) names += (names.empty() ? "" : " ") + text;
  command
      ->add_option("--sampler", o.samplers,
                   "A sampler, NAME or NAME:key=value,key=value, as --list shows them; again for another one. Without: " +
                       names + ", with --grids the first of these")
      ->allow_extra_args(false)
      ->type_name("SAMPLER");
  command->add_option("--weights", o.weights, "Network to decode with, as written by sudoku train")
      ->type_name("FILE")
      ->capture_default_str();
  command
      ->add_option("--estimator", o.estimator,
                   "Trained estimator of mutual information, for samplers with mi=neural; without: that beside the network, "
                   "NAME-mi.safetensors")
      ->type_name("FILE");
  add_number(*command, "--count", o.count, "Decode only the first N puzzles")->transform(whole(1));
  add_number(*command, "--seed", o.seed, "Seed of all random draws")->transform(whole(0));
  add_number(*command, "--batch", o.batch, "Most puzzles in one call of the network; changes no result")->transform(whole(1));
  add_number(*command, "--threads", o.threads, "Threads of the network; changes no result")->transform(whole(1, 1024));
  CLI::Option* grids = command->add_flag("--grids", o.grids, "Print the decoded grids, one a line, and nothing else");
  command->add_flag("--json", o.json, "Print a JSON object for each sampler, one a line, and nothing else")->excludes(grids);
  command->add_option("--picture", o.picture, "Draw the first puzzle filling in, as SVG")->type_name("FILE");
  command->add_option("--trace", o.trace, "Write the steps of the first puzzle, as JSON")->type_name("FILE");
  command->add_flag("--list", o.list, "List the samplers with their parameters, and end");
  command->callback([arguments, io] {
    if (arguments->list)
      io.out << list_samplers();
    else
      decode(*arguments, io);
  });
}

}  // namespace sudoku
