#include "../../../examples/sudoku/train.hpp"

#include <doctest/doctest.h>

#include <unistd.h>
#include <algorithm>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using namespace sudoku;

/// A folder of its own that goes away with the test.
struct temporary_folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("lacuna-sudoku-train-" + std::to_string(::getpid()));
  temporary_folder() { std::filesystem::create_directory(path); }
  ~temporary_folder() { std::filesystem::remove_all(path); }
  [[nodiscard]] std::string file(const std::string& name) const { return (path / name).string(); }
};

train_options small_run(const temporary_folder& folder) {
  std::ofstream(folder.file("evaluation.csv"))
      << "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79\n";
  train_options options;
  options.steps = 6;
  options.batch = 4;
  options.size = {.width = 8, .depth = 1, .heads = 4};
  options.puzzles = 20;
  options.evaluation = folder.file("evaluation.csv");
  options.out = folder.file("model.safetensors");
  return options;
}

std::vector<float> weights_in(const std::string& path) {
  const lacuna::io::safetensors_file file{path};
  lacuna::nn::transformer net(lacuna::nn::from_metadata(file.metadata()), 0);
  lacuna::train::load_weights(file, net.parameters());
  return {net.parameters().values().begin(), net.parameters().values().end()};
}

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_CASE("a run that was stopped and resumed writes the weights of one that was not, and another seed writes others") {
  const temporary_folder folder;
  train_options options = small_run(folder);
  train(options, lacuna::train::plain_weight{});
  const auto whole = weights_in(options.out);

  options.threads = 2;
  options.checkpoint = folder.file("checkpoint");
  options.steps = 2;
  train(options, lacuna::train::plain_weight{});
  CHECK(weights_in(options.out) != whole);
  options.steps = 6;
  train(options, lacuna::train::plain_weight{});
  const auto resumed = weights_in(options.out);
  REQUIRE(resumed.size() == whole.size());
  for (std::size_t k = 0; k < whole.size(); ++k) {
    // Two threads add gradients in another order than one: a handful of roundings apart.
    CHECK(resumed[k] == doctest::Approx(whole[k]).epsilon(1e-3));
  }

  options.checkpoint.clear();
  options.seed = 2;
  train(options, lacuna::train::plain_weight{});
  CHECK(weights_in(options.out) != whole);
}

TEST_CASE("a checkpoint of another run is refused and stays") {
  const temporary_folder folder;
  train_options options = small_run(folder);
  options.checkpoint = folder.file("checkpoint");
  train(options, lacuna::train::plain_weight{});
  const std::string before = text_of(options.checkpoint);
  train_options other = options;
  other.size.depth = 2;
  CHECK_THROWS_AS(train(other, lacuna::train::plain_weight{}), lacuna::file_error);
  other = options;
  other.puzzles = 21;
  CHECK_THROWS_AS(train(other, lacuna::train::plain_weight{}), lacuna::file_error);
  CHECK(text_of(options.checkpoint) == before);
}

TEST_CASE("the curve gets a line for each measurement, under one header") {
  const temporary_folder folder;
  train_options options = small_run(folder);
  options.curve = folder.file("curve.csv");
  train(options, lacuna::train::elbo_by_count{});
  train(options, lacuna::train::elbo_by_count{});
  const std::string text = text_of(options.curve);
  CHECK(text.starts_with("minutes,steps,puzzles_seen,loss,solved,of\n"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 3);
  CHECK(text.find(",6,24,") != std::string::npos);
  CHECK(text.ends_with(",0,1\n"));
}

TEST_CASE("half precision halves the file") {
  const temporary_folder folder;
  train_options options = small_run(folder);
  train(options, lacuna::train::plain_weight{});
  const auto exact = weights_in(options.out);
  const auto size = std::filesystem::file_size(options.out);
  options.dtype = "bf16";
  train(options, lacuna::train::plain_weight{});
  const auto rounded = weights_in(options.out);
  CHECK(size - std::filesystem::file_size(options.out) > exact.size() * 3 / 2);
  for (std::size_t k = 0; k < exact.size(); ++k) CHECK(rounded[k] == doctest::Approx(exact[k]).epsilon(1.0 / 128));
  options.dtype = "f8";
  CHECK_THROWS_AS(train(options, lacuna::train::plain_weight{}), lacuna::invalid_argument);
}

TEST_CASE("a file without puzzles to measure with is refused before anything is trained") {
  const temporary_folder folder;
  train_options options = small_run(folder);
  std::ofstream(options.evaluation) << "\n";
  CHECK_THROWS_AS(train(options, lacuna::train::plain_weight{}), lacuna::file_error);
  CHECK_FALSE(std::filesystem::exists(options.out));
}

TEST_CASE("a place that cannot be written to is refused before anything is trained") {
  const temporary_folder folder;
  train_options options = small_run(folder);
  options.curve = folder.file("curve.csv");
  options.out = folder.file("no such folder/model.safetensors");
  CHECK_THROWS_AS(train(options, lacuna::train::plain_weight{}), lacuna::file_error);
  CHECK_FALSE(std::filesystem::exists(options.curve));
}

}  // namespace
