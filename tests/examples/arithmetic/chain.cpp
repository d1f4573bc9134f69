#include "../../../examples/arithmetic/chain.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {

using arithmetic::judge;

const std::string question = "tom has 4 boxes with 6 pens each . tom finds 10 pens . mia takes 3 pens . how many are left ?";

bool answers(const std::string& solution) { return judge(question, solution, 31).answer; }
bool chains(const std::string& solution) { return judge(question, solution, 31).chain; }

}  // namespace

TEST_CASE("a right calculation is right in any order, with operands either way round and any words between") {
  CHECK(chains("<< 4 * 6 = 24 >> << 24 + 10 = 34 >> << 34 - 3 = 31 >> #### 31"));
  CHECK(chains("so << 6 * 4 = 24 >> then << 10 + 24 = 34 >> now << 34 - 3 = 31 >> #### 31"));
  CHECK(chains("<< 10 - 3 = 7 >> << 4 * 6 = 24 >> << 24 + 7 = 31 >> #### 31"));
  CHECK(chains("<<4*6=24>>.<<24+10=34>><<34-3=31>>####31"));
}

TEST_CASE("text around the steps may name amounts and earlier results, as in GSM8K, and nothing else") {
  CHECK(
      chains("Tom has 4*6 = <<4*6=24>>24 pens.\nThen 24+10 = <<24+10=34>>34 pens.\nSo 34-3=<<34-3=31>>31 are left.\n#### 31"));
  for (const std::string wrong :
       {"7 << 4 * 6 = 24 >> << 24 + 10 = 34 >> << 34 - 3 = 31 >> #### 31",      // known from nowhere
        "34 << 4 * 6 = 24 >> << 24 + 10 = 34 >> << 34 - 3 = 31 >> #### 31",     // not known yet
        "<< 4 * 6 = 24 >> = << 24 + 10 = 34 >> = << 34 - 3 = 31 = 31 #### 31",  // a step that is not whole
        "<< 4 * 6 = 24 >> = 24 << 24 + 10 = 34 >> << 34 - 3 = 31 >> #### 31",
        "<< 4 * 6 = 24 >> >> << 24 + 10 = 34 >> << 34 - 3 = 31 >> #### 31"}) {
    CAPTURE(wrong);
    CHECK(answers(wrong));
    CHECK_FALSE(chains(wrong));
  }
}

TEST_CASE("a wrong step spoils the chain, not the answer") {
  for (const std::string wrong :
       {"<< 4 * 6 = 25 >> << 24 + 10 = 34 >> << 34 - 3 = 31 >> #### 31",  // arithmetic
        "<< 5 * 6 = 30 >> << 4 - 3 = 1 >> << 30 + 1 = 31 >> #### 31",     // 5 is no amount of the question
        "<< 4 * 6 = 24 >> << 24 + 10 = 34 >> #### 31",                    // not the last result
        "<< 34 - 3 = 31 >> << 4 * 6 = 24 >> << 24 + 10 = 34 >> #### 31",  // used before it is known
        "<< 4 * 6 = 24 << 24 + 10 = 34 >> << 34 - 3 = 31 >> #### 31",     // not written whole
        "<< 4 * 6 24 >> << 24 + 10 = 34 >> << 34 - 3 = 31 >> #### 31", "#### 31",
        "4 * 6 = 24 << 24 + 10 = 34 >> << 34 - 3 = 31 >> #### 31"}) {
    CAPTURE(wrong);
    CHECK(answers(wrong));
    CHECK_FALSE(chains(wrong));
  }
}

TEST_CASE("an answer that is missing, other or followed by something is none") {
  CHECK_FALSE(answers("<< 4 * 6 = 24 >>"));
  CHECK_FALSE(answers("<< 4 * 6 = 24 >> #### 24"));
  CHECK_FALSE(chains("<< 4 * 6 = 24 >> #### 24"));
  CHECK_FALSE(answers("31 ####"));
  CHECK_FALSE(answers(""));
  CHECK_FALSE(chains("<< 4 * 6 = 24 >> << 24 + 10 = 34 >> << 34 - 3 = 31 >> #### 31 1"));
  CHECK_FALSE(chains("<< 4 * 6 = 24 >> << 24 + 10 = 34 >> << 34 - 3 = 31 >> #### 31 so"));
  CHECK_FALSE(answers("#### 99999999999999999999"));
}

TEST_CASE("division counts where it leaves nothing") {
  CHECK(judge("12 pens for 4", "<< 12 / 4 = 3 >> #### 3", 3).chain);
  CHECK_FALSE(judge("13 pens for 4", "<< 13 / 4 = 3 >> #### 3", 3).chain);
  CHECK_FALSE(judge("13 pens for 0", "<< 13 / 0 = 3 >> #### 3", 3).chain);
}
