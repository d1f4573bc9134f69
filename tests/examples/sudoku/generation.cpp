#include "../../../examples/sudoku/generation.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "../../../examples/sudoku/check.hpp"
#include "fixtures.hpp"

namespace {

using namespace sudoku;
using namespace sudoku_test;

TEST_CASE("a model that knows one grid makes that grid, one that knows nothing makes different ones that are not valid") {
  const std::vector<puzzle> known(1, puzzle{from_line(solution_text), from_line(solution_text)});
  model m = oracle(known);
  const generated_grids valid = generate_grids(m, make_sampler("sequential"), 3);
  CHECK(valid.decoded.valid == 3);
  CHECK(valid.violated == std::vector<double>{0, 0, 0});

  model nothing = scrambled();
  const generated_grids g = generate_grids(nothing, make_sampler("top_k:k=9,temperature=1"), 3);
  CHECK(g.decoded.valid == 0);
  CHECK(g.decoded.passes == std::vector<double>{9, 9, 9});
  CHECK(g.decoded.grids[0] != g.decoded.grids[1]);
  for (std::size_t k = 0; k < 3; ++k) CHECK(g.violated[k] == static_cast<double>(violated_units(g.decoded.grids[k])));
  CHECK(g.violated[0] > 5);
  CHECK(generate_grids(nothing, make_sampler("top_k:k=9,temperature=1"), 2).decoded.grids[1] == g.decoded.grids[1]);
}

std::vector<nlohmann::json> generated(generate_arguments a) {
  std::istringstream in;
  std::ostringstream out, err;
  a.json = true;
  generate(
      a, {in, out, err}, [](const std::string&, std::size_t) { return with_hidden_states(scrambled()); },
      [](const std::string&, const model&) {
        return pair_estimator{
            [](const lacuna::step_view&, std::span<const std::size_t>, std::span<double> o) { std::ranges::fill(o, 0.0); }};
      });
  std::vector<nlohmann::json> lines;
  std::istringstream text(out.str());
  for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

TEST_CASE("samplers of choice are run on as many boards as asked for, with draws unless they say otherwise") {
  generate_arguments a;
  a.boards = 3;
  a.samplers = {"top_k:k=27", "top_k:k=27,temperature=0", "dependence_bound:mi=neural"};
  const auto lines = generated(a);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0]["sampler"] == "top_k:rank=confidence,k=27,temperature=1");
  CHECK(lines[1]["sampler"] == "top_k:rank=confidence,k=27");
  for (const auto& line : lines) {
    CHECK(line["boards"] == 3);
    CHECK(line["valid"] == 0);
    CHECK(line["violated_units"].get<double>() > 5);
    CHECK(line["probe_rows"] == 0);
  }
  CHECK(lines[0]["passes"] == 3);
  CHECK(lines[2]["passes"] == 1);  // nothing is shared
  CHECK(lines[2]["estimator_seconds"].get<double>() > 0);
}

TEST_CASE("without a choice there are samplers of all kinds, those that score many grids on fewer boards") {
  generate_arguments a;
  a.boards = 2;
  a.exact_boards = 1;
  a.estimator = "made-here";
  std::size_t neural = 0, exact = 0;
  for (const auto& line : generated(a)) {
    const std::string sampler = line["sampler"];
    const bool informed = sampler.starts_with("mi_guided") || sampler.starts_with("dependence_bound");
    neural += sampler.find("mi=neural") != std::string::npos ? 1U : 0U;
    const bool costly = informed && sampler.find("mi=neural") == std::string::npos;
    exact += costly ? 1U : 0U;
    CHECK(line["boards"] == (costly ? 1 : 2));
    CHECK(sampler.ends_with(",temperature=1"));
  }
  CHECK(neural > 2);
  CHECK(exact > 2);
}

TEST_CASE("the command prints a table, and refuses a sampler for an estimator that is not there") {
  const ran r = run({"generate", "--weights", untrained_weights(), "--boards", "2", "--sampler", "top_k:k=81"});
  CHECK(r.code == 0);
  CHECK(r.out.starts_with("Grids from empty boards, a network of "));
  CHECK(r.out.find("\ntop_k:rank=confidence,k=81,temperature=1") != std::string::npos);
  const ran none = run({"generate", "--weights", untrained_weights(), "--sampler", "mi_guided:mi=neural"});
  CHECK(none.code == 1);
  CHECK(none.out.empty());
  CHECK(none.err.find("-mi.safetensors") != std::string::npos);
  CHECK(run({"generate", "--boards", "0"}).code == 2);
  CHECK(run({"generate", "--temperature", "nan"}).code == 2);
}

}  // namespace
