#include "../../../examples/sudoku/train.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "fixtures.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/io/safetensors.hpp"

namespace {

using namespace sudoku;
using namespace sudoku_test;
using lacuna_test::scratch_file;

void train_quietly(const train_options& options) {
  std::ostringstream log;
  train(options, log);
}

std::vector<float> weights_in(const std::string& path) {
  const lacuna::io::safetensors_file file{path};
  std::vector<float> all;
  for (const auto& entry : file.entries()) {
    std::size_t size = 1;
    for (const std::size_t extent : entry.shape) size *= extent;
    std::vector<float> values(size);
    file.read_finite(entry.name, entry.shape, values);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

TEST_CASE("a run that was stopped and resumed writes the weights of one that was not, and another seed writes others") {
  const scratch_file scratch{"run"};
  train_options options = small_run(scratch.folder());
  train_quietly(options);
  const auto whole = weights_in(options.out);

  options.threads = 2;
  options.checkpoint = (scratch.folder() / "checkpoint").string();
  options.steps = 2;
  train_quietly(options);
  CHECK(weights_in(options.out) != whole);
  options.steps = 6;
  train_quietly(options);
  const auto resumed = weights_in(options.out);
  REQUIRE(resumed.size() == whole.size());
  for (std::size_t k = 0; k < whole.size(); ++k) {
    // Two threads add gradients in another order than one: a handful of roundings apart.
    CHECK(resumed[k] == doctest::Approx(whole[k]).epsilon(1e-3));
  }

  options.checkpoint.clear();
  options.seed = 2;
  train_quietly(options);
  CHECK(weights_in(options.out) != whole);
}

TEST_CASE("a checkpoint of another run is refused and stays") {
  const scratch_file scratch{"run"};
  train_options options = small_run(scratch.folder());
  options.checkpoint = (scratch.folder() / "checkpoint").string();
  train_quietly(options);
  const std::string before = text_of(options.checkpoint);
  train_options other = options;
  other.size.depth = 2;
  CHECK_THROWS_AS(train_quietly(other), lacuna::file_error);
  other = options;
  other.puzzles = 21;
  CHECK_THROWS_AS(train_quietly(other), lacuna::file_error);
  CHECK(text_of(options.checkpoint) == before);
}

TEST_CASE("the curve gets a line for each measurement, under one header") {
  const scratch_file scratch{"run"};
  train_options options = small_run(scratch.folder());
  options.curve = (scratch.folder() / "curve.csv").string();
  options.elbo = true;
  train_quietly(options);
  train_quietly(options);
  const std::string text = text_of(options.curve);
  CHECK(text.starts_with("minutes,steps,puzzles_seen,loss,solved,of\n"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 3);
  CHECK(text.find(",6,24,") != std::string::npos);
  CHECK(text.ends_with(",0,1\n"));
}

TEST_CASE("measurements are as many as asked for, however long they take") {
  const scratch_file scratch{"run"};
  train_options options = small_run(scratch.folder());
  options.curve = (scratch.folder() / "curve.csv").string();
  options.evaluate_minutes = 1e-9;  // after each of the six steps and at the end
  train_quietly(options);
  const std::string text = text_of(options.curve);
  CHECK(std::count(text.begin(), text.end(), '\n') == 1 + 6 + 1);
  options.curve = (scratch.folder() / "none.csv").string();
  options.evaluate_count = 0;
  train_quietly(options);
  CHECK_FALSE(std::filesystem::exists(options.curve));
}

TEST_CASE("half precision halves the file") {
  const scratch_file scratch{"run"};
  train_options options = small_run(scratch.folder());
  train_quietly(options);
  const auto exact = weights_in(options.out);
  const auto size = std::filesystem::file_size(options.out);
  options.dtype = "bf16";
  train_quietly(options);
  const auto rounded = weights_in(options.out);
  CHECK(size - std::filesystem::file_size(options.out) > exact.size() * 3 / 2);
  for (std::size_t k = 0; k < exact.size(); ++k) CHECK(rounded[k] == doctest::Approx(exact[k]).epsilon(1.0 / 128));
  options.dtype = "f8";
  CHECK_THROWS_AS(train_quietly(options), lacuna::invalid_argument);
}

TEST_CASE("a file without puzzles to measure with is refused before anything is trained") {
  const scratch_file scratch{"run"};
  train_options options = small_run(scratch.folder());
  std::ofstream(options.evaluation) << "\n";
  CHECK_THROWS_AS(train_quietly(options), lacuna::file_error);
  CHECK_FALSE(std::filesystem::exists(options.out));
}

TEST_CASE("a place that cannot be written to is refused before anything is trained") {
  const scratch_file scratch{"run"};
  train_options options = small_run(scratch.folder());
  options.curve = (scratch.folder() / "curve.csv").string();
  options.out = (scratch.folder() / "no such folder/model.safetensors").string();
  CHECK_THROWS_AS(train_quietly(options), lacuna::file_error);
  CHECK_FALSE(std::filesystem::exists(options.curve));

  const train_options fine = small_run(scratch.folder());
  const auto files = scratch.files_in_folder();
  const auto refused = [&](std::string train_options::*place, const std::string& path) {
    train_options other = fine;
    other.*place = path;
    CHECK_THROWS_AS(train_quietly(other), lacuna::file_error);
    CHECK(scratch.files_in_folder() == files);
  };
  for (const auto place : {&train_options::out, &train_options::checkpoint, &train_options::curve}) {
    refused(place, scratch.folder().string());  // a folder: nothing can take its place at the end
    refused(place, (scratch.folder() / "no such folder/file").string());
  }
  refused(&train_options::out, "");
}

TEST_CASE("a run starts from the weights of another, whose last relations its further rounds begin with") {
  const scratch_file scratch{"run"};
  train_options options = small_run(scratch.folder());
  options.size.depth = 2;
  options.size.distinct = 1;
  train_quietly(options);

  train_options longer = options;
  longer.from = options.out;
  longer.out = (scratch.folder() / "longer.safetensors").string();
  longer.size.depth = 4;
  longer.rate = 1e-30;  // as good as none
  longer.average = 0;
  train_quietly(longer);
  const lacuna::io::safetensors_file first{options.out}, second{longer.out};
  REQUIRE(first.entries().size() == second.entries().size());
  for (const auto& entry : second.entries()) {
    CAPTURE(entry.name);
    const auto values = [&](const lacuna::io::safetensors_file& file, const std::vector<std::size_t>& shape) {
      std::size_t size = 1;
      for (const std::size_t extent : shape) size *= extent;
      std::vector<float> all(size);
      file.read_finite(entry.name, shape, all);
      return all;
    };
    if (entry.name != "attention.relation") {
      CHECK(values(first, entry.shape) == values(second, entry.shape));
      continue;
    }
    REQUIRE(entry.shape == std::vector<std::size_t>{4, options.size.heads, relation_count});
    const auto two = values(first, {2, options.size.heads, relation_count}), four = values(second, entry.shape);
    const auto table = static_cast<std::ptrdiff_t>(two.size() / 2);
    for (std::ptrdiff_t round = 0; round < 4; ++round)
      CHECK(std::equal(four.begin() + round * table, four.begin() + (round + 1) * table,
                       two.begin() + std::min<std::ptrdiff_t>(round, 1) * table));
  }

  train_options other = longer;
  other.size.width *= 2;
  CHECK_THROWS_AS(train_quietly(other), lacuna::invalid_argument);
  other = longer;
  other.size.distinct = 2;
  CHECK_THROWS_AS(train_quietly(other), lacuna::invalid_argument);
  other = options;  // shallower than what it is to start from
  other.from = longer.out;
  CHECK_THROWS_AS(train_quietly(other), lacuna::invalid_argument);
}

}  // namespace
