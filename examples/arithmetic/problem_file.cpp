#include "problem_file.hpp"

#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "../common/fingerprint.hpp"
#include "chain.hpp"
#include "lacuna/core/errors.hpp"
#include "problem.hpp"
#include "rows.hpp"

namespace arithmetic {

namespace {

void add(const tokeniser& words, const std::string& question, const std::string& solution, examples& to) {
  auto row = row_of(words, question, solution);
  const auto answer = answer_of(solution);
  if (row && answer)
    to.all.push_back({question, std::move(*row), *answer});
  else
    ++to.skipped;
}

}  // namespace

examples make_examples(const tokeniser& words, std::uint64_t seed, bool test, std::size_t count) {
  examples made;
  for (std::size_t n = 0; n < count; ++n) {
    const problem p = make_problem(seed, test ? split::test : split::train, n);
    add(words, p.question, p.solution, made);
  }
  return made;
}

examples read_examples(const tokeniser& words, const std::string& path) {
  std::ifstream in(path);
  if (!in) throw lacuna::file_error(path + ": cannot be read");
  examples found;
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty()) continue;
    try {
      const auto json = nlohmann::json::parse(line);
      add(words, json.at("question").get<std::string>(), json.at("answer").get<std::string>(), found);
    } catch (const std::exception& e) {
      throw lacuna::file_error(path + ":" + std::to_string(number) + ": no problem, expected question and answer: " + e.what());
    }
  }
  if (found.all.empty())
    throw lacuna::file_error(path + ": no problem that fits, of " + std::to_string(found.skipped) + ", expected questions of " +
                             std::to_string(question_length) + " tokens and solutions of " + std::to_string(solution_length) +
                             " at most");
  return found;
}

std::string fingerprint_of(const std::vector<example>& all) {
  common::fingerprint f;
  for (const example& e : all)
    for (const lacuna::token t : e.row) f.add(static_cast<std::uint64_t>(t));
  return f.text();
}

}  // namespace arithmetic
