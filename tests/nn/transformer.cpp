#include "lacuna/nn/transformer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "comparing.hpp"
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

#ifndef EIGEN_USE_BLAS  // a BLAS promises no such thing
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
#endif

TEST_CASE("positions may be wanted twice, few or none, and rows without any are left out") {
  nn::transformer net = shaken(small_networks::plain(), 7);
  const small_networks::owned_batch batch = small_networks::random_batch(net.config(), {21, 21, 21, 21}, 11);
  const token_batch view = view_as_tensor(std::as_const(batch).inputs.data(), std::array<std::size_t, 2>{4, 21});
  const tensor<float, 3> all = net(view);
  const std::vector<std::size_t> wanted{0, 0, 20, 45, 45, 45, 62};
  std::vector<int> calls(wanted.size());
  net(view, wanted, [&](std::size_t k, std::span<const float> row) {
    ++calls[k];
    CHECK(comparing::difference(row, std::span{all.data() + wanted[k] * 7, 7}) < 1e-6);
  });
  for (const int n : calls) CHECK(n == 1);
  net(view, {}, [&](std::size_t, std::span<const float>) { CHECK(false); });
}

TEST_CASE("hidden states of wanted positions are those of the whole pass, in either kind of batch") {
  nn::transformer net = shaken(small_networks::with_relation(), 7);
  const small_networks::owned_batch batch = small_networks::random_batch(net.config(), {21, 21}, 11);
  const token_batch view = view_as_tensor(std::as_const(batch).inputs.data(), std::array<std::size_t, 2>{2, 21});
  const auto all = net.with_hidden(view);
  CHECK(all.hidden.shape(2) == net.hidden_size());
  const std::vector<std::size_t> wanted{3, 21, 41};
  std::size_t calls = 0;
  const auto logits = [&](std::size_t k, std::span<const float> row) {
    ++calls;
    CHECK(comparing::difference(row, std::span{all.logits.data() + wanted[k] * 7, 7}) < 1e-6);
  };
  const auto hidden = [&](std::size_t k, std::span<const float> row) {
    ++calls;
    CHECK(comparing::difference(row, std::span{all.hidden.data() + wanted[k] * net.hidden_size(), net.hidden_size()}) < 1e-6);
  };
  net.with_hidden(view, wanted, logits, hidden);
  net.with_hidden(ragged_batch{batch.inputs, batch.offsets}, wanted, logits, hidden);
  CHECK(calls == 12);
}

TEST_CASE("a batch without rows or tokens gives tensors without numbers") {
  nn::transformer net{small_networks::plain(), 1};
  const token nothing = 0;
  CHECK(net(view_as_tensor(&nothing, std::array<std::size_t, 2>{0, 21})).size() == 0);
  CHECK(net(view_as_tensor(&nothing, std::array<std::size_t, 2>{3, 0})).size() == 0);
  const std::vector<std::size_t> offsets{0, 0, 1, 1};
  CHECK(net(ragged_batch{std::span{&nothing, 1}, offsets}).shape(0) == 1);
}

TEST_CASE("the facts of the model are those of its configuration") {
  nn::transformer_config c = small_networks::plain();
  c.mask_token = 3;
  c.forbidden_tokens = {4};
  c.end_token = 5;
  const nn::transformer net{c, 1, 2};
  CHECK(net.vocabulary_size() == 7);
  CHECK(net.mask_token() == 3);
  CHECK(net.forbidden_tokens() == std::vector<token>{4});
  CHECK(net.end_token() == std::optional<token>{5});
  CHECK(net.max_length() == 21);
  CHECK(net.hidden_size() == 24);
  CHECK(net.threads() == 2);
}

TEST_CASE("loaded parameters make the same network, and others are refused") {
  nn::transformer net = shaken(small_networks::plain(), 7);
  nn::transformer copy{net.config(), std::as_const(net).parameters()};
  const small_networks::owned_batch batch = small_networks::random_batch(net.config(), {21}, 11);
  const token_batch view = view_as_tensor(std::as_const(batch).inputs.data(), std::array<std::size_t, 2>{1, 21});
  CHECK(net(view) == copy(view));
  CHECK_THROWS_AS((nn::transformer{net.config(), nn::parameters{}}), invalid_argument);
}

TEST_CASE("wrong tokens, lengths, offsets and positions are refused with got and expected") {
  nn::transformer net{small_networks::plain(), 1};
  const auto message = [&](const auto& call) -> std::string {
    try {
      call();
    } catch (const invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  const auto ignore = [](std::size_t, std::span<const float>) {};
  const std::vector<token> tokens{1, 2, 7, 0};
  const std::vector<token> negative{-1, 0};
  const std::vector<token> fine(44, 1);
  CHECK(message([&] {
          net(view_as_tensor(tokens.data(), std::array<std::size_t, 2>{2, 2}));
        }) == "transformer: token 2 is 7, expected 0..6");
  CHECK(message([&] {
          net(view_as_tensor(negative.data(), std::array<std::size_t, 2>{1, 2}));
        }) == "transformer: token 0 is -1, expected 0..6");
  CHECK(message([&] {
          net(view_as_tensor(fine.data(), std::array<std::size_t, 2>{2, 22}));
        }) == "transformer: row 0 runs from 0 to 22, expected a length of at most 21");
  const auto ragged = [&](const std::vector<std::size_t>& offsets) {
    return message([&] { net(ragged_batch{std::span{fine}.first(10), offsets}); });
  };
  CHECK(ragged({}) == "transformer: got no offsets, expected B + 1");
  CHECK(ragged({1, 10}) == "transformer: the first offset is 1, expected 0");
  CHECK(ragged({0, 9}) == "transformer: the last offset is 9, expected the number of tokens 10");
  CHECK(ragged({0, 7, 5, 10}) == "transformer: row 1 runs from 7 to 5, expected a length of at most 21");
  const auto wanted = [&](const std::vector<std::size_t>& positions) {
    return message([&] { net(view_as_tensor(fine.data(), std::array<std::size_t, 2>{2, 5}), positions, ignore); });
  };
  CHECK(wanted({3, 10}) == "transformer: wanted position 1 is 10 after 3, expected ascending positions below 10");
  CHECK(wanted({3, 2}) == "transformer: wanted position 1 is 2 after 3, expected ascending positions below 10");
  CHECK(message([&] { net.set_threads(0); }) == "transformer: got 0 threads, expected at least 1");
}

TEST_CASE("a changed parameter counts from the next call on, the relation's too") {
  nn::transformer net = shaken(small_networks::with_relation(), 7);
  const small_networks::owned_batch batch = small_networks::random_batch(net.config(), {21, 9}, 11);
  const ragged_batch rows{batch.inputs, batch.offsets};
  const tensor<float, 2> before = net(rows);
  for (const nn::parameter& p : std::vector<nn::parameter>(net.parameters().list().begin(), net.parameters().list().end())) {
    CAPTURE(p.name);
    net.parameters().of(p)[p.size - 1] += 1.0F;
    const tensor<float, 2> after = net(rows);
    nn::transformer fresh{net.config(), std::as_const(net).parameters()};
    CHECK(after == fresh(rows));
    CHECK(after != before);
    net.parameters().of(p)[p.size - 1] -= 1.0F;
  }
}
