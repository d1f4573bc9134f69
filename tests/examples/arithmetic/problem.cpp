#include "../../../examples/arithmetic/problem.hpp"

#include "../../../examples/arithmetic/chain.hpp"
#include "../../../examples/arithmetic/rows.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <utility>

namespace {

using namespace arithmetic;

/// So many tokens.
std::string many(std::size_t n) {
  std::string all;
  for (std::size_t k = 0; k < n; ++k) all += "7 ";
  return all;
}

std::size_t steps_of(const std::string& solution) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = solution.find("<<", at)) != std::string::npos; ++at) ++n;
  return n;
}

/// The expression that a solution calculates, read from its text alone: a sum's terms sorted, a product's operands too.
std::string expression_of(const std::string& solution) {
  using terms = std::multiset<std::string>;
  std::multimap<std::string, terms> results;  // each is used once
  const auto operand = [&](const std::string& number) {
    const auto at = results.find(number);
    if (at == results.end()) return terms{number};
    terms t = at->second;
    results.erase(at);
    return t;
  };
  const auto is_number = [](const terms& t) {
    return t.size() == 1 && t.begin()->find_first_not_of("0123456789") == std::string::npos;
  };
  const auto joined = [](const terms& t) {
    std::string all;
    for (const std::string& term : t) all += (all.empty() ? "" : " ") + term;
    return all;
  };
  std::istringstream text{solution};
  terms last;
  for (std::string word, number, sign, other, result; text >> word;) {
    if (word != "<<") continue;
    text >> number >> sign >> other >> word >> result;
    terms a = operand(number), b = operand(other);
    if ((sign == "*" && is_number(a) && !is_number(b))) std::swap(a, b);
    if (sign == "+")
      a.insert(b.begin(), b.end());
    else if (sign == "-")
      a.insert("-" + joined(b));
    else if (sign == "*" && is_number(a))
      a = {joined(std::min(a, b)) + "*" + joined(std::max(a, b))};
    else
      a = {"(" + joined(a) + ")" + sign + joined(b)};
    results.emplace(result, last = a);
  }
  return joined(last);
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

TEST_CASE("problems follow from seed and number") {
  CHECK(make_problem(1, split::train, 5).question == make_problem(1, split::train, 5).question);
  CHECK(make_problem(1, split::train, 5).question != make_problem(1, split::train, 6).question);
  CHECK(make_problem(1, split::train, 5).question != make_problem(2, split::train, 5).question);
}

TEST_CASE("no training problem has a test problem's calculation, in whatever order and around whatever story") {
  std::set<std::string> train, read;
  const std::size_t many = 20000, few = 1000;
  for (std::size_t n = 0; n < many; ++n) {
    const problem p = make_problem(1, split::train, n);
    train.insert(p.expression);
    read.insert(expression_of(p.solution));
  }
  // What a solution's text says leaves open where a result equals an amount: some few may be read otherwise than they were
  // meant.
  std::size_t met = 0, met_in_text = 0, met_in_training = 0;
  for (std::size_t n = 0; n < few; ++n) {
    const problem p = make_problem(1, split::test, n);
    met += train.contains(p.expression) ? 1 : 0;
    met_in_text += read.contains(expression_of(p.solution)) ? 1 : 0;
    met_in_training += read.contains(expression_of(make_problem(1, split::train, many + n).solution)) ? 1 : 0;
  }
  CHECK(met == 0);
  CHECK(met_in_text <= few / 50);
  CHECK(met_in_training > few / 5);  // where nothing keeps them apart
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
  CHECK(words.decode(words.encode("#### 1,000")) == "#### <unk>");  // a larger number than is listed
  CHECK(words.decode(words.encode("<<1,23+1=124>>")) == "<< 123 + 1 = 124 >>");
  CHECK(words.encode("zebra") == std::vector<lacuna::token>{unknown});
  CHECK(words.encode("$5-%").size() == 2);
  CHECK(words.decode(words.encode("7")) == "7");
  CHECK(words.encode("").empty());
  CHECK_FALSE(row_of(words, many(question_length + 1), ""));
  CHECK_FALSE(row_of(words, "", many(solution_length + 1)));
}
