#include "generation.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "../common/number_check.hpp"
#include "../common/sampler_spec.hpp"
#include "../common/text_table.hpp"
#include "check.hpp"
#include "puzzle_file.hpp"

namespace sudoku {

using namespace common;
namespace {

struct line {
  std::string sampler;
  std::size_t boards;
};

/// Exact information is that of mi::pruned with epsilon = 0.001, asked for in rounds: small values decide here.
std::vector<line> default_lines(const generate_arguments& a, bool neural) {
  std::vector<line> lines;
  for (const char* text : {"sequential", "random", "top_k:rank=entropy,k=2", "top_k:rank=entropy,k=4",
                           "entropy_bound:gamma=0.1", "entropy_bound:gamma=0.3", "entropy_bound:gamma=1"})
    lines.push_back({text, a.boards});
  if (neural)
    for (const char* text :
         {"mi_guided:mi=neural,gamma=0.3", "mi_guided:mi=neural,gamma=1", "dependence_bound:mi=neural,gamma=0.0003",
          "dependence_bound:mi=neural,gamma=0.001", "dependence_bound:mi=neural,gamma=0.003",
          "dependence_bound:mi=neural,gamma=0.01", "dependence_bound:mi=neural,gamma=0.03"})
      lines.push_back({text, a.boards});
  for (const char* text : {"mi_guided:gamma=0.3,rounds=8", "dependence_bound:gamma=0.001,rounds=8",
                           "dependence_bound:gamma=0.003,rounds=8", "dependence_bound:gamma=0.01,rounds=8"})
    lines.push_back({text, std::min(a.boards, a.exact_boards)});
  return lines;
}

/// The share of valid grids.
std::pair<double, double> validity(const decoded_puzzles& d) {
  const auto n = static_cast<double>(d.grids.size());
  const double valid = static_cast<double>(d.valid) / n;
  return {valid, std::sqrt(valid * (1 - valid) / n)};
}

void write_head(std::ostream& out, std::size_t width) {
  out << padded("sampler", width)
      << format("%8s%17s%17s%17s%13s%12s%10s%11s%11s\n", "boards", "valid", "violated units", "passes", "probe calls",
                "probe rows", "seconds", "network", "estimator")
      << std::flush;
}

void write_row(std::ostream& out, std::size_t width, const std::string& sampler, const generated_grids& g) {
  const decoded_puzzles& d = g.decoded;
  const auto [valid, error] = validity(d);
  out << padded(sampler, width) << format("%8zu", d.grids.size())
      << with_error(format("%.1f %%", 100 * valid), format("%.1f", 100 * error), 17)
      << with_error(format("%.2f", mean(g.violated)), format("%.2f", standard_error(g.violated)), 17)
      << with_error(format("%.2f", mean(d.passes)), format("%.2f", standard_error(d.passes)), 17)
      << format("%13.2f%12.1f%8.1f s%9.1f s%9.1f s\n", mean(d.probe_calls), mean(d.probe_rows), d.seconds, d.network_seconds,
                d.estimator_seconds)
      << std::flush;
}

void write_json(std::ostream& out, const std::string& sampler, const generated_grids& g) {
  const decoded_puzzles& d = g.decoded;
  const auto [valid, error] = validity(d);
  nlohmann::ordered_json line;
  line["sampler"] = sampler;
  line["boards"] = d.grids.size();
  line["valid"] = valid;
  line["valid_error"] = error;
  line["violated_units"] = mean(g.violated);
  line["violated_units_error"] = standard_error(g.violated);
  line["passes"] = mean(d.passes);
  line["passes_error"] = standard_error(d.passes);
  line["probe_calls"] = mean(d.probe_calls);
  line["probe_rows"] = mean(d.probe_rows);
  line["seconds"] = d.seconds;
  line["network_seconds"] = d.network_seconds;
  line["estimator_seconds"] = d.estimator_seconds;
  out << line.dump() << std::endl;
}

}  // namespace

generated_grids generate_grids(model& m, const named_sampler& sampler, std::size_t boards,
                               const lacuna::decode_options& options) {
  generated_grids g;
  g.decoded = decode_puzzles(m, sampler, std::vector<puzzle>(boards), options);
  for (const grid& made : g.decoded.grids) g.violated.push_back(static_cast<double>(violated_units(made)));
  return g;
}

void generate(const generate_arguments& arguments, const streams& io,
              const std::function<model(const std::string&, std::size_t)>& load,
              const estimator_slot::loading& load_estimator) {
  estimator_slot slot{arguments.estimator.empty() ? estimator_beside(arguments.weights) : arguments.estimator, load_estimator};
  std::vector<line> lines;
  for (const std::string& text : arguments.samplers) lines.push_back({text, arguments.boards});
  if (lines.empty()) {
    const bool neural = !arguments.estimator.empty() || std::filesystem::exists(slot.file());
    if (!neural) io.err << "sudoku: no estimator " << slot.file() << ": samplers with trained information are left out\n";
    lines = default_lines(arguments, neural);
  }
  std::vector<named_sampler> samplers;
  std::size_t width = 7;
  for (const line& l : lines) {
    samplers.push_back(make_sampler(with_temperature(l.sampler, arguments.temperature), &slot));
    width = std::max(width, samplers.back().text().size());
  }
  model m = load(arguments.weights, arguments.threads);
  slot.fill(m);
  if (!arguments.json) {
    io.out << "Grids from empty boards, a network of " << m.parameter_count() << " parameters\n\n";
    write_head(io.out, width);
  }
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const generated_grids g = generate_grids(m, samplers[k], lines[k].boards, {arguments.seed, arguments.batch});
    if (arguments.json)
      write_json(io.out, samplers[k].text(), g);
    else
      write_row(io.out, width, samplers[k].text(), g);
  }
}

void add_generate_command(CLI::App& app, const streams& io) {
  const auto arguments = std::make_shared<generate_arguments>();
  generate_arguments& o = *arguments;
  CLI::App* command =
      app.add_subcommand("generate", "Draws whole grids from empty boards, and tells what is valid and what it costs");
  command->footer(
      "Example: sudoku generate --boards 100 --sampler sequential --sampler dependence_bound:mi=neural,gamma=0.001");
  command
      ->add_option("--sampler", o.samplers,
                   "A sampler, as of sudoku decode; again for another one. Without: one and several cells a pass, entropy "
                   "bounds, and samplers guided by information")
      ->allow_extra_args(false)
      ->type_name("SAMPLER");
  command->add_option("--weights", o.weights, "Network to decode with")->type_name("FILE")->capture_default_str();
  command
      ->add_option("--estimator", o.estimator,
                   "Trained estimator of mutual information; without: that beside the network, NAME-mi.safetensors")
      ->type_name("FILE");
  add_number(*command, "--boards", o.boards, "Grids for each sampler")->transform(whole(1));
  add_number(*command, "--exact-boards", o.exact_boards,
             "Grids for samplers, of those used without --sampler, that score many grids a pass")
      ->transform(whole(1));
  command->add_option("--temperature", o.temperature, "Of draws, for samplers that say none; 0 takes the likeliest digits")
      ->type_name("T")
      ->check(between(0, 1e6))
      ->capture_default_str();
  add_number(*command, "--seed", o.seed, "Seed of all random draws")->transform(whole(0));
  add_number(*command, "--batch", o.batch, "Most grids in one call of the network; changes no result")->transform(whole(1));
  add_number(*command, "--threads", o.threads, "Threads of the network; changes no result")->transform(whole(1, 1024));
  command->add_flag("--json", o.json, "Print a JSON object for each sampler, one a line, and nothing else");
  command->callback([arguments, io] { generate(*arguments, io); });
}

}  // namespace sudoku
