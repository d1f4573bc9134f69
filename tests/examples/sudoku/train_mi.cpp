#include "../../../examples/sudoku/train_mi.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "../../../examples/sudoku/pair_estimator.hpp"
#include "fixtures.hpp"
#include "lacuna/core/errors.hpp"

namespace {

using namespace sudoku;
using namespace sudoku_test;
using lacuna_test::scratch_file;

/// Few labels of a network that has learned nothing, an estimator of a few numbers; `other` options instead of these or beside
/// them, flags without a value.
ran train_mi(const std::filesystem::path& folder, const std::map<std::string, std::string>& other = {}) {
  std::map<std::string, std::string> options{{"--weights", untrained_weights()},
                                             {"--labels", (folder / "labels").string()},
                                             {"--out", (folder / "mi.safetensors").string()},
                                             {"--chunks", "1"},
                                             {"--rows", "2"},
                                             {"--epsilon", "0.4"},
                                             {"--steps", "20"},
                                             {"--batch", "4"},
                                             {"--width", "8"},
                                             {"--rank", "4"},
                                             {"--depth", "1"},
                                             {"--validation-chunks", "0"}};
  for (const auto& [name, value] : other) options[name] = value;
  std::vector<std::string> all{"train-mi"};
  for (const auto& [name, value] : options) {
    all.push_back(name);
    if (!value.empty()) all.push_back(value);
  }
  return run(all);
}

TEST_CASE("train-mi labels what is missing, trains, writes an estimator for this network and says how good it is") {
  const scratch_file place{"labels"};
  const ran first = train_mi(place.folder(), {{"--validation-chunks", "1"}});
  CHECK(first.code == 0);
  CHECK(first.err.find("1 of 1 chunks") != std::string::npos);
  CHECK(first.err.find("wrote ") != std::string::npos);
  CHECK(first.out.find("contexts that were not trained on") != std::string::npos);
  CHECK(first.out.find("\n2 to 81 ") != std::string::npos);
  const std::string weights = text_of(place.folder() / "mi.safetensors");

  const model network = load_model(untrained_weights(), 1);
  CHECK(load_pair_estimator((place.folder() / "mi.safetensors").string(), network).parameter_count() == 982);

  CHECK(train_mi(place.folder()).code == 0);
  CHECK(text_of(place.folder() / "mi.safetensors") == weights);  // the same command, the same weights

  const ran images = train_mi(place.folder(), {{"--images", "1"}, {"--json", ""}, {"--validation-chunks", "1"}});
  CHECK(images.code == 0);
  CHECK(images.out.find("{\"measure\":\"agreement\",\"least_blanks\":2,") == 0);
  CHECK(text_of(place.folder() / "mi.safetensors") != weights);
}

TEST_CASE("with a checkpoint train-mi ends as without one, and a checkpoint of another estimator is refused") {
  const scratch_file place{"labels"};
  REQUIRE(train_mi(place.folder()).code == 0);
  const std::string whole = text_of(place.folder() / "mi.safetensors");
  const std::string checkpoint = (place.folder() / "run.checkpoint").string();
  for (int sitting = 0; sitting < 2; ++sitting) {  // in the second there is nothing left to do
    REQUIRE(train_mi(place.folder(), {{"--checkpoint", checkpoint}}).code == 0);
    CHECK(text_of(place.folder() / "mi.safetensors") == whole);
    CHECK(std::filesystem::exists(checkpoint));
  }
  CHECK(train_mi(place.folder(), {{"--checkpoint", checkpoint}, {"--rank", "5"}}).code == 1);
}

TEST_CASE("what would end train-mi is told before anything is labelled") {
  const scratch_file place{"labels"};
  for (const auto& [name, value] : std::map<std::string, std::string>{
           {"--out", "no/such/mi.safetensors"}, {"--checkpoint", "no/such/run"}, {"--square", "0"}}) {
    std::map<std::string, std::string> wrong{{name, value}};
    if (name == "--square") wrong["--log-square"] = "0";
    CHECK(train_mi(place.folder(), wrong).code != 0);
    CHECK_FALSE(std::filesystem::exists(place.folder() / "labels"));
  }
}

TEST_CASE("the published head and labels on the fly") {
  const scratch_file place{"labels"};
  CHECK(train_mi(place.folder(), {{"--head", "hadamard"}}).code == 0);
  const model network = load_model(untrained_weights(), 1);
  const auto d = static_cast<std::size_t>(network.hidden_size());
  CHECK(load_pair_estimator((place.folder() / "mi.safetensors").string(), network).parameter_count() ==
        3 * 8 * 8 + (d + 7) * 8 + 1);
  const scratch_file fresh{"labels"};
  const ran r = train_mi(fresh.folder(), {{"--fresh", ""}, {"--steps", "2"}});
  CHECK(r.code == 0);
  CHECK_FALSE(std::filesystem::exists(fresh.folder() / "labels"));
}

TEST_CASE("an estimator is refused by another network, and what is no estimator by all") {
  const scratch_file place{"labels"};
  REQUIRE(train_mi(place.folder()).code == 0);
  const std::string file = (place.folder() / "mi.safetensors").string();
  const auto refusal = [&](const std::string& weights, const model& network) -> std::string {
    try {
      load_pair_estimator(weights, network);
    } catch (const lacuna::file_error& e) {
      return e.what();
    }
    return "";
  };
  const model network = load_model(untrained_weights(), 1);
  const auto nothing = [](const auto&...) {};
  const model other{nothing, 0, network.hidden_size(), nothing, "0123456789abcdef"};
  CHECK(refusal(file, other).find("\"sudoku.network\" is \"" + network.fingerprint() + "\", expected \"0123456789abcdef\"") !=
        std::string::npos);
  const model wider{nothing, 0, network.hidden_size() + 1, nothing, network.fingerprint()};
  CHECK(refusal(file, wider)
            .find("an estimator for hidden states of " + std::to_string(network.hidden_size()) + " numbers, expected " +
                  std::to_string(network.hidden_size() + 1)) != std::string::npos);
  CHECK(refusal(untrained_weights(), network).find("sudoku.network") != std::string::npos);
  CHECK(refusal("no/such.safetensors", network).find("no/such.safetensors") != std::string::npos);
}

}  // namespace
