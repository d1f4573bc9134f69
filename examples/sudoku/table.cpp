#include "table.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <ostream>

#include "../common/number_check.hpp"
#include "../common/sampler_spec.hpp"
#include "bench.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/number_text.hpp"
#include "lacuna/io/atomic_file.hpp"
#include "lacuna/sample/trade_off_picture.hpp"
#include "puzzle_file.hpp"
#include "results_file.hpp"
#include "table_plan.hpp"
#include "table_report.hpp"

namespace sudoku {

using namespace common;
namespace {

/// The same budget without information: what estimates it does not matter then, and one run serves all.
std::string without_information(const std::string& guided) {
  const sampler_spec spec = parse_spec(guided);
  return spec.name + ":lambda=0,gamma=" + spec.given.at("gamma");
}

/// A guided line with what stands beside it.
void guided_line(bench& b, table_report& report, const table_line& line, const std::string& family, double temperature,
                 std::size_t count, std::size_t match_count) {
  const measurement guided = b.measure(with_temperature(line.sampler, temperature), count);
  report.row(guided, family);
  const measurement control = b.measure(with_temperature(without_information(line.sampler), temperature), count);
  report.row(control, line.few ? "" : "mi_guided, lambda = 0");
  report.row(compare(guided, control, "lambda"));
  const measurement matched = b.measure(entropy_bound_with_passes_of(b, guided, temperature, match_count), count);
  report.row(matched, "");
  report.row(compare(guided, matched, "passes"));
}

void draw_picture(const std::string& path, const std::string& title, const table_report& report) {
  std::ofstream file(path);
  if (file) lacuna::sample::trade_off_picture{title, "average passes", "solved, %"}.write(file, report.curves());
  file.close();
  if (!file) throw lacuna::file_error(path + ": cannot be written");
}

}  // namespace

void table(const table_arguments& arguments, const streams& io,
           const std::function<model(const std::string&, std::size_t)>& load, const estimator_slot::loading& load_estimator) {
  const std::string estimator = arguments.estimator.empty() ? estimator_beside(arguments.weights) : arguments.estimator;
  const bool neural = !arguments.estimator.empty() || std::filesystem::exists(estimator);
  std::vector<puzzle> puzzles = read_puzzles(arguments.file, io.in);
  const measured_on on{fingerprint_of(arguments.weights), fingerprint_of(estimator), fingerprint_of(puzzles), arguments.seed};
  if (puzzles.size() > arguments.count) puzzles.resize(arguments.count);
  if (!arguments.picture.empty()) lacuna::io::atomic_file{arguments.picture};  // a bad place is better known now
  results_file results{arguments.results, on};
  model m = load(arguments.weights, arguments.threads);
  estimator_slot slot{estimator, load_estimator};
  if (neural) {  // refused now rather than after half an hour
    static_cast<void>(slot.promised());
    slot.fill(m);
  }

  bench b{m, puzzles, slot, results, {arguments.seed, arguments.batch}};
  table_report report{io.out, arguments.json};
  const std::size_t few = std::min(arguments.exact_count, puzzles.size());
  const std::size_t match = std::min(arguments.match_count, puzzles.size());
  const std::string title = std::to_string(puzzles.size()) + " puzzles, " + arguments.weights;
  if (!neural) io.err << "sudoku: no estimator " << estimator << ": lines with trained information are left out\n";
  if (!arguments.json)
    io.out << puzzles.size() << " puzzles, a network of " << m.parameter_count()
           << " parameters. Passes and probe rows are means; probe rows are grids scored beside the passes, for\n"
              "information or as guesses of lookahead. Exact information is that of mi=pruned with epsilon=0.01; its lines and "
              "those\nof punt, all of whose tests are passes, are of the first "
           << few << "\npuzzles. Entropy bounds of as many passes as a guided sampler takes have their gamma from the first "
           << match << " puzzles.\n\n";
  for (const double temperature : arguments.temperatures) {
    report.head(temperature);
    for (const table_line& line : table_plan(neural)) {
      const std::size_t count = line.few ? few : puzzles.size();
      const std::string family =
          line.family + (count < puzzles.size() ? ", first " + std::to_string(count) + " puzzles" : std::string{});
      if (line.guided)
        guided_line(b, report, line, family, temperature, count, match);
      else
        report.row(b.measure(with_temperature(line.sampler, temperature), count), family);
    }
    report.verdict();
    if (!arguments.json) io.out << '\n';
    if (!arguments.picture.empty()) draw_picture(arguments.picture, title, report);
  }
}

void add_table_command(CLI::App& app, const streams& io) {
  const auto arguments = std::make_shared<table_arguments>();
  table_arguments& o = *arguments;
  CLI::App* command =
      app.add_subcommand("table", "Compares samplers on the shipped puzzles, and what information does in them");
  command->footer(
      "Takes about half an hour on two threads; with --results it can be interrupted and gone on with.\n"
      "Example: sudoku table --threads 2 --results table.jsonl --picture trade-off.svg");
  command->add_option("FILE", o.file, "Puzzles, as of sudoku decode")->type_name("")->capture_default_str();
  const auto file = [&](const char* name, std::string& value, const char* what) {
    return command->add_option(name, value, what)->type_name("FILE");
  };
  file("--weights", o.weights, "Network to decode with")->capture_default_str();
  file("--estimator", o.estimator,
       "Trained estimator of mutual information; without: that beside the network, NAME-mi.safetensors, if there is one");
  file("--results", o.results, "Keep measurements there, one JSON object a line, and use those that are there");
  file("--picture", o.picture, "Draw solved against passes, as SVG");
  add_number(*command, "--count", o.count, "Puzzles")->transform(whole(1));
  add_number(*command, "--exact-count", o.exact_count, "Puzzles for samplers that score many grids a pass")
      ->transform(whole(1));
  add_number(*command, "--match-count", o.match_count, "Puzzles on which an entropy bound of as many passes is looked for")
      ->transform(whole(1));
  add_number(*command, "--seed", o.seed, "Seed of all random draws")->transform(whole(0));
  add_number(*command, "--batch", o.batch, "Most puzzles in one call of the network; changes no result")->transform(whole(1));
  add_number(*command, "--threads", o.threads, "Threads of the network; changes no result")->transform(whole(1, 1024));
  command
      ->add_option_function<std::string>(
          "--temperature",
          [&o](const std::string& text) {
            double t = 0;
            if (text == "both") return;
            if (!lacuna::read_number(text, t) || !(t >= 0 && t <= 1e6))
              throw CLI::ValidationError("--temperature", text + ", expected both or a number from 0");
            o.temperatures = {t};
          },
          "0 takes the likeliest digits, more draws them; both: 0 and 1")
      ->type_name("both|T")
      ->default_str("both");
  command->add_flag("--json", o.json, "Print a JSON object for each line, and nothing else");
  command->callback([arguments, io] { table(*arguments, io); });
}

}  // namespace sudoku
