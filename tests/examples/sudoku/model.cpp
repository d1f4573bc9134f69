#include "../../../examples/sudoku/model.hpp"

#include <doctest/doctest.h>

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "fixtures.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/io/safetensors.hpp"
#include "lacuna/nn/metadata.hpp"

namespace {

using namespace sudoku;
using namespace sudoku_test;

std::string refusal(const std::filesystem::path& path) {
  try {
    load_model(path.string(), 1);
  } catch (const lacuna::file_error& e) {
    return e.what();
  }
  return "accepted";
}

TEST_CASE("a network is loaded from its file, and scores grids") {
  model m = load_model(untrained_weights(), 2);
  CHECK(m.parameter_count() > 500);
  CHECK(m.vocabulary_size() == 10);
  CHECK(m.mask_token() == blank);
  std::array<lacuna::token, 2 * cell_count> tokens{};
  const std::array<std::size_t, 2> wanted{3, cell_count + 80};
  std::size_t rows = 0;
  const auto take = [&](std::size_t, std::span<const float> logits) {
    ++rows;
    CHECK(logits.size() == 10);
  };
  m(lacuna::view_as_tensor<const lacuna::token, 2>(tokens.data(), {2, cell_count}), wanted, lacuna::row_sink{take});
  CHECK(rows == 2);
}

TEST_CASE("a network shows its hidden states with the same logits, a model of a function alone shows none") {
  model m = load_model(untrained_weights(), 1);
  CHECK(m.hidden_size() == 8);
  std::array<lacuna::token, cell_count> tokens{};
  const std::array<std::size_t, 2> wanted{3, 80};
  std::array<std::vector<float>, 2> plain, logits, hidden;
  const auto into = [](auto& rows) {
    return [&rows](std::size_t k, std::span<const float> row) { rows[k].assign(row.begin(), row.end()); };
  };
  auto take_plain = into(plain);
  auto take_logits = into(logits);
  auto take_hidden = into(hidden);
  const auto batch = lacuna::view_as_tensor<const lacuna::token, 2>(tokens.data(), {1, cell_count});
  m(batch, wanted, lacuna::row_sink{take_plain});
  m.with_hidden(batch, wanted, lacuna::row_sink{take_logits}, lacuna::row_sink{take_hidden});
  CHECK(plain == logits);
  CHECK(hidden[0].size() == 8);
  CHECK(hidden[0] != hidden[1]);

  model without = scrambled();
  CHECK(without.hidden_size() == 0);
  CHECK_THROWS_WITH_AS(without.with_hidden(batch, wanted, lacuna::row_sink{take_logits}, lacuna::row_sink{take_hidden}),
                       "model: shows no hidden states, expected a network that does", lacuna::model_error);
}

TEST_CASE("a file that holds no network for grids is refused by name and reason") {
  CHECK(refusal("no/such.safetensors") == "cannot open \"no/such.safetensors\": No such file or directory");

  const lacuna_test::scratch_file file{"weights.safetensors"};
  const std::string name = file.path().string();
  for (const std::string& content : {std::string{}, std::string{"puzzle,solution\n"}, std::string(1000, 'x')}) {
    file.put(content);
    CHECK(refusal(file.path()).starts_with(name + ": "));
  }

  const std::string whole = text_of(untrained_weights());
  for (const std::size_t size : {std::size_t{4}, std::size_t{100}, whole.size() / 2, whole.size() - 1}) {
    file.put(whole.substr(0, size));
    CAPTURE(refusal(file.path()));
    CHECK(refusal(file.path()).starts_with(name + ": "));
  }
  file.put(whole + "x");
  CHECK(refusal(file.path()).starts_with(name + ": "));

  const std::vector<float> values(6);
  const std::vector<lacuna::io::output_tensor> tensors{{"a", {2, 3}, values}};
  lacuna::io::write_safetensors(file.path(), tensors);
  CHECK(refusal(file.path()).starts_with(name + ": metadata"));

  lacuna::nn::transformer_config letters;
  letters.width = letters.feed_forward = 8;
  letters.depth = letters.heads = 1;
  letters.vocabulary = 33;
  letters.max_length = 256;
  letters.mask_token = 32;
  lacuna::io::write_safetensors(file.path(), tensors, lacuna::nn::to_metadata(letters));
  CHECK(refusal(file.path()) == name + ": a network of 33 tokens, length 256, mask 32, expected 10 tokens, length 81, mask 0");

  const lacuna::io::safetensors_file real{untrained_weights()};
  lacuna::io::write_safetensors(file.path(), tensors, real.metadata());
  CHECK(refusal(file.path()).starts_with(name + ": holds 6 numbers, its metadata describe a network of "));
  const std::vector<float> as_many(load_model(untrained_weights(), 1).parameter_count());
  lacuna::io::write_safetensors(file.path(), std::vector<lacuna::io::output_tensor>{{"a", {as_many.size()}, as_many}},
                                real.metadata());
  CHECK(refusal(file.path()).starts_with(name + ": tensor \""));
}

TEST_CASE("a network that its metadata make larger than memory is refused for what the file holds") {
  const lacuna_test::scratch_file file{"boast.safetensors"};
  const lacuna::io::safetensors_file real{untrained_weights()};
  const std::vector<float> values(6);
  const std::vector<lacuna::io::output_tensor> tensors{{"a", {2, 3}, values}};
  for (const auto& [key, value] : std::map<std::string, std::string>{{"width", "1099511627776"},
                                                                     {"feed_forward", "1099511627776"},
                                                                     {"depth", "65536"},
                                                                     {"feature.0.count", "99999999999"}}) {
    auto metadata = real.metadata();
    metadata["transformer." + key] = value;
    lacuna::io::write_safetensors(file.path(), tensors, metadata);
    CHECK(refusal(file.path()).find(": holds 6 numbers, its metadata describe a network of ") != std::string::npos);
  }
}

}  // namespace
