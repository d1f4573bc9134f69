#include "decode.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "check.hpp"
#include "data_folder.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/sample/trace_json.hpp"
#include "lacuna/sample/trace_picture.hpp"
#include "lacuna/sample/trace_recorder.hpp"
#include "model.hpp"
#include "puzzle_file.hpp"
#include "samplers.hpp"

namespace sudoku {
namespace {

struct decode_arguments {
  std::string file = data_folder() + "/expert-1000.csv";
  std::string weights = data_folder() + "/best.safetensors";
  std::vector<std::string> samplers;
  std::size_t count = 0;
  std::uint64_t seed = 0;
  std::size_t batch = 64;
  std::size_t threads = 1;
  bool grids = false;
  bool json = false;
  bool list = false;
  std::string picture;
  std::string trace;
};

/// What one sampler made of all puzzles.
struct outcome {
  std::vector<grid> grids;
  std::vector<double> passes;
  std::size_t solved = 0;
  std::size_t valid = 0;
  double seconds = 0;
};

lacuna::canvas canvas_of(const grid& givens) {
  return lacuna::canvas::infill_where(std::vector<lacuna::token>(givens.begin(), givens.end()), blank);
}

bool solves(const puzzle& p, const grid& answer) {
  return is_solved(p.givens, answer) && (!p.solution || *p.solution == answer);
}

outcome decode_all(model& m, const named_sampler& sampler, std::span<const puzzle> puzzles, const decode_arguments& o) {
  std::vector<lacuna::canvas> starts;
  for (const puzzle& p : puzzles) starts.push_back(canvas_of(p.givens));
  const std::vector<lacuna::job> jobs = lacuna::jobs_of(starts);
  const auto begin = std::chrono::steady_clock::now();
  const lacuna::batch_result result = sampler.decode(m, jobs, lacuna::decode_options{o.seed, o.batch});
  outcome out;
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (std::size_t i = 0; i < puzzles.size(); ++i) {
    const lacuna::decode_result& row = result.rows[i];
    if (row.reason == lacuna::stop_reason::error) throw lacuna::model_error(row.error);
    grid answer{};
    for (std::size_t cell = 0; cell < cell_count; ++cell) answer[cell] = static_cast<std::int8_t>(row.tokens[cell]);
    out.solved += solves(puzzles[i], answer) ? 1U : 0U;
    out.valid += is_valid(answer) ? 1U : 0U;
    out.passes.push_back(static_cast<double>(row.cost.calls()));
    out.grids.push_back(answer);
  }
  return out;
}

double mean(std::span<const double> x) {
  double sum = 0;
  for (const double v : x) sum += v;
  return sum / static_cast<double>(x.size());
}

double standard_error(std::span<const double> x) {
  const double m = mean(x);
  double sum = 0;
  for (const double v : x) sum += (v - m) * (v - m);
  return x.size() < 2 ? 0 : std::sqrt(sum / static_cast<double>(x.size() - 1) / static_cast<double>(x.size()));
}

/// One grid line of three blocks; `cell(i)` is two characters wide.
template <class Cell>
std::string grid_line(std::size_t row, Cell cell) {
  std::string line;
  for (std::size_t column = 0; column < 9; ++column)
    line += (column % 3 == 0 && column > 0 ? " |" : "") + std::string(" ") + cell(9 * row + column);
  return line;
}

/// The first puzzle: its givens, the pass that filled each cell, and the result.
void show_filling(model& m, const named_sampler& sampler, const puzzle& p, const decode_arguments& o) {
  lacuna::sample::trace_recorder recorder;
  const lacuna::decode_result result = sampler.trace(m, canvas_of(p.givens), o.seed, recorder);
  grid answer{};
  for (std::size_t cell = 0; cell < cell_count; ++cell) answer[cell] = static_cast<std::int8_t>(result.tokens[cell]);
  const auto digit = [](std::int8_t d) { return d == blank ? std::string(" .") : " " + std::to_string(d); };
  std::printf("The first puzzle under %s, %zu passes:\n\n", sampler.text().c_str(), result.cost.calls());
  std::printf("  %-31s  %-31s  %s\n", "givens", "filled in pass number",
              solves(p, answer) ? "result: solved" : "result: wrong");
  for (std::size_t row = 0; row < 9; ++row) {
    if (row == 3 || row == 6) {
      const char* rule = " ---------+----------+---------";
      std::printf("%s  %s  %s\n", rule, rule, rule);
    }
    const std::string givens = grid_line(row, [&](std::size_t i) { return digit(p.givens[i]); });
    const std::string passes = grid_line(row, [&](std::size_t i) {
      if (p.givens[i] != blank) return std::string(" .");
      const std::string n = std::to_string(result.step[i] + 1);
      return n.size() == 1 ? " " + n : n;
    });
    const std::string filled = grid_line(row, [&](std::size_t i) { return digit(answer[i]); });
    std::printf("%s  %s  %s\n", givens.c_str(), passes.c_str(), filled.c_str());
  }
  std::printf("\n");
  const auto open = [](const std::string& path) {
    std::ofstream out(path);
    if (!out) throw lacuna::file_error(path + ": cannot be written");
    return out;
  };
  if (!o.picture.empty()) {
    auto out = open(o.picture);
    lacuna::sample::trace_picture{9, 3}.write(out, recorder.row(0), [](lacuna::token t) { return std::to_string(t); });
  }
  if (!o.trace.empty()) {
    auto out = open(o.trace);
    lacuna::sample::trace_json{}.write(out, recorder.rows());
  }
}

void print_json(const named_sampler& sampler, const outcome& out) {
  nlohmann::ordered_json line;
  line["sampler"] = sampler.name;
  for (const parameters::value& v : sampler.values) {
    if (v.is_number)
      line[v.key] = nlohmann::ordered_json::parse(v.text, nullptr, false).is_discarded()
                        ? nlohmann::ordered_json(v.text)
                        : nlohmann::ordered_json::parse(v.text);
    else
      line[v.key] = v.text;
  }
  line["puzzles"] = out.grids.size();
  line["passes"] = mean(out.passes);
  line["solved"] = out.solved;
  line["valid"] = out.valid;
  line["seconds"] = out.seconds;
  std::cout << line.dump() << std::endl;
}

void print_row(const named_sampler& sampler, const outcome& out) {
  const auto n = static_cast<double>(out.grids.size());
  const double share = static_cast<double>(out.solved) / n;
  std::printf("%-42s %6.2f ± %.2f   %5.1f %% ± %.1f   %5.1f %%   %7.2f\n", sampler.text().c_str(), mean(out.passes),
              standard_error(out.passes), 100 * share, 100 * std::sqrt(share * (1 - share) / n),
              100 * static_cast<double>(out.valid) / n, out.seconds);
  std::fflush(stdout);
}

void decode(const decode_arguments& o) {
  std::vector<named_sampler> samplers;
  for (const std::string& text : o.samplers) samplers.push_back(make_sampler(text));
  std::vector<puzzle> puzzles = read_puzzles(o.file);
  if (o.count != 0 && o.count < puzzles.size()) puzzles.resize(o.count);
  model m(o.weights, o.threads);

  const bool table = !o.grids && !o.json;
  if (table) {
    std::printf("%zu puzzles of %s, a network of %zu parameters\n\n", puzzles.size(), o.file.c_str(), m.parameter_count());
    show_filling(m, samplers.front(), puzzles.front(), o);
    std::printf("%-42s %13s   %14s   %7s   %7s\n", "sampler", "passes", "solved", "valid", "seconds");
  }
  for (const named_sampler& sampler : samplers) {
    const outcome out = decode_all(m, sampler, puzzles, o);
    if (o.grids)
      for (const grid& g : out.grids) std::cout << to_line(g) << '\n';
    if (o.json) print_json(sampler, out);
    if (table) print_row(sampler, out);
  }
}

}  // namespace

void add_decode_command(CLI::App& app) {
  auto arguments = std::make_shared<decode_arguments>();
  decode_arguments& o = *arguments;
  CLI::App* command = app.add_subcommand("decode", "Decodes puzzles, and tells what each sampler costs and solves");
  command
      ->add_option("FILE", o.file,
                   "Puzzles, one a line: 81 characters, . or 0 for a blank, then optionally ,solution; - reads "
                   "standard input")
      ->capture_default_str();
  command->add_option("--sampler", o.samplers, "NAME or NAME:key=value,…; may be given several times (--list names them)")
      ->default_str("sequential, top_k, threshold, entropy_bound");
  command->add_option("--weights", o.weights, "Network to decode with, as written by sudoku train")->capture_default_str();
  command->add_option("--count", o.count, "Only the first so many puzzles; 0: all")->capture_default_str();
  command->add_option("--seed", o.seed, "Seed of all random draws")->capture_default_str();
  command->add_option("--batch", o.batch, "Most puzzles in one call of the network")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--threads", o.threads, "Threads of the network")->check(CLI::PositiveNumber)->capture_default_str();
  CLI::Option* grids = command->add_flag("--grids", o.grids, "Print the decoded grids and nothing else, one a line");
  command->add_flag("--json", o.json, "Print one JSON object a sampler instead of the table")->excludes(grids);
  command->add_option("--picture", o.picture, "Draw the first puzzle filling in, as an SVG file")->excludes(grids);
  command->add_option("--trace", o.trace, "Write the first puzzle's trace as a JSON file")->excludes(grids);
  command->add_flag("--list", o.list, "List the samplers with their parameters and end");
  command->callback([arguments] {
    if (arguments->list) {
      std::cout << list_samplers();
      return;
    }
    if (arguments->samplers.empty())
      arguments->samplers = {"sequential", "top_k:k=4", "top_k:k=7", "threshold:tau=0.9", "entropy_bound:gamma=0.1"};
    decode(*arguments);
  });
}

}  // namespace sudoku
