#include "../../../examples/sudoku/mi_check.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "../../../examples/sudoku/mi_measures.hpp"
#include "fixtures.hpp"

namespace {

using namespace sudoku;
using namespace sudoku_test;

/// Every cell prefers a digit that shares no unit with it, and knows no more than that; or nothing at all.
model model_that_knows(bool rules) {
  return with_hidden_states(model_of([rules](const grid& g, std::size_t cell, auto& logits) {
    for (std::size_t other = 0; rules && other < cell_count; ++other)
      if (other != cell && g[other] != blank && share_a_unit(cell, other)) logits[static_cast<std::size_t>(g[other])] = -9;
  }));
}

/// Says that cells of a unit share .1.
pair_estimator rules_alone() {
  return pair_estimator{[](const lacuna::step_view& view, std::span<const std::size_t> candidates, std::span<double> out) {
    for (std::size_t a = 0; a < candidates.size(); ++a)
      for (std::size_t b = 0; b < candidates.size(); ++b)
        out[a * candidates.size() + b] = share_a_unit(view.positions[candidates[a]], view.positions[candidates[b]]) ? 0.1 : 0.0;
  }};
}

std::string checked(mi_check_arguments arguments, bool rules, bool neural) {
  arguments.weights = "no/such.safetensors";
  if (neural) arguments.estimator = "any";
  std::istringstream in;
  std::ostringstream out, err;
  mi_check(
      arguments, {in, out, err}, [rules](const std::string&, std::size_t) { return model_that_knows(rules); },
      [](const std::string&, const model&) { return rules_alone(); });
  CHECK(err.str().empty());
  return out.str();
}

std::vector<nlohmann::json> json_of(mi_check_arguments arguments, bool rules, bool neural) {
  arguments.json = true;
  std::vector<nlohmann::json> lines;
  std::istringstream in(checked(arguments, rules, neural));
  for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

mi_check_arguments small() {
  mi_check_arguments a;
  a.contexts = 3;
  a.blanks = {40, 44};
  a.epsilons = {0.2, 0};
  return a;
}

TEST_CASE("a model that knows the rules shows their structure; rows and errors of pruning are told") {
  const auto lines = json_of(small(), true, true);
  REQUIRE(lines.size() >= 8);
  CHECK(lines[0]["measure"] == "contexts");
  CHECK(lines[0]["contexts"] == 3);
  CHECK(lines[1]["measure"] == "exact");
  const auto rows = lines[1]["rows"].get<std::size_t>();
  CHECK(rows >= 3 * (1 + 40 * 9));
  CHECK(rows <= 3 * (1 + 44 * 9));
  CHECK(lines[2]["epsilon"] == 0.2);
  CHECK(lines[2]["exact_rows"] == rows);
  CHECK(lines[2]["rows"] < rows);
  CHECK(lines[2]["mean_error"] > 0);
  CHECK(lines[2]["largest_error"] <= lines[2]["largest_bound"]);
  CHECK(lines[2]["beyond_bound"] == 0);
  CHECK(lines[3]["epsilon"] == 0);
  CHECK(lines[3]["rows"] == rows);
  CHECK(lines[3]["largest_error"] < 1e-12);
  CHECK(lines[4]["measure"] == "structure");
  CHECK(lines[4]["estimator"] == "exact");
  CHECK(lines[4]["contexts"] == 3);
  CHECK(lines[4]["mean"] > 0.9);
  CHECK(lines[5]["estimator"] == "neural");
  CHECK(lines[5]["mean"] > 0.9);
  std::size_t pairs = 0;
  for (std::size_t k = 6; k + 1 < lines.size(); ++k) pairs += lines[k]["pairs"].get<std::size_t>();
  CHECK(lines.back()["measure"] == "agreement");
  CHECK(lines.back()["least_blanks"] == 40);
  CHECK(lines.back()["most_blanks"] == 44);
  CHECK(lines.back()["pairs"] == pairs);
  CHECK(lines.back()["pairs"] == lines[4]["pairs"]);
  CHECK(lines.back()["rank_correlation"] > 0.5);
}

TEST_CASE("a model that knows nothing shows no structure") {
  const auto lines = json_of(small(), false, false);
  REQUIRE(lines.size() == 5);                                     // nothing about an estimator that is not there
  CHECK(lines[4]["mean"].get<double>() == doctest::Approx(0.5));  // all alike
}

TEST_CASE("the table says the same, and batch and seed do what they say") {
  mi_check_arguments a = small();
  a.contexts = 2;
  const std::string table = checked(a, true, true);
  CHECK(table.starts_with("2 contexts of 40 to 44 blanks (seed 31415), a network of 0 parameters, an estimator of 0\n"));
  for (const char* part : {"\nexact  ", "\nepsilon 0.2 ", "\nepsilon 0 ", "\nneural  ", "\n40 to 44 ", "\nblanks "})
    CHECK(table.find(part) != std::string::npos);
  const auto measures = [](const std::vector<nlohmann::json>& lines) {
    std::vector<std::string> all;
    for (nlohmann::json line : lines) {
      for (const char* name : {"seconds", "calls", "seed"}) line.erase(name);
      all.push_back(line.dump());
    }
    return all;
  };
  const auto once = measures(json_of(a, true, true));
  a.batch = 17;
  CHECK(measures(json_of(a, true, true)) == once);
  a.seed = 1;
  CHECK(measures(json_of(a, true, true)) != once);
}

TEST_CASE("wrong arguments are refused before the network is read") {
  std::istringstream in;
  std::ostringstream out;
  const auto refuse = [&](const mi_check_arguments& a, const char* message) {
    CHECK_THROWS_WITH_AS(mi_check(a, {in, out, out}, [](const std::string&, std::size_t) -> model { throw 1; }), message,
                         lacuna::invalid_argument);
  };
  mi_check_arguments a;
  a.blanks = {30, 20};
  refuse(a, "contexts of 30 to 20 blanks, expected an ascending range within 0 to 81");
  a = {};
  a.epsilons = {1e-3, 1};
  refuse(a, "mi::pruned: epsilon = 1.000000, expected a mass, 0 <= epsilon < 1");
}

TEST_CASE("the commands know their options") {
  for (const char* name : {"mi-map", "mi-check"}) {
    const ran help = run({name, "--help"});
    CHECK(help.code == 0);
    CHECK(help.out.size() > 500);
  }
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"mi-map", "--empty", "file.csv"},
                                                {"mi-map", "--filled", "82"},
                                                {"mi-map", "--epsilon", "1"},
                                                {"mi-map", "--log-from", "-1"},
                                                {"mi-check", "--contexts", "0"},
                                                {"mi-check", "--most-blanks", "82"},
                                                {"mi-check", "--epsilon", "x"},
                                                {"mi-check", "--threads", "0"}}) {
    const ran r = run(wrong);
    CHECK(r.code == 2);
    CHECK(r.err.find(wrong[1]) != std::string::npos);
  }
}

}  // namespace
