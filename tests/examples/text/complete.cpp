#include "../../../examples/text/complete.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "fixtures.hpp"

namespace {

using namespace text_test;

ran complete(const files& f, const std::vector<std::string>& more) {
  std::vector<std::string> all{"complete", "--weights", f.hybrid, "--masked", f.masked};
  all.insert(all.end(), more.begin(), more.end());
  return run(all);
}

}  // namespace

TEST_CASE("gaps are filled step by step, and a mark below each new symbol tells what became of its draft") {
  const files f;  // has learned nothing: every draft is accepted
  for (const auto& [sampler, mark] : {std::pair{"speculative:window=constant,k=2,n=1", '+'}, {"ancestral:steps=3", '.'}}) {
    const ran r = complete(f, {"a___ _o __", "--sampler", sampler});
    REQUIRE(r.code == 0);
    std::istringstream lines{r.out};
    std::string line;
    std::getline(lines, line);
    CHECK(line == "passes  text");
    std::getline(lines, line);
    CHECK(line == "        a___ _o __");
    std::string before = line.substr(8);
    double passes = 0;
    while (std::getline(lines, line)) {
      REQUIRE(line.size() == 18);
      CHECK(std::stod(line.substr(0, 6)) > passes);
      passes = std::stod(line.substr(0, 6));
      const std::string text = line.substr(8);
      std::string marks;
      std::getline(lines, marks);
      marks.resize(18, ' ');
      for (std::size_t i = 0; i < text.size(); ++i) {
        CHECK((marks[8 + i] == mark) == (text[i] != before[i]));
        if (before[i] != '_') CHECK(text[i] == before[i]);
      }
      before = text;
    }
    CHECK(before.find('_') == std::string::npos);
  }
}

TEST_CASE("as JSON the steps name the positions that came") {
  const files f;
  const ran r = complete(f, {"a___ _o __", "--json"});
  REQUIRE(r.code == 0);
  std::istringstream lines{r.out};
  std::set<std::size_t> seen;
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line);
    for (const std::size_t i : json.at("committed").get<std::vector<std::size_t>>()) CHECK(seen.insert(i).second);
    CHECK(json.at("verified") == true);
    CHECK(json.at("redrawn").empty());
    text = json.at("text");
  }
  CHECK(seen == std::set<std::size_t>{1, 2, 3, 5, 8, 9});
  CHECK(text.find('_') == std::string::npos);
}

TEST_CASE("a text that cannot be completed is refused") {
  const files f;
  CHECK(complete(f, {"no gap"}).err.find("no underscore") != std::string::npos);
  CHECK(complete(f, {"Gap_"}).err.find("character 0 has code 71, expected a to z, a space or an underscore") !=
        std::string::npos);
  CHECK(complete(f, {"_____________"}).err.find("13 symbols, expected at most 12") != std::string::npos);
  CHECK(complete(f, {}).code == 2);
}
