// What deciding and drawing cost beside a bare reading of the logits.
//
//   sample --benchmark_enable_random_interleaving=true --benchmark_repetitions=5
//
// Every case decodes a canvas of 256 masks with a model that costs nothing (its rows lie ready), a quarter of the masks a step,
// and counts the rows of logits looked at: 256 + 192 + 128 + 64. `reading` is the floor: the largest logit of a row and the sum
// of its exponentials, in double. The quotient of two rows/s of one run is what a policy costs; the names' last part is the
// vocabulary.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lacuna/lacuna.hpp"

namespace {

using namespace lacuna;

constexpr std::size_t length = 256;

/// Rows of logits that are there already: a different one for each of 32 positions, whatever the context.
class ready_model {
 public:
  explicit ready_model(std::size_t vocabulary) : vocabulary_{vocabulary}, logits_(kinds * vocabulary) {
    random_stream random{1, stream_use::other, 0, 0};
    for (float& logit : logits_) logit = static_cast<float>(8 * random.uniform());
  }
  [[nodiscard]] std::size_t vocabulary_size() const { return vocabulary_; }
  [[nodiscard]] token mask_token() const { return static_cast<token>(vocabulary_ - 1); }
  void operator()(const token_batch& x, std::span<const std::size_t> wanted, row_sink sink) const {
    for (std::size_t k = 0; k < wanted.size(); ++k) sink(k, row(wanted[k] % x.shape(1)));
  }
  [[nodiscard]] std::span<const float> row(std::size_t l) const {
    return {logits_.data() + l % kinds * vocabulary_, vocabulary_};
  }

 private:
  static constexpr std::size_t kinds = 32;
  std::size_t vocabulary_;
  std::vector<float> logits_;
};

std::size_t vocabulary_of(const benchmark::State& state) { return static_cast<std::size_t>(state.range(0)); }

void count_rows(benchmark::State& state, std::size_t rows) {
  state.counters["rows"] = benchmark::Counter(static_cast<double>(rows), benchmark::Counter::kIsRate);
}

void reading(benchmark::State& state) {
  const ready_model model{vocabulary_of(state)};
  std::size_t rows = 0;
  for (auto _ : state) {
    for (std::size_t l = 0; l < length; ++l, ++rows) {
      const std::span<const float> row = model.row(l);
      const double top = *std::max_element(row.begin(), row.end());
      double sum = 0;
      for (const float logit : row) sum += std::exp(static_cast<double>(logit) - top);
      benchmark::DoNotOptimize(sum);
    }
  }
  count_rows(state, rows);
}

template <class Sampler>
void decoding(benchmark::State& state, const Sampler& sampler) {
  const ready_model model{vocabulary_of(state)};
  const std::vector<job> jobs{{canvas::blank(length), 0, unlimited}};
  std::size_t rows = 0;
  for (auto _ : state) {
    const batch_result result = decode(model, std::span{jobs}, sampler, decode_options{});
    rows += 256 + 192 + 128 + 64;
    benchmark::DoNotOptimize(result.rows.front().tokens.data());
  }
  count_rows(state, rows);
}

constexpr pace::linear four_steps{4};

const bool registered = [] {
  const auto add = [](const char* name, auto run) {
    benchmark::RegisterBenchmark(name, run)->Arg(33)->Arg(4096)->Arg(32768)->Unit(benchmark::kMillisecond);
  };
  const auto sampler = [&](const char* name, const auto& composed) {
    add(name, [composed](benchmark::State& state) { decoding(state, composed); });
  };
  add("reading", reading);
  sampler("random, argmax", compose(order::random{four_steps}, draw::argmax{}));
  sampler("confidence, argmax", compose(order::top_k{rank::confidence{}, four_steps}, draw::argmax{}));
  sampler("entropy, argmax", compose(order::top_k{rank::entropy{}, four_steps}, draw::argmax{}));
  sampler("entropy, categorical", compose(order::top_k{rank::entropy{}, four_steps}, draw::categorical{}));
  sampler("entropy, temperature",
          compose(order::top_k{rank::entropy{}, four_steps}, draw::temperature{0.7, draw::categorical{}}));
  sampler("entropy, top_p", compose(order::top_k{rank::entropy{}, four_steps}, draw::top_p{0.9, draw::categorical{}}));
  return true;
}();

}  // namespace
