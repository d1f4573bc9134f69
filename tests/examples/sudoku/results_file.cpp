#include "../../../examples/sudoku/results_file.hpp"

#include <doctest/doctest.h>

#include <string>

#include "fixtures.hpp"
#include "lacuna/core/errors.hpp"

namespace {

using namespace sudoku;
using namespace sudoku_test;

const measured_on here{"net", "head", "puzzles", 5};

measurement some(const std::string& sampler, std::size_t count = 2) {
  measurement m{sampler, {}, {}, {}, {}, 1.5, 1.25, 0.125};
  for (std::size_t k = 0; k < count; ++k) {
    m.solved.push_back(k % 2 == 0 ? 1 : 0);
    m.passes.push_back(static_cast<double>(k) + 3);
    m.probe_calls.push_back(1);
    m.probe_rows.push_back(9);
  }
  return m;
}

TEST_CASE("measurements come back from the file as they went in, for the same network, estimator, puzzles and seed") {
  const lacuna_test::scratch_file file{"results.jsonl"};
  const std::string path = file.path().string();
  {
    results_file results{path, here};
    CHECK(results.find("random", 1) == nullptr);
    results.add(some("random"));
    results.add(some("mi_guided:mi=neural", 3));
  }
  const results_file results{path, here};
  const measurement* m = results.find("random", 2);
  REQUIRE(m != nullptr);
  CHECK(m->solved == std::vector<double>{1, 0});
  CHECK(m->passes == std::vector<double>{3, 4});
  CHECK(m->probe_calls == std::vector<double>{1, 1});
  CHECK(m->probe_rows == std::vector<double>{9, 9});
  CHECK(m->seconds == 1.5);
  CHECK(m->network_seconds == 1.25);
  CHECK(m->estimator_seconds == 0.125);
  CHECK(results.find("random", 1) != nullptr);
  CHECK(results.find("random", 3) == nullptr);
  CHECK(results.find("mi_guided:mi=neural", 3) != nullptr);

  const auto found = [&](const measured_on& on, const char* sampler) {
    return results_file{path, on}.find(sampler, 1) != nullptr;
  };
  CHECK_FALSE(found({"other", "head", "puzzles", 5}, "random"));
  CHECK_FALSE(found({"net", "head", "other", 5}, "random"));
  CHECK_FALSE(found({"net", "head", "puzzles", 6}, "random"));
  CHECK(found({"net", "other", "puzzles", 5}, "random"));  // has no estimator
  CHECK_FALSE(found({"net", "other", "puzzles", 5}, "mi_guided:mi=neural"));
}

TEST_CASE("more puzzles take the place of fewer, not the other way round") {
  results_file results{"", here};
  results.add(some("random", 2));
  results.add(some("random", 4));
  results.add(some("random", 1));
  CHECK(results.find("random", 4) != nullptr);
}

TEST_CASE("a last line that was cut off is dropped, what else is no result is refused by line") {
  const lacuna_test::scratch_file file{"results.jsonl"};
  const std::string path = file.path().string();
  results_file{path, here}.add(some("random"));
  const std::string whole = file.get();
  file.put(whole + whole.substr(0, whole.size() / 2));
  CHECK(results_file{path, here}.find("random", 2) != nullptr);
  CHECK(file.get() == whole);

  for (const std::string& wrong : {std::string("{}\n"), std::string("text\n"), whole.substr(0, 60) + "\n"}) {
    file.put(whole + wrong);
    try {
      const results_file results{path, here};
      FAIL("accepted");
    } catch (const lacuna::file_error& e) {
      CHECK(std::string(e.what()).starts_with(path + ":2: no result of sudoku table: "));
    }
  }
  for (const std::string& wrong :
       {std::string("somebody's only line"), std::string("{\"other\": 1")}) {  // without an end of line
    file.put(wrong);
    CHECK_THROWS_WITH_AS(
        results_file(path, here),
        (path + ":1: no result of sudoku table: \"" + wrong + "\", expected a line that begins with {\"network\":").c_str(),
        lacuna::file_error);
    CHECK(file.get() == wrong);
  }
  file.put(whole.substr(0, 3));
  CHECK(results_file{path, here}.find("random", 1) == nullptr);
  CHECK(file.get().empty());
  results_file nowhere{(file.folder() / "no" / "such").string(), here};
  CHECK_THROWS_AS(nowhere.add(some("random")), lacuna::file_error);
}

TEST_CASE("fingerprints tell contents apart") {
  const lacuna_test::scratch_file a{"a", "1"}, b{"b", "1"}, c{"c", "2"};
  CHECK(fingerprint_of(a.path().string()) == fingerprint_of(b.path().string()));
  CHECK(fingerprint_of(a.path().string()) != fingerprint_of(c.path().string()));
  CHECK(fingerprint_of(std::string("no/such")) == "none");
  CHECK(fingerprint_of(some_puzzles(2)) != fingerprint_of(some_puzzles(3)));
}

}  // namespace
