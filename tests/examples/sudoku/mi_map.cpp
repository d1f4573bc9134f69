#include "../../../examples/sudoku/mi_map.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "../../../examples/sudoku/mi_measures.hpp"
#include "../../support/svg_test.hpp"
#include "fixtures.hpp"
#include "lacuna/io/npy.hpp"

namespace {

using namespace sudoku;
using namespace sudoku_test;
using lacuna::tests::check_xml;
using lacuna::tests::count;

/// All digits that the rules leave are alike: what one cell tells another is what its unit does.
model rule_model() {
  return with_hidden_states(model_of([](const grid& g, std::size_t cell, auto& logits) {
    for (std::size_t other = 0; other < cell_count; ++other)
      if (other != cell && g[other] != blank && share_a_unit(cell, other)) logits[static_cast<std::size_t>(g[other])] = -9;
    logits[blank] = -9;
  }));
}

/// Says .125 of all pairs.
pair_estimator eighth() {
  return pair_estimator{[](const lacuna::step_view&, std::span<const std::size_t>, std::span<double> out) {
                          for (double& v : out) v = 0.125;
                        },
                        33};
}

struct mapped {
  std::string out;
  std::string svg;
};

struct scratch_run {
  lacuna_test::scratch_file file{"map.svg"};
  mi_map_arguments arguments;
  std::string input = puzzle_text + "\n" + solution_text + "\n";

  scratch_run() {
    arguments.file = "-";
    arguments.out = file.path().string();
    arguments.weights = (file.folder() / "net.safetensors").string();  // never read
  }
  mapped operator()() {
    std::istringstream in(input);
    std::ostringstream out, err;
    mi_map(
        arguments, {in, out, err}, [](const std::string&, std::size_t) { return rule_model(); },
        [](const std::string&, const model& network) {
          CHECK(network.hidden_size() == 96);
          return eighth();
        });
    CHECK(err.str().empty());
    const std::string svg = file.get();
    check_xml(svg);
    return {out.str(), svg};
  }
};

TEST_CASE("a map tells what was asked, at what cost, and the largest pairs; the picture has the matrix and the board") {
  scratch_run run;
  const mapped r = run();
  CHECK(r.out.starts_with("puzzle 1 of standard input: 51 blanks; a network of 0 parameters\nexact: "));
  CHECK(r.out.find(" passes, 460 rows\n") != std::string::npos);  // 1 + 51 * 9
  CHECK(r.out.find("neural") == std::string::npos);
  CHECK(count(r.out, "\n  r") == 10);
  CHECK(r.out.find(" shares most with the others: ") != std::string::npos);
  CHECK(count(r.svg, "exact: mutual information of the cells") == 1);
  CHECK(count(r.svg, "exact: what ") == 1);
  CHECK(count(r.svg, ">known digits</text>") == 1);
}

TEST_CASE("the matrices are written over all cells; the neural one beside the exact one") {
  scratch_run run;
  const std::string exact = (run.file.folder() / "exact.npy").string();
  const std::string neural = (run.file.folder() / "neural.npy").string();
  run.arguments.npy = exact;
  run.arguments.npy_neural = neural;
  run.arguments.estimator = "any";
  run.arguments.cell = "1,3";
  const mapped r = run();
  CHECK(r.out.find(", an estimator of 33\n") != std::string::npos);
  CHECK(r.out.find("neural: 1 passes, 1 rows\n") != std::string::npos);
  CHECK(count(r.svg, "what r1c3 shares") == 2);
  CHECK(count(r.svg, "mutual information of the cells") == 2);
  const auto e = lacuna::io::read_npy<double, 2>(exact);
  const auto n = lacuna::io::read_npy<double, 2>(neural);
  CHECK(e.shape() == n.shape());
  CHECK(e.shape()[0] == cell_count);
  const grid g = from_line(puzzle_text);
  for (std::size_t a = 0; a < cell_count; ++a)
    for (std::size_t b = 0; b < cell_count; ++b) {
      const bool blanks = a != b && g[a] == blank && g[b] == blank;
      if (!blanks) CHECK(e(a, b) == 0);
      if (!blanks) CHECK(n(a, b) == 0);
      if (blanks) CHECK(n(a, b) <= 0.125);
      if (blanks && !share_a_unit(a, b)) CHECK(e(a, b) < 1e-12);
      if (blanks && share_a_unit(a, b)) CHECK(e(a, b) >= 0);
    }
  CHECK(e(2, 3) > 0.01);  // two blanks of the first row
  CHECK(n(2, 3) == 0.125);
}

TEST_CASE("an empty board, filled in some steps by the network, and a full one, of which nothing is left to ask") {
  scratch_run run;
  run.arguments.empty = true;
  run.arguments.filled = 70;
  const mapped r = run();
  CHECK(r.out.starts_with("an empty board: 81 blanks, of which the network filled in 70;"));
  CHECK(r.out.find(" passes, 100 rows\n") != std::string::npos);  // 1 + 11 * 9
  run.arguments.filled = 81;
  const mapped full = run();
  CHECK(full.out.find("exact: 0 passes, 0 rows\n") != std::string::npos);
  CHECK(count(full.svg, "what ") == 0);
  run.arguments.empty = false;
  run.arguments.filled = 0;
  run.arguments.puzzle = 2;
  CHECK(run().out.starts_with("puzzle 2 of standard input: 0 blanks;"));
}

TEST_CASE("rare digits can be left out") {
  scratch_run run;
  run.arguments.epsilon = 0.2;
  const mapped r = run();
  CHECK(r.out.find("\npruned: ") != std::string::npos);
  CHECK(r.out.find(" 460 rows") == std::string::npos);
}

TEST_CASE("what cannot be asked is refused before the network is read") {
  const auto refuse = [](const std::function<void(mi_map_arguments&)>& change, const std::string& message) {
    scratch_run run;
    change(run.arguments);
    std::istringstream in(run.input);
    std::ostringstream out;
    CHECK_THROWS_WITH_AS(mi_map(run.arguments, {in, out, out}, [](const std::string&, std::size_t) -> model { throw 1; }),
                         message.c_str(), lacuna::invalid_argument);
    CHECK(out.str().empty());
  };
  for (const char* cell : {"0,1", "1,10", "5", "a,b", "1,2,3", ",", "1, 2"})
    refuse([&](auto& a) { a.cell = cell; }, "--cell: " + std::string(cell) + ", expected row,column, each from 1 to 9");
  refuse([](auto& a) { a.puzzle = 3; }, "--puzzle: 3, expected one of the 2 of standard input");
  refuse([](auto& a) { a.filled = 52; }, "--filled: 52, expected at most the 51 blanks of puzzle 1 of standard input");
  refuse([](auto& a) { a.epsilon = 1; }, "mi::pruned: epsilon = 1.000000, expected a mass, 0 <= epsilon < 1");
  scratch_run run;
  run.arguments.cell = "1,1";
  CHECK_THROWS_WITH_AS(run(), "--cell: 1,1 holds 5, expected a blank cell", lacuna::invalid_argument);
  run.arguments.cell.clear();
  run.arguments.npy_neural = "never.npy";
  CHECK_THROWS_AS(run(), lacuna::file_error);
  run.arguments.npy_neural.clear();
  run.arguments.out = (run.file.folder() / "no" / "such.svg").string();
  CHECK_THROWS_WITH_AS(run(), (run.arguments.out + ": cannot be written").c_str(), lacuna::file_error);
}

TEST_CASE("the estimator beside the network is taken if it is there") {
  CHECK(estimator_beside("a/best.safetensors") == "a/best-mi.safetensors");
  CHECK(estimator_beside("net") == "net-mi.safetensors");
  scratch_run run;
  std::ofstream(run.file.folder() / "net-mi.safetensors") << "here";
  CHECK(run().out.find("\nneural: ") != std::string::npos);
}

}  // namespace
