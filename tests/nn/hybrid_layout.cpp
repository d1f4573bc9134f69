#include "lacuna/nn/hybrid_layout.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "small_hybrids.hpp"

namespace {

using namespace lacuna;

template <class F>
std::string complaint(const F& f) {
  try {
    f();
  } catch (const invalid_argument& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("the trunk of a hybrid layout lies as in a plain transformer, the causal part behind it and nowhere else") {
  for (const small_hybrids::named_config& small : small_hybrids::all()) {
    CAPTURE(small.name);
    nn::parameters whole, plain, verify;
    const nn::hybrid_layout layout = nn::hybrid_layout::add_to(whole, small.config);
    nn::transformer_layout::add_to(plain, small.config.trunk);
    nn::verify_layout::add_to(verify, small.config);
    CHECK(layout.trunk_size == plain.values().size());
    REQUIRE(whole.list().size() == plain.list().size() + verify.list().size());
    std::set<std::string> names;
    std::size_t end = 0;
    for (std::size_t i = 0; i < whole.list().size(); ++i) {
      const nn::parameter& p = whole.list()[i];
      const bool of_trunk = i < plain.list().size();
      const nn::parameter& expected = of_trunk ? plain.list()[i] : verify.list()[i - plain.list().size()];
      CHECK(p.name == expected.name);
      CHECK(p.shape == expected.shape);
      CHECK(p.decayed == expected.decayed);
      CHECK(p.name.starts_with("verify.") == !of_trunk);
      CHECK(p.offset == end);
      end += p.size;
      names.insert(p.name);
    }
    CHECK(names.size() == whole.list().size());
    CHECK(layout.verify.start.offset == layout.trunk_size);
    CHECK(layout.verify.out_bias.offset + layout.verify.out_bias.size == end);
    CHECK(nn::parameter_count(small.config) == static_cast<double>(whole.values().size()));
    CHECK(nn::verify_parameter_count(small.config) == static_cast<double>(verify.values().size()));
  }
}

TEST_CASE("a hybrid network starts with the trunk of a plain one and, with the residual, a last projection of zero") {
  for (const small_hybrids::named_config& small : small_hybrids::all()) {
    CAPTURE(small.name);
    nn::parameters whole, plain;
    const nn::hybrid_layout layout = nn::hybrid_layout::add_to(whole, small.config);
    nn::initialise(whole, layout, small.config, 8);
    nn::initialise(plain, nn::transformer_layout::add_to(plain, small.config.trunk), small.config.trunk, 8);
    CHECK(std::equal(plain.values().begin(), plain.values().end(), whole.values().begin()));
    const auto zero = [&](const nn::parameter& p) {
      return std::all_of(whole.of(p).begin(), whole.of(p).end(), [](float v) { return v == 0; });
    };
    CHECK(zero(layout.verify.out_weight) == (small.config.residual == nn::output_residual::on));
    CHECK(zero(layout.verify.out_bias));
    CHECK(!zero(layout.verify.join_weight));
    CHECK(!zero(layout.verify.start));
    CHECK(!zero(layout.verify.blocks.back().qkv_weight));
  }
}

TEST_CASE("a whole network is joined of a trunk and a causal part, and others are refused") {
  const nn::hybrid_config c = small_hybrids::learned();
  const nn::parameters whole = small_hybrids::shaken(c, 2);
  nn::parameters shape, trunk, verify;
  const nn::hybrid_layout layout = nn::hybrid_layout::add_to(shape, c);
  nn::transformer_layout::add_to(trunk, c.trunk);
  nn::verify_layout::add_to(verify, c);
  std::copy_n(whole.values().begin(), layout.trunk_size, trunk.values().begin());
  std::copy(whole.values().begin() + static_cast<std::ptrdiff_t>(layout.trunk_size), whole.values().end(),
            verify.values().begin());
  const nn::parameters joined = nn::join_parameters(c, trunk, verify);
  CHECK(std::equal(joined.values().begin(), joined.values().end(), whole.values().begin(), whole.values().end()));
  CHECK(complaint([&] { nn::join_parameters(c, verify, verify); }) ==
        "transformer: parameter 0 is 'verify.start' [24], expected 'embedding.token' [7, 24]");
  CHECK(complaint([&] { nn::join_parameters(c, trunk, trunk); }) ==
        "transformer: parameter 0 is 'embedding.token' [7, 24], expected 'verify.start' [24]");
}
