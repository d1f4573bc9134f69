#include "lacuna/train/weights_file.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "../io/scratch_file.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/nn/config.hpp"
#include "lacuna/nn/hadamard_head.hpp"
#include "lacuna/nn/layout.hpp"
#include "lacuna/nn/pair_metadata.hpp"
#include "lacuna/nn/parameters.hpp"

namespace io = lacuna::io;
namespace train = lacuna::train;
using lacuna_test::scratch_file;

namespace {

lacuna::nn::parameters network(std::size_t width, float scale = 1) {
  lacuna::nn::parameters p;
  p.add("in.weight", {width, 3}, true);
  p.add("in.bias", {width}, false);
  for (std::size_t i = 0; i < p.values().size(); ++i) p.values()[i] = scale * std::sin(static_cast<float>(i + 1));
  return p;
}

std::vector<float> copy_of(const lacuna::nn::parameters& p) { return {p.values().begin(), p.values().end()}; }

}  // namespace

TEST_CASE("weights come back: exactly, or rounded to the type of the file, with their metadata") {
  const scratch_file scratch{"weights.safetensors"};
  const auto original = network(4);
  const std::map<std::string, std::string> config{{"width", "4"}, {"norm", "rms"}};
  const std::map<io::element_type, double> relative{
      {io::element_type::f32, 0}, {io::element_type::f16, std::ldexp(1, -11)}, {io::element_type::bf16, std::ldexp(1, -8)}};
  for (const auto& [type, rounding] : relative) {
    train::save_weights(scratch.path(), original, original.values(), config, type);
    auto loaded = network(4, 0);
    CHECK(train::load_weights(scratch.path(), loaded) == config);
    for (std::size_t i = 0; i < loaded.values().size(); ++i) {
      CHECK(std::abs(loaded.values()[i] - original.values()[i]) <= rounding * std::abs(original.values()[i]));
    }
  }
}

TEST_CASE("the values written are those given, such as a moving average") {
  const scratch_file scratch{"average.safetensors"};
  auto p = network(4);
  const std::vector<float> average(p.values().size(), 0.25F);
  train::save_weights(scratch.path(), p, average);
  train::load_weights(scratch.path(), p);
  CHECK(copy_of(p) == average);
  CHECK_THROWS_AS(train::save_weights(scratch.path(), p, std::vector<float>(3)), lacuna::invalid_argument);
}

TEST_CASE("a file of another network is refused by the name of the tensor, and the network is as it was") {
  const scratch_file scratch{"other.safetensors"};
  auto p = network(4);
  const auto before = copy_of(p);
  const auto refused = [&](const lacuna::nn::parameters& other, const char* why) {
    train::save_weights(scratch.path(), other, other.values());
    CHECK_THROWS_WITH_AS(train::load_weights(scratch.path(), p), doctest::Contains(why), lacuna::file_error);
    CHECK(copy_of(p) == before);
  };
  refused(network(5), "tensor \"in.weight\" has shape [5, 3], expected [4, 3]");
  auto more = network(4, 2);
  more.add("out.bias", {1}, false);
  refused(more, "unexpected tensor \"out.bias\"");
  lacuna::nn::parameters less;
  less.add("in.weight", {4, 3}, true);
  refused(less, "tensor \"in.bias\" is missing");
  auto broken = network(4, 2);
  broken.values()[13] = std::numeric_limits<float>::infinity();
  std::vector<io::output_tensor> tensors;
  for (const lacuna::nn::parameter& q : broken.list())
    tensors.push_back({q.name, q.shape, broken.of(q), io::element_type::f32});
  io::write_safetensors(scratch.path(), tensors);
  CHECK_THROWS_WITH_AS(train::load_weights(scratch.path(), p), doctest::Contains("tensor \"in.bias\" holds inf at element 1"),
                       lacuna::file_error);
  CHECK(copy_of(p) == before);
}

TEST_CASE("weights that could not be loaded are not written, and the file before them stays") {
  const scratch_file scratch{"kept.safetensors"};
  auto p = network(4);
  train::save_weights(scratch.path(), p, p.values());
  const std::string before = scratch.get();
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    p.values()[13] = bad;
    CHECK_THROWS_WITH_AS(train::save_weights(scratch.path(), p, p.values()),
                         doctest::Contains("not written: \"in.bias\" holds"), lacuna::model_error);
    CHECK(scratch.get() == before);
  }
}

TEST_CASE("a file that describes another network than it holds is refused before that network is made") {
  const scratch_file scratch{"boast.safetensors"};
  lacuna::nn::transformer_config c;
  c.vocabulary = 5;
  c.max_length = 4;
  c.width = c.feed_forward = 4;
  c.depth = 1;
  lacuna::nn::parameters p;
  lacuna::nn::transformer_layout::add_to(p, c);
  train::save_weights(scratch.path(), p, p.values(), {}, io::element_type::f16);
  const io::safetensors_file file{scratch.path()};
  CHECK_NOTHROW(train::expect_size(file, c));
  c.depth = 2;
  CHECK_THROWS_WITH_AS(train::expect_size(file, c), doctest::Contains("numbers, its metadata describe a network of "),
                       lacuna::file_error);
  c.depth = 1;
  c.width = std::size_t{1} << 40U;
  CHECK_THROWS_AS(train::expect_size(file, c), lacuna::file_error);
}

TEST_CASE("a head on pairs comes back from its file, made from the metadata alone; one that boasts is refused before") {
  namespace nn = lacuna::nn;
  const scratch_file scratch{"head.safetensors"};
  const nn::hadamard_head head{{5, 4}, 9};
  train::save_weights(scratch.path(), head.parameters(), head.parameters().values(), nn::to_metadata(head.config()));
  const io::safetensors_file file{scratch.path()};
  nn::hadamard_config c = nn::hadamard_from_metadata(file.metadata());
  train::expect_size(file, c);
  nn::hadamard_head found{c, 0};
  train::load_weights(file, found.parameters());
  CHECK(found.config() == head.config());
  CHECK(std::equal(found.parameters().values().begin(), found.parameters().values().end(), head.parameters().values().begin()));
  c.width = std::size_t{1} << 40U;
  CHECK_THROWS_WITH_AS(train::expect_size(file, c), doctest::Contains("holds 97 numbers"), lacuna::file_error);
}
