#include "../../../examples/sudoku/label.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "../../../examples/sudoku/grid.hpp"
#include "fixtures.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/train/labelling.hpp"

namespace {

using namespace sudoku;
using namespace sudoku_test;
using lacuna_test::scratch_file;

ran label(const std::filesystem::path& folder, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{"label",    "--weights", untrained_weights(), "--labels", folder.string(),
                                     "--chunks", "2",         "--epsilon",         "0.4"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run(arguments);
}

std::string chunk(const std::filesystem::path& folder, std::size_t c) { return text_of(lacuna::train::chunk_path(folder, c)); }

TEST_CASE("label writes chunks of 64 contexts; parts, threads and a second run make no difference to them") {
  const scratch_file place{"labels"};
  const ran r = label(place.folder() / "alone");
  CHECK(r.code == 0);
  CHECK(r.out.empty());
  CHECK(r.err.ends_with("2 of 2 chunks of 64 contexts\n"));  // on a slow machine it told of the first one too
  model network = load_model(untrained_weights(), 1);
  label_arguments made;
  made.epsilon = 0.4;
  const auto contexts = lacuna::train::read_chunks(place.folder() / "alone", 2, label_metadata(made, network));
  REQUIRE(contexts.size() == 128);
  for (const auto& c : contexts) {
    CHECK(c.tokens.size() == cell_count);
    CHECK(c.probed.size() == std::min<std::size_t>(made.rows, c.masked_positions().size()));
  }

  const ran second = label(place.folder() / "parts", {"--part", "1", "--parts", "2", "--threads", "2"});
  CHECK(second.code == 0);
  CHECK(second.err == "part 1 of 2: 1 of 1 chunks of 64 contexts\n");
  CHECK_FALSE(std::filesystem::exists(lacuna::train::chunk_path(place.folder() / "parts", 0)));
  CHECK(label(place.folder() / "parts").code == 0);
  for (std::size_t c = 0; c < 2; ++c) CHECK(chunk(place.folder() / "parts", c) == chunk(place.folder() / "alone", c));
  CHECK(chunk(place.folder() / "alone", 0) != chunk(place.folder() / "alone", 1));

  const ran other = label(place.folder() / "alone", {"--seed", "2"});
  CHECK(other.code == 1);
  CHECK(other.err.find("labels-000000.safetensors: metadata \"sudoku.label.seed\" is \"1\", expected \"2\"") !=
        std::string::npos);
}

TEST_CASE("rows 0 probes every blank; of cells that are independent nothing is learned") {
  const scratch_file place{"labels"};
  label_arguments arguments;
  arguments.out = (place.folder() / "all").string();
  arguments.chunks = 1;
  arguments.rows = 0;
  arguments.epsilon = 0;
  model m = model_of([](const grid&, std::size_t cell, auto& logits) { logits[1 + cell % 9] = 4; });
  std::ostringstream log;
  make_labels(arguments, m, log);
  for (const auto& c : lacuna::train::read_chunks(arguments.out, 1)) {
    CHECK(c.probed == c.masked_positions());
    for (const float x : c.information) CHECK(std::abs(x) < 1e-6F);
  }
}

TEST_CASE("wrong arguments of label are refused before anything is written") {
  const scratch_file place{"labels"};
  const auto refuse = [&](const std::vector<std::string>& more, int code, const std::string& message) {
    const ran r = label(place.folder() / "never", more);
    CHECK(r.code == code);
    CHECK(r.err.find(message) != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(place.folder() / "never"));
  };
  refuse({"--part", "2", "--parts", "2"}, 2, "labels: part 2 of 2, expected one below that number");
  refuse({"--part", "1"}, 2, "labels: part 1 of 1, expected one below that number");
  refuse({"--parts", "0"}, 2, "--parts: 0, expected a whole number from 1");
  refuse({"--rows", "82"}, 2, "--rows: 82, expected a whole number from 0 to 81");
  refuse({"--epsilon", "0.6"}, 2, "--epsilon: 0.6, expected a number from 0 to 0.5");
  for (const char* chunks : {"0", "-1", "x", "010x"}) refuse({"--chunks", chunks}, 2, "--chunks: ");
  refuse({"--seed", "-1"}, 2, "--seed: ");
  place.put("no folder");
  const ran r = label(place.path());
  CHECK(r.code == 1);
  CHECK(r.err.find(place.path().string()) != std::string::npos);
  CHECK(run({"label", "--weights", "no/such.safetensors"}).code == 1);
}

}  // namespace
