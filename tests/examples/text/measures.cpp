#include "../../../examples/text/measures.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "../../io/scratch_file.hpp"
#include "lacuna/core/random.hpp"

using namespace text;

TEST_CASE("words stand between spaces, whole ones not at the ends of a piece") {
  CHECK(words_of(" a  bc d") == std::vector<std::string_view>{"a", "bc", "d"});
  CHECK(whole_words_of("ut bc de f") == std::vector<std::string_view>{"bc", "de"});
  CHECK(whole_words_of(" bc ") == std::vector<std::string_view>{"bc"});
  CHECK(whole_words_of("bc de").empty());
  CHECK(whole_words_of("bcde").empty());
  CHECK(whole_words_of("").empty());
}

TEST_CASE("a list of words is read one a line, and is refused without any") {
  const lacuna_test::scratch_file file{"words", "The\ncat\n\ndon't\nsat\r\n"};
  const word_list list = word_list::read(file.path().string());
  CHECK(list.sorted() == std::vector<std::string>{"cat", "sat", "the"});
  CHECK(list.contains("cat"));
  CHECK_FALSE(list.contains("ca"));
  CHECK_THROWS_AS(word_list::read("no/such/file"), lacuna::file_error);
}

TEST_CASE("spelling is the share of whole words that the list has") {
  const word_list list{{"cat", "sat"}};
  const std::vector<std::string> texts{"x cat sat sot y", "x cat y", "xy"};
  const estimate e = spelling_of(texts, list);
  CHECK(e.value == 0.75);
  // residuals a - r b: 2 - 2.25, 1 - .75, 0; √(Σ² n / (n - 1)) / Σ b
  CHECK(e.error == doctest::Approx(std::sqrt((0.0625 + 0.0625) * 3 / 2) / 4));
  CHECK(std::isnan(spelling_of(std::vector<std::string>{"xy"}, list).value));
  CHECK(distinct_words_of(texts, list) == 2);
}

TEST_CASE("the unigram entropy of equally frequent symbols is the logarithm of their number") {
  CHECK(unigram_entropy_of(std::vector<std::string>{"ab", "cd"}).value == doctest::Approx(std::log(4.0)));
  CHECK(unigram_entropy_of(std::vector<std::string>{"aaaa"}).value == 0);
  CHECK(std::isnan(unigram_entropy_of({}).value));
}

TEST_CASE("standard errors are those of many repetitions") {
  lacuna::random_stream random{5, lacuna::stream_use::other};
  const word_list list{{"aa"}};
  double sum_s = 0, sum_ss = 0, sum_e = 0, sum_h = 0, sum_hh = 0, sum_he = 0;
  constexpr int repetitions = 400;
  for (int r = 0; r < repetitions; ++r) {
    std::vector<std::string> texts;
    for (int k = 0; k < 40; ++k) {
      const double p = random.uniform();  // words of a text have something in common
      std::string t = "x";
      for (std::size_t w = 2 + random.below(6); w > 0; --w) t += random.bernoulli(p) ? " aa" : " bbb";
      texts.push_back(t + " x");
    }
    const estimate s = spelling_of(texts, list), h = unigram_entropy_of(texts);
    sum_s += s.value, sum_ss += s.value * s.value, sum_e += s.error;
    sum_h += h.value, sum_hh += h.value * h.value, sum_he += h.error;
  }
  const auto deviation = [](double sum, double squares) {
    return std::sqrt((squares - sum * sum / repetitions) / (repetitions - 1));
  };
  // the deviation of 400 values is known to 1 / √800 = 3.5 %: three times that, and the estimates' own scatter
  CHECK(sum_e / repetitions == doctest::Approx(deviation(sum_s, sum_ss)).epsilon(0.12));
  CHECK(sum_he / repetitions == doctest::Approx(deviation(sum_h, sum_hh)).epsilon(0.12));
}
