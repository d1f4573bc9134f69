#include "../../../examples/sudoku/report.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "fixtures.hpp"

namespace {

using namespace sudoku;
using namespace sudoku_test;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Columns that a terminal shows: the bytes that begin a character.
std::size_t columns_of(const std::string& line) {
  std::size_t n = 0;
  for (const char c : line) n += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1U : 0U;
  return n;
}

TEST_CASE("a grid filling in shows givens, passes and the result side by side") {
  std::vector<puzzle> puzzles(1, puzzle{from_line(solution_text), from_line(solution_text)});
  for (const std::size_t cell : {0U, 4U, 40U, 80U}) puzzles[0].givens[cell] = blank;
  model m = oracle(puzzles);
  lacuna::sample::trace_recorder recorder;
  lacuna::decode_result result = decode_traced(m, make_sampler("sequential").sampler, puzzles[0], 0, recorder);
  std::ostringstream out;
  show_filling(out, puzzles[0], result);
  CHECK(out.str() ==
        " the puzzle                filled in pass number     the result: solved\n"
        " . 3 4 | 6 . 8 | 9 1 2     4 . . | . 3 . | . . .     5 3 4 | 6 7 8 | 9 1 2\n"
        " 6 7 2 | 1 9 5 | 3 4 8     . . . | . . . | . . .     6 7 2 | 1 9 5 | 3 4 8\n"
        " 1 9 8 | 3 4 2 | 5 6 7     . . . | . . . | . . .     1 9 8 | 3 4 2 | 5 6 7\n"
        "-------+-------+------    -------+-------+------    -------+-------+------\n"
        " 8 5 9 | 7 6 1 | 4 2 3     . . . | . . . | . . .     8 5 9 | 7 6 1 | 4 2 3\n"
        " 4 2 6 | 8 . 3 | 7 9 1     . . . | . 2 . | . . .     4 2 6 | 8 5 3 | 7 9 1\n"
        " 7 1 3 | 9 2 4 | 8 5 6     . . . | . . . | . . .     7 1 3 | 9 2 4 | 8 5 6\n"
        "-------+-------+------    -------+-------+------    -------+-------+------\n"
        " 9 6 1 | 5 3 7 | 2 8 4     . . . | . . . | . . .     9 6 1 | 5 3 7 | 2 8 4\n"
        " 2 8 7 | 4 1 9 | 6 3 5     . . . | . . . | . . .     2 8 7 | 4 1 9 | 6 3 5\n"
        " 3 4 5 | 2 8 6 | 1 7 .     . . . | . . . | . . 1     3 4 5 | 2 8 6 | 1 7 9\n");

  result.tokens[80] = 8;
  std::ostringstream wrong;
  show_filling(wrong, puzzles[0], result);
  CHECK(wrong.str().find("the result: wrong") != std::string::npos);
  CHECK(wrong.str().find("solved") == std::string::npos);
}

TEST_CASE("lines of a grid filling in are as long as each other however many passes there are") {
  const std::vector<puzzle> puzzles(1);
  model m = scrambled();
  for (const char* sampler : {"left_to_right:k=81", "sequential", "remdm_cap:steps=150,eta=0.3"}) {
    lacuna::sample::trace_recorder recorder;
    const auto result = decode_traced(m, make_sampler(sampler).sampler, puzzles[0], 0, recorder);
    std::ostringstream out;
    show_filling(out, puzzles[0], result);
    const std::vector<std::string> lines = lines_of(out.str());
    REQUIRE(lines.size() == 12);
    for (const std::string& line : lines)
      if (&line != &lines.front()) CHECK(line.size() == lines[1].size());
  }
}

TEST_CASE("the table's columns are aligned, with short and long samplers") {
  const std::vector<named_sampler> samplers{make_sampler("random"), make_sampler("remdm_loop:temperature=0.25,plateau=0.875")};
  std::ostringstream out;
  sampler_table table(out, samplers);
  decoded_puzzles d;
  d.grids.resize(400);
  d.passes.assign(400, 1);
  d.probe_calls.assign(400, 0);
  d.probe_rows.assign(400, 0);
  table.row(samplers[0], d);
  d.passes[0] = 4001;
  d.solved = d.valid = 300;
  d.seconds = 1234.5;
  d.probe_calls[0] = 1000;
  d.probe_rows[0] = 4000000;
  table.row(samplers[1], d);
  const std::vector<std::string> lines = lines_of(out.str());
  REQUIRE(lines.size() == 3);
  for (const std::string& line : lines) CHECK(columns_of(line) == columns_of(lines[0]));
  const std::string text = samplers[1].text();
  CHECK(lines[0] == "sampler" + std::string(text.size() - 7, ' ') +
                        "           passes           solved     valid   seconds  probe calls  probe rows");
  CHECK(lines[1] == "random:k=1" + std::string(text.size() - 10, ' ') +
                        "      1.00 ± 0.00      0.0 % ± 0.0     0.0 %      0.00         0.00         0.0");
  CHECK(lines[2] == text + "    11.00 ± 10.00     75.0 % ± 2.2    75.0 %   1234.50         2.50     10000.0");
}

TEST_CASE("a JSON line has the sampler, its parameters and nine results, in this order and with these types") {
  decoded_puzzles d;
  d.grids.resize(4);
  d.passes = {1, 2, 3, 4};
  d.solved = 1;
  d.valid = 2;
  d.seconds = 0.25;
  d.probe_calls = {0, 1, 0, 1};
  d.probe_rows = {0, 10, 0, 20};
  d.network_seconds = 0.125;
  d.estimator_seconds = 0.0625;
  std::ostringstream out;
  write_json_line(out, make_sampler("top_k:steps=5"), d);
  CHECK(
      out.str() ==
      R"({"sampler":"top_k","rank":"confidence","steps":5,"pace":"linear","temperature":0.0,"puzzles":4,"passes":2.5,"solved":1,"valid":2,"seconds":0.25,"probe_calls":0.5,"probe_rows":7.5,"network_seconds":0.125,"estimator_seconds":0.0625})"
      "\n");
  for (const std::string& name : sampler_names()) {
    const named_sampler sampler = make_sampler(name);
    std::ostringstream line;
    write_json_line(line, sampler, d);
    const auto json = nlohmann::ordered_json::parse(line.str());
    std::vector<std::string> keys{"sampler"};
    for (const parameter& p : sampler.parameters) keys.push_back(p.key);
    for (const char* key : {"puzzles", "passes", "solved", "valid", "seconds", "probe_calls", "probe_rows", "network_seconds",
                            "estimator_seconds"})
      keys.emplace_back(key);
    std::vector<std::string> found;
    for (const auto& item : json.items()) found.push_back(item.key());
    CHECK(found == keys);
    CHECK(json["sampler"] == name);
  }
}

}  // namespace
