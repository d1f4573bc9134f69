#include "lacuna/nn/layout.hpp"

#include <cmath>
#include <map>
#include <string>

#include <doctest/doctest.h>

#include "small_networks.hpp"

namespace {

using namespace lacuna;

std::string message(const nn::parameters& given, const nn::parameters& expected) {
  try {
    nn::check_layout(given, expected);
  } catch (const invalid_argument& e) {
    return e.what();
  }
  return "";
}

nn::parameters zeros(const nn::transformer_config& c) {
  nn::parameters p;
  nn::transformer_layout::add_to(p, c);
  return p;
}

double deviation(std::span<const float> x) {
  double squares = 0.0;
  for (const float v : x) squares += static_cast<double>(v) * static_cast<double>(v);
  return std::sqrt(squares / static_cast<double>(x.size()));
}

}  // namespace

TEST_CASE("every parameter has a name and a shape, and a float of its own") {
  nn::parameters p;
  nn::transformer_config c = small_networks::with_relation();
  c.head = nn::head_kind::own;
  nn::transformer_layout::add_to(p, c);
  std::size_t next = 0;
  for (const nn::parameter& q : p.list()) {
    CHECK(q.offset == next);
    next += q.size;
  }
  CHECK(next == p.values().size());
  const std::size_t d = 24, v = 7, f = 40;
  const std::size_t block = 3 * d * d + 3 * d + d * d + d + 2 * d * f + f + d + 4 * d;
  CHECK(next == v * d + 7 * d + 2 * d + 2 * 3 * 3 + 2 * block + 2 * d + d * v + v);
  CHECK(p.list()[0].name == "embedding.token");
  CHECK(p.list()[1].name == "embedding.third");
}

TEST_CASE("RMS norms have no bias, and a tied head no matrix") {
  nn::transformer_config c = small_networks::plain();
  const std::size_t before = zeros(c).values().size();
  c.norm = nn::norm_kind::rms;
  CHECK(zeros(c).values().size() == before - 5 * c.width);
  c.head = nn::head_kind::own;
  CHECK(zeros(c).values().size() == before - 5 * c.width + c.width * c.vocabulary);
}

TEST_CASE("shared blocks are the same places again, and count once") {
  nn::transformer_config c = small_networks::with_relation();
  c.depth = 5;
  c.distinct_blocks = 2;
  nn::parameters shared;
  const nn::transformer_layout layout = nn::transformer_layout::add_to(shared, c);
  REQUIRE(layout.blocks.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) CHECK(layout.blocks[i].up_weight.offset == layout.blocks[i % 2].up_weight.offset);
  CHECK(layout.blocks[0].up_weight.offset != layout.blocks[1].up_weight.offset);
  c.depth = 2;
  c.distinct_blocks = 0;
  CHECK(shared.values().size() == zeros(c).values().size() + 3 * c.heads * c.relation->count);
}

TEST_CASE("parameters can be counted without being made") {
  for (const small_networks::named_config& small : small_networks::all()) {
    CAPTURE(small.name);
    CHECK(nn::parameter_count(small.config) == static_cast<double>(zeros(small.config).values().size()));
  }
  for (const auto act : {nn::activation::gelu, nn::activation::swiglu})
    for (const auto norm : {nn::norm_kind::layer, nn::norm_kind::rms})
      for (const auto where : {nn::positions::none, nn::positions::learned})
        for (const auto head : {nn::head_kind::tied, nn::head_kind::own})
          for (const std::size_t distinct : {0U, 1U, 2U}) {
            nn::transformer_config c = small_networks::with_relation();
            c.depth = 5;
            c.distinct_blocks = distinct;
            c.activation = act;
            c.norm = norm;
            c.positions = where;
            c.head = head;
            CHECK(nn::parameter_count(c) == static_cast<double>(zeros(c).values().size()));
          }
  nn::transformer_config huge = small_networks::plain();
  huge.width = std::size_t{1} << 40U;  // 3 D^2 is nothing in 64 bits
  CHECK(nn::parameter_count(huge) > 1e24);
}

TEST_CASE("only matrices are marked for weight decay") {
  nn::transformer_config c = small_networks::with_relation();
  c.head = nn::head_kind::own;
  const nn::parameters all = zeros(c);
  for (const nn::parameter& p : all.list())
    CHECK(p.decayed == (p.name.find(".weight") != std::string::npos && p.name.find("norm") == std::string::npos));
}

TEST_CASE("starting values repeat for a seed, differ between seeds and have the documented spread") {
  nn::transformer_config c = small_networks::plain();
  c.width = 60;
  c.depth = 3;
  nn::parameters p = zeros(c), again = zeros(c), other = zeros(c);
  const nn::transformer_layout layout = [&] {
    nn::parameters scratch;
    return nn::transformer_layout::add_to(scratch, c);
  }();
  nn::initialise(p, layout, c, 5);
  nn::initialise(again, layout, c, 5);
  nn::initialise(other, layout, c, 6);
  CHECK(std::equal(p.values().begin(), p.values().end(), again.values().begin()));
  CHECK(!std::equal(p.values().begin(), p.values().end(), other.values().begin()));
  // A deviation from n draws is off by 1 / sqrt(2 n): 0.7 % and 1.2 % here; four of those are allowed.
  CHECK(deviation(p.of(layout.blocks[1].qkv_weight)) == doctest::Approx(std::sqrt(1.0 / (3 * 60))).epsilon(0.03));
  CHECK(deviation(p.of(layout.blocks[1].out_weight)) == doctest::Approx(std::sqrt(1.0 / (3 * 60) / 6)).epsilon(0.05));
  CHECK(deviation(p.of(layout.blocks[0].norm1_weight)) == 1.0);
  CHECK(deviation(p.of(layout.blocks[0].qkv_bias)) == 0.0);
}

TEST_CASE("starting values are pinned: changing them changes every network made from a seed") {
  nn::transformer_config c = small_networks::with_relation();
  c.positions = nn::positions::learned;
  c.head = nn::head_kind::own;
  nn::parameters p;
  const nn::transformer_layout layout = nn::transformer_layout::add_to(p, c);
  nn::initialise(p, layout, c, 5);
  // The second number of each tensor that is drawn: each from the next stream.
  const std::map<std::string, double> expected{
      {"embedding.token", -0.347792536},
      {"embedding.position", -0.105498508},
      {"embedding.third", 0.0564474016},
      {"embedding.parity", -0.126499325},
      {"block.0.attention.qkv.weight", 0.165834203},
      {"block.0.attention.out.weight", 0.0649713427},
      {"block.0.feed_forward.up.weight", 0.0211626217},
      {"block.0.feed_forward.down.weight", -0.0255012307},
      {"block.1.attention.qkv.weight", -0.044393573},
      {"block.1.attention.out.weight", 0.0398944989},
      {"block.1.feed_forward.up.weight", -0.153781399},
      {"block.1.feed_forward.down.weight", -0.0554530546},
      {"head.weight", -0.0593091436},
  };
  std::size_t seen = 0;
  for (const nn::parameter& q : p.list()) {
    const double value = static_cast<double>(p.of(q)[1]);
    const auto found = expected.find(q.name);
    CAPTURE(q.name);
    if (found != expected.end()) {
      CHECK(value == doctest::Approx(found->second).epsilon(1e-6));
      ++seen;
    } else {
      CHECK((value == 0 || value == 1));
    }
  }
  CHECK(seen == expected.size());
}

TEST_CASE("relations start at the configured values in every layer") {
  const nn::transformer_config c = small_networks::with_relation();
  nn::parameters p;
  const nn::transformer_layout layout = nn::transformer_layout::add_to(p, c);
  nn::initialise(p, layout, c, 5);
  const std::span<const float> relation = p.of(*layout.relation);
  CHECK(relation.size() == 2 * 9);
  for (std::size_t i = 0; i < 18; ++i) CHECK(relation[i] == c.relation->initial[i % 9]);
}

TEST_CASE("parameters of another network are refused with what was got and expected") {
  const nn::parameters expected = zeros(small_networks::plain());
  CHECK(message(expected, expected).empty());
  nn::transformer_config c = small_networks::plain();
  c.width = 12;
  CHECK(message(zeros(c), expected) ==
        "transformer: parameter 0 is 'embedding.token' [7, 12], expected 'embedding.token' [7, 24]");
  c = small_networks::plain();
  c.head = nn::head_kind::own;
  CHECK(message(expected, zeros(c)).find("'head.weight'") != std::string::npos);
  nn::parameters more = zeros(small_networks::plain());
  more.add("extra", {1}, false);
  CHECK(message(more, expected) == "transformer: got " + std::to_string(more.list().size()) + " parameters, expected " +
                                       std::to_string(expected.list().size()));
  CHECK(message({}, expected) == "transformer: parameter 'embedding.token' [7, 24] is missing");
}
