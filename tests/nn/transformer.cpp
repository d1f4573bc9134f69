#include "lacuna/nn/transformer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include "lacuna/concepts/hidden_state_model.hpp"
#include "lacuna/concepts/masked_model.hpp"
#include "lacuna/concepts/ragged_model.hpp"
#include "lacuna/concepts/selective_model.hpp"
#include "lacuna/nn/reference_transformer.hpp"
#include "small_networks.hpp"

namespace {

using namespace lacuna;

static_assert(masked_model<nn::transformer>);
static_assert(selective_model<nn::transformer>);
static_assert(hidden_state_model<nn::transformer>);
static_assert(returns_hidden<nn::transformer> && selects_hidden<nn::transformer>);
static_assert(ragged_model<nn::transformer>);
static_assert(selects_from_ragged_batches<nn::transformer>);

nn::transformer shaken(const nn::transformer_config& c, std::uint64_t seed) {
  nn::transformer net{c, seed};
  std::vector<float> noise(net.parameters().values().size());
  nn::fill_normal(noise, 0.1, seed, 1000);
  for (std::size_t i = 0; i < noise.size(); ++i) net.parameters().values()[i] += noise[i];
  return net;
}

}  // namespace

TEST_CASE("logits and hidden states equal those of the plain loops in double, whatever the options") {
  for (const small_networks::named_config& small : small_networks::all()) {
    CAPTURE(small.name);
    const nn::transformer_config& config = small.config;
    nn::transformer net = shaken(config, 3);
    const small_networks::owned_batch batch = small_networks::random_batch(config, {21, 21, 21}, 5);
    const auto got = net.with_hidden(view_as_tensor(batch.inputs.data(), std::array<std::size_t, 2>{3, 21}));
    const nn::reference::transformer<double> reference{config, net.parameters().values()};
    double worst = 0.0;
    for (std::size_t b = 0; b < 3; ++b) {
      const auto expected = reference(std::span{batch.inputs}.subspan(21 * b, 21));
      for (std::size_t i = 0; i < expected.logits.size(); ++i)
        worst = std::max(worst,
                         std::abs(static_cast<double>(got.logits.data()[b * expected.logits.size() + i]) - expected.logits[i]));
      for (std::size_t i = 0; i < expected.hidden.size(); ++i)
        worst = std::max(worst,
                         std::abs(static_cast<double>(got.hidden.data()[b * expected.hidden.size() + i]) - expected.hidden[i]));
    }
    CHECK(worst < 2e-5);
  }
}

TEST_CASE("a row's logits are bitwise the same alone, among others, ragged, selected and with any number of threads") {
  for (const small_networks::named_config& small : small_networks::all()) {
    CAPTURE(small.name);
    const nn::transformer_config& config = small.config;
    nn::transformer net = shaken(config, 7);
    const std::vector<std::size_t> lengths{21, 1, 5, 16, 17, 21, 2, 20, 13};
    const small_networks::owned_batch batch = small_networks::random_batch(config, lengths, 11);
    const std::size_t v = config.vocabulary;
    std::vector<float> alone(batch.inputs.size() * v);
    for (std::size_t b = 0; b < lengths.size(); ++b) {
      const token* row = batch.inputs.data() + batch.offsets[b];
      const auto logits = net(view_as_tensor(row, std::array<std::size_t, 2>{1, lengths[b]}));
      std::copy(logits.begin(), logits.end(), alone.begin() + static_cast<std::ptrdiff_t>(batch.offsets[b] * v));
    }
    for (const std::size_t threads : {1U, 2U, 3U}) {
      net.set_threads(threads);
      const auto together = net(ragged_batch{batch.inputs, batch.offsets});
      CHECK(std::memcmp(together.data(), alone.data(), alone.size() * sizeof(float)) == 0);
      std::vector<std::size_t> wanted;
      for (std::size_t n = 0; n < batch.inputs.size(); n += 3) wanted.push_back(n);
      std::size_t calls = 0;
      bool same = true;
      net(ragged_batch{batch.inputs, batch.offsets}, wanted, [&](std::size_t k, std::span<const float> row) {
        ++calls;
        same = same && row.size() == v && std::memcmp(row.data(), alone.data() + wanted[k] * v, v * sizeof(float)) == 0;
      });
      CHECK(calls == wanted.size());
      CHECK(same);
    }
  }
}
