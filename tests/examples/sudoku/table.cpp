#include "../../../examples/sudoku/table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "../../../examples/sudoku/table_plan.hpp"
#include "../../../examples/sudoku/table_report.hpp"
#include "fixtures.hpp"

namespace {

using namespace sudoku;
using namespace sudoku_test;

/// Puzzles with eight blanks, so that nothing takes long.
std::string easy_puzzles(std::size_t count) {
  std::string text;
  for (puzzle p : some_puzzles(count)) {
    p.givens = *p.solution;
    for (std::size_t cell = 0; cell < 8; ++cell) p.givens[10 * cell] = blank;
    text += to_line(p.givens) + "," + to_line(*p.solution) + "\n";
  }
  return text;
}

pair_estimator tenth_of_a_nat(const std::string&, const model& network) {
  CHECK(network.hidden_size() == 96);
  return pair_estimator{
      [](const lacuna::step_view&, std::span<const std::size_t>, std::span<double> out) { std::ranges::fill(out, 0.1); }};
}

struct shown {
  std::string out, err;
  std::size_t calls = 0;  // of the network
};
shown table_of(const table_arguments& arguments, const std::string& puzzles) {
  shown s;
  std::istringstream in(puzzles);
  std::ostringstream out, err;
  const auto load = [&](const std::string&, std::size_t) {
    model inner = scrambled();
    return with_hidden_states(
        model{[&s, inner](const lacuna::token_batch& x, std::span<const std::size_t> wanted, lacuna::row_sink sink) mutable {
          ++s.calls;
          inner(x, wanted, sink);
        }});
  };
  table(arguments, {in, out, err}, load, tenth_of_a_nat);
  s.out = out.str();
  s.err = err.str();
  return s;
}

table_arguments small_table() {
  table_arguments a;
  a.file = "-";
  a.weights = "no.safetensors";
  a.estimator = "made-here";
  a.count = 3;
  a.exact_count = 2;
  a.match_count = 2;
  return a;
}

std::vector<nlohmann::json> objects_of(const std::string& lines) {
  std::vector<nlohmann::json> all;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) all.push_back(nlohmann::json::parse(line));
  return all;
}

TEST_CASE("each guided line has the same budget without information and a matching entropy bound beside it, paired") {
  table_arguments a = small_table();
  a.json = true;
  const std::vector<nlohmann::json> lines = objects_of(table_of(a, easy_puzzles(4)).out);
  std::size_t guided = 0, same_budget = 0, same_passes = 0;
  for (const auto& line : lines) {
    const std::string sampler = line["sampler"];
    if (line.contains("less")) {
      CHECK(sampler.starts_with("mi_guided:"));
      const std::string other = line["less"];
      if (line["equal"] == "budget") {
        ++same_budget;
        CHECK(other.find("lambda=0,") != std::string::npos);
        const auto gamma = [](const std::string& text) { return text.substr(0, text.find(',')); };
        CHECK(gamma(other) == gamma(sampler));
      } else {
        ++same_passes;
        CHECK(other.starts_with("entropy_bound:"));
      }
      // the same puzzles, and the same draws
      CHECK(line["puzzles"] == (sampler.find("mi=neural") != std::string::npos ? 3 : 2));
      CHECK((sampler.find("temperature=1") == std::string::npos) == (other.find("temperature=1") == std::string::npos));
    } else {
      guided += sampler.starts_with("mi_guided:") && sampler.find("lambda=1") != std::string::npos ? 1U : 0U;
      CHECK(line["passes"].get<double>() >= 1);
      CHECK(line["probe_rows"].is_number());
      CHECK(line["estimator_seconds"].is_number());
    }
  }
  CHECK(guided == 2 * 5);
  CHECK(same_budget == guided);
  CHECK(same_passes == guided);
}

TEST_CASE("the table says what it shows, lines come out for both kinds of draws, and the picture has a curve for each family") {
  const lacuna_test::scratch_file picture{"trade-off.svg"};
  table_arguments a = small_table();
  a.picture = picture.path().string();
  const shown s = table_of(a, easy_puzzles(3));
  CHECK(s.err.empty());
  CHECK(s.out.starts_with("3 puzzles, "));
  for (const char* text : {"of the first 2\n", "With the likeliest digits:", "With digits drawn at temperature 1:",
                           "What is due to the information", "lines the information solves more"})
    CHECK(s.out.find(text) != std::string::npos);
  std::set<std::string> families;
  for (const table_line& line : table_plan(true)) families.insert(line.family + (line.few ? ", first 2 puzzles" : ""));
  for (const std::string& family : families) {
    CHECK(picture.get().find(">" + family + "<") != std::string::npos);
    CHECK(picture.get().find(">" + family + ", drawn<") != std::string::npos);
  }
}

TEST_CASE("a table begun is gone on with from its results, to the same end") {
  const lacuna_test::scratch_file results{"results.jsonl"};
  table_arguments a = small_table();
  a.temperatures = {0};
  a.results = results.path().string();
  const std::string puzzles = easy_puzzles(3);
  const shown whole = table_of(a, puzzles);
  CHECK(whole.calls > 0);
  const shown again = table_of(a, puzzles);
  CHECK(again.calls == 0);
  CHECK(again.out == whole.out);

  const std::string kept = results.get();
  results.put(kept.substr(0, kept.size() / 2));  // interrupted half way, in the middle of a line
  const shown rest = table_of(a, puzzles);
  CHECK(rest.calls > 0);
  CHECK(rest.calls < whole.calls);
  CHECK(std::count(kept.begin(), kept.end(), '\n') > 20);

  a.seed = 1;
  CHECK(table_of(a, puzzles).calls > 0);
}

TEST_CASE("without an estimator there are no lines of trained information, and it says so") {
  table_arguments a = small_table();
  a.estimator.clear();
  a.temperatures = {0};
  a.json = true;
  const shown s = table_of(a, easy_puzzles(1));
  CHECK(s.err == "sudoku: no estimator no-mi.safetensors: lines with trained information are left out\n");
  CHECK(s.out.find("neural") == std::string::npos);
  CHECK(s.out.find("mi_guided:") != std::string::npos);
}

TEST_CASE("the verdict tells what is beyond noise from what is within it") {
  measurement sure{"mi_guided:gamma=1,lambda=1", std::vector<double>(100, 1), std::vector<double>(100, 5), {}, {}};
  measurement without = sure;
  without.sampler = "mi_guided:gamma=1,lambda=0";
  for (const bool differ : {false, true}) {
    for (std::size_t k = 0; differ && k < 50; ++k) without.solved[k] = 0;
    std::ostringstream out;
    table_report report{out, false};
    report.head(0);
    report.row(compare(sure, without, "lambda"));
    report.verdict();
    CHECK((out.str().find("what it does here cannot be told from noise") == std::string::npos) == differ);
    CHECK((out.str().find("In 1 of 1 lines the information solves more") != std::string::npos) == differ);
    CHECK((out.str().find("+50.0 ± 5.0 points") != std::string::npos) == differ);
  }
}

TEST_CASE("a picture that could not be written is refused before anything is measured") {
  table_arguments a = small_table();
  a.picture = "no/such/folder/picture.svg";
  std::istringstream in{easy_puzzles(1)};
  std::ostringstream out, err;
  CHECK_THROWS_AS(table(a, {in, out, err},
                        [](const std::string&, std::size_t) -> model {
                          FAIL("read the network");
                          throw lacuna::error("unreachable");
                        },
                        {}),
                  lacuna::file_error);
}

TEST_CASE("a wrong temperature is refused") {
  const ran r = run({"table", "--temperature", "-1"});
  CHECK(r.code == 2);
  CHECK(r.err.find("-1, expected both or a number from 0") != std::string::npos);
  CHECK(run({"table", "--count", "0"}).code == 2);
  CHECK(run({"table", "--help"}).code == 0);
}

}  // namespace
