// What drafting and verifying cost beside a pass of a plain transformer with as many blocks.
//
//   hybrid [rounds = 40]
//
// Rows of 128 symbols, width 128, 8 blocks, one of them causal: the shape of examples/text. A line for each pass: milliseconds
// a call, and its share of the plain pass. Rounds alternate, the best of each counts. "verify, the rest" has the first half of
// a draft's tracks kept from an earlier verification. The last line counts multiplications instead of seconds.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "lacuna/core/scatter.hpp"
#include "lacuna/nn.hpp"
#include "lacuna/nn/hybrid_transformer.hpp"

namespace {

using namespace lacuna;

nn::transformer_config text(std::size_t depth) {
  nn::transformer_config c;
  c.vocabulary = 28;
  c.max_length = 128;
  c.width = 128;
  c.depth = depth;
  c.heads = 4;
  c.feed_forward = 512;
  c.positions = nn::positions::rotary;
  c.head = nn::head_kind::own;
  c.mask_token = 27;
  return c;
}

double seconds_of(const auto& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void measure(std::size_t rows, int rounds) {
  nn::transformer plain{text(8), 1};
  nn::hybrid_config config;
  config.trunk = text(7);
  nn::hybrid_transformer hybrid{config, 1};
  const std::size_t length = config.trunk.max_length;
  std::vector<token> masked(rows * length, 27), tokens(rows * length);
  std::vector<std::size_t> wanted(rows * length), slots(rows), orders(rows * length), first(rows, 0), half(rows, length / 2),
      last(rows, length);
  std::iota(wanted.begin(), wanted.end(), std::size_t{0});
  std::iota(slots.begin(), slots.end(), std::size_t{0});
  for (std::size_t b = 0; b < rows; ++b) {
    const std::span<std::size_t> order = std::span{orders}.subspan(b * length, length);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [](std::size_t x, std::size_t y) { return scatter(x) < scatter(y); });
    for (std::size_t l = 0; l < length; ++l) tokens[b * length + l] = static_cast<token>(scatter(b * length + l) % 27);
  }
  const token_batch batch = view_as_tensor(std::as_const(masked).data(), std::array<std::size_t, 2>{rows, length});
  float total = 0;
  const auto sink = [&](std::size_t, std::span<const float> row) { total += row[0]; };
  const std::array<const char*, 4> names{"plain pass, 8 blocks", "draft, 7 blocks", "verify, 1 block", "verify, the rest"};
  std::array<double, 4> best;
  best.fill(1e30);
  for (int round = 0; round < rounds; ++round) {
    const auto take = [&](std::size_t which, const auto& call) { best[which] = std::min(best[which], seconds_of(call)); };
    take(0, [&] { plain(batch, wanted, sink); });
    take(1, [&] { hybrid.draft(batch, slots, wanted, sink); });
    take(2, [&] { hybrid.verify({slots, orders, tokens, first, last}, sink); });
    hybrid.draft(batch, slots, wanted, sink);
    hybrid.verify({slots, orders, tokens, first, half}, sink);
    take(3, [&] { hybrid.verify({slots, orders, tokens, half, last}, sink); });
  }
  for (std::size_t k = 0; k < names.size(); ++k)
    std::printf("B=%-3zu %-22s %9.3f ms %7.3f of a plain pass\n", rows, names[k], best[k] * 1e3, best[k] / best[0]);
  std::printf("B=%-3zu %-22s %12s %7.3f of a plain pass\n", rows, "draft + verify", "", (best[1] + best[2]) / best[0]);
  if (total == 0.123F) std::puts("");  // the results are used
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 40;
  for (const std::size_t rows : {1U, 16U, 64U}) measure(rows, rounds);
  // A token through a block: 4 D D of attention's products, 8 D D of the two layers, 2 L D of scores. The causal part joins two
  // hidden states (2 D D), projects out (D D), and has the head's V D once more.
  const double d = 128, l = 128, v = 28;
  const double block = 12 * d * d + 2 * l * d;
  std::printf("multiplications beyond the moved block: %.2f %% of a pass\n", 100 * (3 * d * d + v * d) / (8 * block + v * d));
}
