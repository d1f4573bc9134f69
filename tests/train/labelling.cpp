#include "lacuna/train/labelling.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lacuna/mi/enumerated.hpp"
#include "lacuna/mi/sampled.hpp"
#include "lacuna/problems/joint_table.hpp"
#include "lacuna/testing/recording.hpp"
#include "tests/io/scratch_file.hpp"

using namespace lacuna;
using lacuna_test::scratch_file;
using train::label_options;
using train::labelled_context;

namespace {

using files = std::map<std::string, std::string>;

problems::joint_table table() { return problems::joint_table::random(5, 3, 7, 1); }

/// Three contexts a chunk: all blank, one known, and as many known as the chunk's number says.
struct source {
  std::vector<std::size_t> asked;

  std::vector<canvas> operator()(std::size_t chunk, random_stream& random) {
    asked.push_back(chunk);
    std::vector<canvas> all(3, canvas::blank(5));
    all[1].fix(static_cast<std::size_t>(random.below(5)), static_cast<token>(random.below(3)));
    for (std::size_t i = 0; i < chunk % 6; ++i) all[2].fix(i, static_cast<token>(random.below(3)));
    return all;
  }
};
static_assert(train::context_source<source> && train::context_source<source&>);
struct source_of_tokens {
  std::vector<std::vector<token>> operator()(std::size_t, random_stream&) { return {}; }
};
static_assert(!train::context_source<source_of_tokens>);

/// Makes chunks and says which.
std::vector<std::size_t> made(const std::filesystem::path& folder, const label_options& options, const files& metadata = {}) {
  problems::joint_table model = table();
  source contexts;
  train::label(model, mi::enumerated{}, contexts, folder, options, metadata);
  return contexts.asked;
}

label_options seven(std::size_t part = 0, std::size_t parts = 1) {
  label_options o;
  o.chunks = 7;
  o.rows = 2;
  o.seed = 3;
  o.part = part;
  o.parts = parts;
  return o;
}

files contents(const std::filesystem::path& folder) {
  files all;
  for (const auto& entry : std::filesystem::directory_iterator{folder}) {
    std::ifstream in{entry.path(), std::ios::binary};
    all[entry.path().filename().string()] = {std::istreambuf_iterator<char>{in}, {}};
  }
  return all;
}

/// What one process makes.
const files& whole() {
  static const files all = [] {
    const scratch_file place{"whole"};
    CHECK(made(place.path(), seven()) == std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6});
    return contents(place.path());
  }();
  return all;
}

TEST_CASE("chunks are files that are named after their numbers") {
  REQUIRE(whole().size() == 7);
  CHECK(whole().begin()->first == "labels-000000.safetensors");
  CHECK(whole().rbegin()->first == "labels-000006.safetensors");
  CHECK(train::chunk_path("a", 1234567) == std::filesystem::path{"a/labels-1234567.safetensors"});
  std::set<std::string> different;
  for (const auto& entry : whole()) different.insert(entry.second);
  CHECK(different.size() == 7);
}

TEST_CASE("any number of parts in any order makes the same bytes, each chunk once") {
  for (const std::size_t parts : {2U, 3U, 7U, 9U}) {
    std::vector<std::size_t> order(parts);
    for (std::size_t p = 0; p < parts; ++p) order[p] = (p * 5 + 1) % parts;
    for (int turn = 0; turn < 2; ++turn) {
      const scratch_file place{"parts"};
      std::multiset<std::size_t> all;
      for (const std::size_t p : order) {
        const auto mine = made(place.path(), seven(p, parts));
        for (const std::size_t c : mine) CHECK(c % parts == p);
        all.insert(mine.begin(), mine.end());
      }
      CHECK(all == std::multiset<std::size_t>{0, 1, 2, 3, 4, 5, 6});
      CHECK(contents(place.path()) == whole());
      std::reverse(order.begin(), order.end());
    }
  }
}

TEST_CASE("the number of rows a call changes no byte, the seed and the number of probed positions do") {
  const scratch_file place{"rows"};
  label_options o = seven();
  o.rows_per_call = 3;
  made(place.folder() / "calls", o);
  CHECK(contents(place.folder() / "calls") == whole());
  o.seed = 4;
  made(place.folder() / "seed", o);
  CHECK(contents(place.folder() / "seed") != whole());
  o = seven();
  o.rows = 1;
  made(place.folder() / "one", o);
  CHECK(contents(place.folder() / "one") != whole());
}

TEST_CASE("a run goes on with what is missing, also as other parts; what is there is left alone") {
  const scratch_file place{"resumed"};
  made(place.path(), seven());
  for (const std::size_t c : {1U, 4U, 5U}) std::filesystem::remove(train::chunk_path(place.path(), c));
  std::ofstream{train::chunk_path(place.path(), 4).string() + ".partial-77-0"} << "an interrupted write";
  const auto before = std::filesystem::last_write_time(train::chunk_path(place.path(), 3));
  CHECK(made(place.path(), seven(0, 3)).empty());
  CHECK(made(place.path(), seven(1, 3)) == std::vector<std::size_t>{1, 4});
  CHECK(made(place.path(), seven(2, 3)) == std::vector<std::size_t>{5});
  CHECK(std::filesystem::last_write_time(train::chunk_path(place.path(), 3)) == before);
  std::filesystem::remove(train::chunk_path(place.path(), 4).string() + ".partial-77-0");
  CHECK(contents(place.path()) == whole());
  CHECK(made(place.path(), seven()).empty());
}

TEST_CASE("more chunks begin with those that are there") {
  const scratch_file place{"more"};
  made(place.path(), seven());
  label_options o = seven();
  o.chunks = 9;
  CHECK(made(place.path(), o) == std::vector<std::size_t>{7, 8});
}

TEST_CASE("a chunk of other metadata is refused and left as it is, and so is one that is broken") {
  const scratch_file place{"other"};
  made(place.path(), seven(1, 2), {{"network", "a"}});
  const std::string there = train::chunk_path(place.path(), 1).string();
  CHECK(train::read_labels(there, {{"network", "a"}}).size() == 3);
  CHECK_THROWS_WITH_AS(made(place.path(), seven(), {{"network", "b"}}),
                       (there + ": metadata \"network\" is \"a\", expected \"b\"").c_str(), file_error);
  CHECK(train::read_labels(there, {{"network", "a"}}).size() == 3);
  CHECK_THROWS_AS(train::read_chunks(place.path(), 2, {{"network", "a"}}), file_error);  // chunk 0 is of network b
  std::filesystem::resize_file(there, 100);
  CHECK_THROWS_AS(made(place.path(), seven(1, 2), {{"network", "a"}}), file_error);
  CHECK(std::filesystem::file_size(there) == 100);
}

TEST_CASE("labels are the numbers of mi::estimate") {
  const scratch_file place{"numbers"};
  label_options o = seven();
  o.rows = 0;
  made(place.folder() / "all", o);
  made(place.folder() / "two", seven());
  const auto all = train::read_chunks(place.folder() / "all", 7);
  const auto two = train::read_chunks(place.folder() / "two", 7);
  REQUIRE(all.size() == 21);
  REQUIRE(two.size() == 21);
  problems::joint_table model = table();
  std::set<std::vector<std::size_t>> choices;
  for (std::size_t k = 0; k < all.size(); ++k) {
    random_stream random{o.seed, stream_use::training, k / 3, 0};
    const canvas context = source{}(k / 3, random)[k % 3];
    const mi::information expected = mi::estimate(model, context, mi::enumerated{});
    const std::size_t n = expected.size();
    REQUIRE(all[k].masked_positions() == expected.positions);
    for (std::size_t i = 0; i < context.size(); ++i)
      if (!context.is_masked(i)) CHECK(all[k].tokens[i] == context[i]);
    CHECK(two[k].tokens == all[k].tokens);
    CHECK(all[k].probed == expected.positions);  // rows = 0: all
    REQUIRE(two[k].probed.size() == std::min<std::size_t>(2, n));
    if (n == 5) choices.insert(two[k].probed);
    for (const labelled_context* c : {&all[k], &two[k]})
      for (std::size_t r = 0; r < c->probed.size(); ++r) {
        const auto at = std::find(expected.positions.begin(), expected.positions.end(), c->probed[r]);
        const auto a = static_cast<std::size_t>(at - expected.positions.begin());
        for (std::size_t b = 0; b < n; ++b) CHECK(c->information[r * n + b] == static_cast<float>(expected.raw(a, b)));
      }
  }
  CHECK(choices.size() > 3);  // of 10 pairs
}

TEST_CASE("labels of a table are its information") {
  problems::joint_table model = table();
  random_stream random{1, stream_use::training};
  const std::vector<canvas> blank{canvas::blank(5)};
  const auto labels = train::label_contexts(model, mi::enumerated{}, blank, 0, random);
  const auto truth = model.mutual_information(std::vector<token>(5, model.mask_token()));
  REQUIRE(labels.size() == 1);
  for (std::size_t a = 0; a < 5; ++a)
    for (std::size_t b = 0; b < 5; ++b)
      if (a != b) CHECK(static_cast<double>(labels[0].information[a * 5 + b]) == doctest::Approx(truth(a, b)).epsilon(1e-4));
}

TEST_CASE("estimators that draw are repeatable, chunk by chunk") {
  const scratch_file place{"drawn"};
  const auto make = [&](const std::string& name, std::size_t parts) {
    problems::joint_table model = table();
    for (std::size_t p = parts; p-- > 0;) train::label(model, mi::sampled{2}, source{}, place.folder() / name, seven(p, parts));
    return contents(place.folder() / name);
  };
  CHECK(make("one", 1) == make("two", 2));
}

TEST_CASE("progress is told after each chunk, those that were there included") {
  const scratch_file place{"told"};
  made(place.path(), seven(2, 3));
  std::vector<std::pair<std::size_t, std::size_t>> told;
  problems::joint_table model = table();
  const auto tell = [&](std::size_t done, std::size_t mine) { told.emplace_back(done, mine); };
  train::label(model, mi::enumerated{}, source{}, place.path(), seven(0, 2), {}, tell);
  CHECK(told == std::vector<std::pair<std::size_t, std::size_t>>{{1, 4}, {2, 4}, {3, 4}, {4, 4}});
  told.clear();
  train::label(model, mi::enumerated{}, source{}, place.path(), seven(8, 9), {}, tell);
  CHECK(told.empty());
}

TEST_CASE("a part that there is not, and a folder that cannot be, are refused before the first pass") {
  const scratch_file place{"refused"};
  testing::recording model{table()};
  const auto label = [&](const std::filesystem::path& folder, const label_options& o) {
    train::label(model, mi::enumerated{}, source{}, folder, o);
  };
  CHECK_THROWS_WITH_AS(label(place.path(), seven(2, 2)), "labels: part 2 of 2, expected one below that number",
                       invalid_argument);
  CHECK_THROWS_WITH_AS(label(place.path(), seven(0, 0)), "labels: part 0 of 0, expected one below that number",
                       invalid_argument);
  CHECK_FALSE(std::filesystem::exists(place.path()));
  place.put("a file");
  CHECK_THROWS_AS(label(place.path(), seven()), file_error);
  CHECK_THROWS_AS(label(place.path() / "below", seven()), file_error);
  label_options o = seven();
  o.rows_per_call = 0;
  CHECK_THROWS_AS(label(place.folder() / "folder", o), invalid_argument);
  CHECK(model.calls().empty());
  CHECK(contents(place.folder() / "folder").empty());
}

TEST_CASE("chunks are read in order, and a missing one is named") {
  const scratch_file place{"read"};
  made(place.path(), seven(), {{"network", "a"}});
  const auto all = train::read_chunks(place.path(), 7, {{"network", "a"}});
  const auto fourth = train::read_labels(train::chunk_path(place.path(), 4));
  CHECK(std::equal(fourth.begin(), fourth.end(), all.begin() + 12));
  CHECK(train::read_chunks(place.path(), 0).empty());
  std::filesystem::remove(train::chunk_path(place.path(), 5));
  try {
    (void)train::read_chunks(place.path(), 7);
    FAIL("a missing chunk was not missed");
  } catch (const file_error& e) {
    CHECK(std::string{e.what()}.find("labels-000005.safetensors") != std::string::npos);
  }
}

}  // namespace
