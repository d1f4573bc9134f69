#include "../../../examples/arithmetic/problem.hpp"

#include "../../../examples/arithmetic/chain.hpp"
#include "../../../examples/arithmetic/rows.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <span>
#include <string>

namespace {

using namespace arithmetic;

std::size_t steps_of(const std::string& solution) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = solution.find("<<", at)) != std::string::npos; ++at) ++n;
  return n;
}

}  // namespace

TEST_CASE("made problems have a right chain of two to five steps, only listed words, and fit a row") {
  const tokeniser words;
  std::map<std::size_t, std::size_t> count;
  std::set<std::string> solutions;
  for (std::size_t n = 0; n < 2000; ++n) {
    const problem p = make_problem(3, n % 2 == 0 ? split::train : split::test, n);
    const auto answer = answer_of(p.solution);
    REQUIRE(answer);
    CHECK(judge(p.question, p.solution, *answer).chain);
    ++count[steps_of(p.solution)];
    const auto row = row_of(words, p.question, p.solution);
    REQUIRE(row);
    CHECK(row->size() == row_length);
    for (const lacuna::token t : *row) CHECK(t != unknown);
    CHECK(solution_of(words, *row) == p.solution);
    solutions.insert(p.solution);
  }
  for (std::size_t steps = 2; steps <= 5; ++steps) CHECK(count[steps] > 50);
  CHECK(count.size() == 4);
  CHECK(solutions.size() > 1990);
}

TEST_CASE("problems follow from seed and number; test problems share structure and numbers with no training problem") {
  CHECK(make_problem(1, split::train, 5).question == make_problem(1, split::train, 5).question);
  CHECK(make_problem(1, split::train, 5).question != make_problem(1, split::train, 6).question);
  CHECK(make_problem(1, split::train, 5).question != make_problem(2, split::train, 5).question);
  std::set<std::string> train;
  for (std::size_t n = 0; n < 20000; ++n) train.insert(make_problem(1, split::train, n).structure);
  for (std::size_t n = 0; n < 1000; ++n) CHECK_FALSE(train.contains(make_problem(1, split::test, n).structure));
}

TEST_CASE("solutions leave choices open: the same problem's steps come in more than one order and with more than one word") {
  // among problems of equal structure class many solutions begin differently
  std::set<std::string> first_words;
  std::size_t swapped = 0, kept = 0;
  for (std::size_t n = 0; n < 500; ++n) {
    const problem p = make_problem(1, split::train, n);
    first_words.insert(p.solution.substr(0, p.solution.find(' ')));
    if (p.structure[0] != 'p') continue;
    const std::string a = p.structure.substr(1, p.structure.find(',') - 1);
    const std::size_t b_at = p.structure.find(',') + 1;
    const std::string b = p.structure.substr(b_at, p.structure.find(',', b_at) - b_at);
    kept += p.solution.find("<< " + a + " * " + b + " =") != std::string::npos ? 1 : 0;
    swapped += a != b && p.solution.find("<< " + b + " * " + a + " =") != std::string::npos ? 1 : 0;
  }
  CHECK(first_words == std::set<std::string>{"so", "then", "now", "next"});
  CHECK(kept > 30);
  CHECK(swapped > 30);
}

TEST_CASE("words are split as people write them") {
  const tokeniser words;
  CHECK(words.decode(words.encode("Tom has 48/2 = <<48/2=24>>24 pens.")) == "tom has 48 / 2 = << 48 / 2 = 24 >> 24 pens .");
  CHECK(words.decode(words.encode("#### 1,000")) == "#### 1000");
  CHECK(words.encode("zebra") == std::vector<lacuna::token>{unknown});
  CHECK(words.encode("$5-%").size() == 2);
  CHECK(words.decode(words.encode("7")) == "7");
  CHECK(words.encode("").empty());
  CHECK_FALSE(row_of(words, std::string(question_length + 1, '7'), ""));
  CHECK_FALSE(row_of(words, "", std::string(solution_length + 1, '7')));
}
