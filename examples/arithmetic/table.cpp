#include "table.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <span>

#include "../common/number_check.hpp"
#include "../common/text_table.hpp"
#include "chain.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/sample/decode.hpp"
#include "network.hpp"
#include "problem_file.hpp"
#include "rows.hpp"
#include "solved_store.hpp"
#include "solvers.hpp"

namespace arithmetic {

using namespace common;

namespace {

/// Heuristics at several numbers of steps, and those that choose their own.
std::vector<std::string> plan() {
  std::vector<std::string> all;
  for (const char* name : {"iid", "confidence", "margin", "entropy", "left_to_right"})
    for (const char* steps : {"2", "3", "4", "5", "7", "10", "15"}) all.push_back(std::string(name) + ":steps=" + steps);
  for (const char* tau : {"0.5", "0.7", "0.9"}) all.push_back(std::string("threshold:tau=") + tau);
  for (const char* gamma : {"0.1", "0.5", "1", "2", "4"}) all.push_back(std::string("entropy_bound:gamma=") + gamma);
  return all;
}

struct row {
  solver by;
  std::string key;  ///< network and sampler
  solved_piece all{};
};

solved_piece solve(const row& r, lacuna::nn::transformer& base, std::span<const example> problems, std::size_t first,
                   const tokeniser& words, std::uint64_t seed) {
  std::vector<lacuna::job> jobs;
  for (std::size_t k = 0; k < problems.size(); ++k) jobs.push_back({canvas_of(problems[k].row), first + k, lacuna::unlimited});
  const auto begin = std::chrono::steady_clock::now();
  const auto found = lacuna::decode(r.by.trunk ? *r.by.trunk : base, jobs, r.by.sampler, {seed, lacuna::unlimited});
  solved_piece p;
  p.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (std::size_t k = 0; k < problems.size(); ++k) {
    const lacuna::decode_result& one = found.rows[k];
    if (one.reason == lacuna::stop_reason::error) throw lacuna::model_error(one.error);
    const judgement j = judge(problems[k].question, solution_of(words, one.tokens), problems[k].answer);
    p.steps.push_back(one.cost.of(lacuna::purpose::decode).rows);
    p.right.push_back(j.answer ? 1 : 0);
    p.chain.push_back(j.chain ? 1 : 0);
    p.probes += static_cast<double>(one.cost.of(lacuna::purpose::probe).rows);
  }
  return p;
}

double share(std::span<const std::uint8_t> flags) {
  return static_cast<double>(std::count(flags.begin(), flags.end(), std::uint8_t{1})) / static_cast<double>(flags.size());
}
double error_of_share(double p, std::size_t n) { return std::sqrt(p * (1 - p) / static_cast<double>(n)); }

}  // namespace

void table(const table_arguments& arguments, const streams& io) {
  std::vector<row> rows;
  for (const std::string& name : arguments.samplers.empty() ? plan() : arguments.samplers)
    rows.push_back({make_solver(name, arguments.threads), {}});
  const auto base = load_network(arguments.base, arguments.threads);
  for (row& r : rows) r.key = fingerprint_of((r.by.trunk ? *r.by.trunk : *base).parameters()) + " " + r.by.text;
  const tokeniser words;
  const examples data = arguments.problems.empty() ? make_examples(words, arguments.seed, true, arguments.count)
                                                   : read_examples(words, arguments.problems);
  if (data.skipped > 0) io.err << data.skipped << " problems skipped" << std::endl;
  const std::span<const example> problems = std::span{data.all}.first(std::min(arguments.count, data.all.size()));
  solved_store store{arguments.results, fingerprint_of(data.all) + "/" + std::to_string(arguments.seed), arguments.batch};
  for (std::size_t first = 0; first < problems.size(); first += arguments.batch) {
    const auto piece = problems.subspan(first, std::min(arguments.batch, problems.size() - first));
    for (row& r : rows) {
      const solved_piece* done = store.find(r.key, first / arguments.batch);
      if (done == nullptr || done->steps.size() != piece.size())
        done = &store.add(r.key, first / arguments.batch, solve(r, *base, piece, first, words, arguments.seed));
      r.all.steps.insert(r.all.steps.end(), done->steps.begin(), done->steps.end());
      r.all.right.insert(r.all.right.end(), done->right.begin(), done->right.end());
      r.all.chain.insert(r.all.chain.end(), done->chain.begin(), done->chain.end());
      r.all.probes += done->probes;
      r.all.seconds += done->seconds;
    }
    io.err << first + piece.size() << " of " << problems.size() << " problems" << std::endl;
  }

  std::size_t width = 7;
  for (const row& r : rows) width = std::max(width, r.by.text.size());
  if (!arguments.json)
    io.out << problems.size() << " problems, answers and chains in %.\n\n"
           << padded("sampler", width)
           << format("%8s%6s%6s%17s%17s%10s%10s\n", "steps", "min", "max", "answer", "chain", "probes", "seconds");
  for (const row& r : rows) {
    const std::size_t n = r.all.steps.size();
    double mean = 0;
    for (const std::size_t s : r.all.steps) mean += static_cast<double>(s) / static_cast<double>(n);
    const auto [least, most] = std::minmax_element(r.all.steps.begin(), r.all.steps.end());
    const double right = share(r.all.right), chain = share(r.all.chain);
    const double probes = r.all.probes / static_cast<double>(n);
    if (arguments.json) {
      nlohmann::ordered_json line;
      line["sampler"] = r.by.text;
      line["budget"] = r.by.budget;
      line["steps_mean"] = mean;
      line["steps_min"] = *least;
      line["steps_max"] = *most;
      line["accuracy"] = right;
      line["se"] = error_of_share(right, n);
      line["chain"] = chain;
      line["chain_se"] = error_of_share(chain, n);
      line["probes"] = probes;
      line["problems"] = n;
      line["seconds"] = r.all.seconds;
      io.out << line.dump() << std::endl;
      continue;
    }
    const auto column = [&](double p) {
      return with_error(format("%.1f", 100 * p), format("%.1f", 100 * error_of_share(p, n)), 17);
    };
    io.out << padded(r.by.text, width) << format("%8.2f%6zu%6zu", mean, *least, *most) << column(right) << column(chain)
           << format("%10.1f%10.1f\n", probes, r.all.seconds) << std::flush;
  }
}

void add_table_command(CLI::App& app, const streams& io) {
  const auto arguments = std::make_shared<table_arguments>();
  table_arguments& o = *arguments;
  CLI::App* command = app.add_subcommand("table", "Compares orders on test problems: right answers, right chains, steps");
  command->footer(
      "Example: arithmetic table --sampler learned:steps=5 --sampler confidence:steps=4\n\nSamplers, with their defaults:\n" +
      list_solvers());
  const auto file = [&](const char* name, std::string& value, const char* what) {
    return command->add_option(name, value, what)->type_name("FILE");
  };
  file("--base", o.base, "Base model")->capture_default_str();
  file("--problems,--gsm8k", o.problems, "Solve these, JSON lines as GSM8K has them; what does not fit is skipped");
  add_number(*command, "--count", o.count, "Problems at most")->transform(whole(1));
  add_number(*command, "--batch", o.batch, "Problems that are solved together before the next sampler has its turn")
      ->transform(whole(1));
  command->add_option("--sampler", o.samplers, "Sampler to compare; again for another one. Without: heuristics")
      ->type_name("SPEC");
  add_number(*command, "--seed", o.seed, "Seed of the problems and of all random draws")->transform(whole(0));
  add_number(*command, "--threads", o.threads, "Threads of the networks; changes no result")->transform(whole(1, 1024));
  file("--results", o.results, "Keep what was solved there, JSON lines, and use what is there");
  command->add_flag("--json", o.json, "Print a JSON object for each sampler, and nothing else");
  command->callback([arguments, io] { table(*arguments, io); });
}

}  // namespace arithmetic
