#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "lacuna/nn/transformer.hpp"
#include "small_networks.hpp"
#include "tests/allocation_count.hpp"

namespace {

using namespace lacuna;
using tests::allocations;

}  // namespace

TEST_CASE("after the first pass the same or a smaller one allocates nothing, whatever the options and threads") {
  for (const small_networks::named_config& small : small_networks::all())
    for (const std::size_t threads : {1U, 2U}) {
      CAPTURE(small.name);
      nn::transformer net{small.config, 1, threads};
      const small_networks::owned_batch batch = small_networks::random_batch(small.config, {21, 21, 21, 21}, 11);
      const small_networks::owned_batch ragged = small_networks::random_batch(small.config, {4, 21, 9}, 11);
      const token_batch view = view_as_tensor(batch.inputs.data(), std::array<std::size_t, 2>{4, 21});
      const ragged_batch smaller{ragged.inputs, ragged.offsets};
      const std::vector<std::size_t> wanted{0, 5, 30, 31, 33};
      std::size_t rows = 0;
      const auto sink = [&](std::size_t, std::span<const float>) { ++rows; };
      net(view, wanted, sink);
      const std::size_t before = allocations();
      net(view, wanted, sink);
      net.with_hidden(view, wanted, sink, sink);
      net(smaller, wanted, sink);
      CHECK(allocations() == before);
      CHECK(rows == 25);
      const tensor<float, 3> logits = net(view);
      CHECK(allocations() > before);  // the tensor it returns: the counter works
    }
}

TEST_CASE("once both ways of dealing out rows have run, steps of training of no larger size allocate nothing") {
  nn::transformer net{small_networks::with_relation(), 1, 2};
  const small_networks::owned_batch even = small_networks::random_batch(net.config(), {21, 21, 21, 21}, 11);
  const small_networks::owned_batch uneven = small_networks::random_batch(net.config(), {4, 21, 9}, 11);
  const small_networks::owned_batch smaller = small_networks::random_batch(net.config(), {21, 20}, 11);
  std::vector<float> gradient(net.parameters().values().size());
  net.loss_and_gradient(even.view(), gradient);
  net.loss_and_gradient(uneven.view(), gradient);
  const std::size_t before = allocations();
  net.loss_and_gradient(even.view(), gradient);
  net.loss_and_gradient(uneven.view(), gradient);
  net.loss_and_gradient(smaller.view(), gradient);
  CHECK(allocations() == before);
}

TEST_CASE("a vocabulary of 262144 with 8 rows of 256 takes one tile of logits, not 2 GiB") {
  nn::transformer_config c;
  c.vocabulary = 262144;
  c.max_length = 256;
  c.width = 16;
  c.depth = 1;
  c.heads = 1;
  c.feed_forward = 16;
  nn::transformer net{c, 1};
  std::vector<token> tokens(8 * 256);
  for (std::size_t n = 0; n < tokens.size(); ++n) tokens[n] = static_cast<token>(n * 127 % c.vocabulary);
  const token_batch view = view_as_tensor(std::as_const(tokens).data(), std::array<std::size_t, 2>{8, 256});
  const std::vector<std::size_t> wanted{0, 1, 2, 700, 1500, 2047};
  const tests::heap_peak peak;
  std::size_t rows = 0;
  net(view, wanted, [&](std::size_t, std::span<const float> row) { rows += row.size() == 262144 ? 1 : 0; });
  CHECK(rows == 6);
  CHECK(peak.bytes() < std::size_t{16} << 20U);
}
