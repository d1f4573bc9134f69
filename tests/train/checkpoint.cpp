#include "lacuna/train/checkpoint.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "../io/scratch_file.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/io/safetensors.hpp"
#include "lacuna/nn/parameters.hpp"
#include "lacuna/train/training_state.hpp"

namespace train = lacuna::train;
using lacuna_test::scratch_file;

namespace {

lacuna::nn::parameters network(std::size_t width) {
  lacuna::nn::parameters p;
  p.add("w", {width, 2}, true);
  p.add("b", {width}, false);
  return p;
}

train::training_state state_of(std::size_t n) {
  train::training_state s;
  s.seed = ~std::uint64_t{0};
  s.step = 123'456'789'012;
  s.rows = 17;
  s.elapsed = 0.1 + 0.2;
  s.loss.sum = 1.0 / 3;
  s.loss.weight = 1e-17;
  s.optimizer = {std::vector<float>(n, 1e-30F), std::vector<float>(n, 0.1F), 99};
  s.average = {std::vector<float>(n, -0.7F), 98};
  return s;
}

}  // namespace

TEST_CASE("everything that a run carries comes back exactly") {
  const scratch_file scratch{"run.safetensors"};
  auto p = network(3);
  for (std::size_t i = 0; i < 9; ++i) p.values()[i] = 0.1F * static_cast<float>(i);
  const auto s = state_of(9);
  train::save_checkpoint(scratch.path(), p, s, {{"heads", "2"}});
  auto q = network(3);
  const auto t = train::load_checkpoint(scratch.path(), q, {{"heads", "2"}});
  CHECK(std::vector<float>(q.values().begin(), q.values().end()) == std::vector<float>(p.values().begin(), p.values().end()));
  CHECK(t.seed == s.seed);
  CHECK(t.step == s.step);
  CHECK(t.rows == s.rows);
  CHECK(t.elapsed == s.elapsed);
  CHECK(t.loss.sum == s.loss.sum);
  CHECK(t.loss.weight == s.loss.weight);
  CHECK(t.optimizer.first == s.optimizer.first);
  CHECK(t.optimizer.second == s.optimizer.second);
  CHECK(t.optimizer.updates == 99);
  CHECK(t.average.values == s.average.values);
  CHECK(t.average.updates == 98);
}

TEST_CASE("a checkpoint of another architecture or configuration is refused by name, and nothing is changed") {
  const scratch_file scratch{"other.safetensors"};
  const auto p = network(3);
  train::save_checkpoint(scratch.path(), p, state_of(9), {{"heads", "2"}});
  auto wider = network(4);
  wider.values()[0] = 5;
  CHECK_THROWS_WITH_AS(train::load_checkpoint(scratch.path(), wider),
                       doctest::Contains("tensor \"weights.w\" has shape [3, 2], expected [4, 2]"), lacuna::file_error);
  auto deeper = network(3);
  deeper.add("w2", {1}, true);
  CHECK_THROWS_WITH_AS(train::load_checkpoint(scratch.path(), deeper), doctest::Contains("tensor \"weights.w2\" is missing"),
                       lacuna::file_error);
  lacuna::nn::parameters shallower;
  shallower.add("w", {3, 2}, true);
  CHECK_THROWS_WITH_AS(train::load_checkpoint(scratch.path(), shallower), doctest::Contains("unexpected tensor"),
                       lacuna::file_error);
  auto same = network(3);
  CHECK_THROWS_WITH_AS(train::load_checkpoint(scratch.path(), same, {{"heads", "4"}}),
                       doctest::Contains("\"heads\" is \"2\", expected \"4\""), lacuna::file_error);
  CHECK_THROWS_WITH_AS(train::load_checkpoint(scratch.path(), same, {{"depth", "4"}}), doctest::Contains("no \"depth\""),
                       lacuna::file_error);
  CHECK(wider.values()[0] == 5);
}

TEST_CASE("a file that is no checkpoint, or has a counter that is no number, is refused") {
  const scratch_file scratch{"none.safetensors"};
  auto p = network(3);
  train::save_weights(scratch.path(), p, p.values());
  CHECK_THROWS_WITH_AS(train::load_checkpoint(scratch.path(), p), doctest::Contains("no \"train.format\""), lacuna::file_error);
  train::save_weights(scratch.path(), p, p.values(), {{"train.format", "another"}});
  CHECK_THROWS_WITH_AS(train::load_checkpoint(scratch.path(), p), doctest::Contains("format \"another\""), lacuna::file_error);

  train::save_checkpoint(scratch.path(), p, state_of(9));
  std::string bytes = scratch.get();
  const std::string key = "\"train.step\":\"";
  bytes[bytes.find(key) + key.size()] = '-';
  scratch.put(bytes);
  CHECK_THROWS_WITH_AS(train::load_checkpoint(scratch.path(), p),
                       doctest::Contains("\"train.step\" is \"-23456789012\", expected a number"), lacuna::file_error);
  CHECK_THROWS_AS(train::save_checkpoint(scratch.path(), p, state_of(9), {{"train.step", "1"}}), lacuna::invalid_argument);

  auto timeless = state_of(9);
  timeless.elapsed = std::numeric_limits<double>::quiet_NaN();  // a run that would end at once, or never
  train::save_checkpoint(scratch.path(), p, timeless);
  CHECK_THROWS_WITH_AS(train::load_checkpoint(scratch.path(), p), doctest::Contains("\"train.elapsed\" is \"nan\""),
                       lacuna::file_error);
}

TEST_CASE("a save that fails leaves the checkpoint before it") {
  const scratch_file scratch{"kept.safetensors"};
  auto p = network(3);
  train::save_checkpoint(scratch.path(), p, state_of(9));
  const std::string before = scratch.get();
  CHECK_THROWS_AS(train::save_checkpoint(scratch.path(), p, state_of(8)), lacuna::invalid_argument);
  CHECK_THROWS_AS(train::save_checkpoint(scratch.path(), p, state_of(9), {{"bad", "\xff"}}), lacuna::invalid_argument);
  auto diverged = state_of(9);
  diverged.optimizer.second[3] = std::numeric_limits<float>::infinity();
  CHECK_THROWS_WITH_AS(train::save_checkpoint(scratch.path(), p, diverged),
                       doctest::Contains("not written: \"adam.second.w\" holds inf at element 3"), lacuna::model_error);
  p.values()[7] = std::numeric_limits<float>::quiet_NaN();
  CHECK_THROWS_WITH_AS(train::save_checkpoint(scratch.path(), p, state_of(9)),
                       doctest::Contains("not written: \"weights.b\" holds "), lacuna::model_error);
  CHECK(scratch.get() == before);
  CHECK(scratch.files_in_folder() == 1);
}
