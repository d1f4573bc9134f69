/// @file
/// @brief The reference transformer: a bidirectional pre-norm encoder that is every rung of the model ladder.
///
/// ```cpp
/// lacuna::nn::transformer net{config, 42};            // random start; or {config, loaded parameters}
/// lacuna::tensor<float, 3> logits = net(batch);       // [B, L] -> [B, L, V]
/// net(batch, wanted, [&](std::size_t k, std::span<const float> row) { ... });   // only some positions
/// ```
/// A row's numbers are bitwise the same whatever its neighbours, the batch size, the split into calls and the number of threads
/// (unless built with EIGEN_USE_BLAS). A call allocates nothing but the tensor it returns after the first of the same or a
/// larger size; with `wanted` positions logits exist for one tile of them at a time, and rows without any cost nothing. One
/// object serves one call at a time. Errors: invalid_argument for tokens out of range, rows longer than max_length, `wanted`
/// not ascending or out of range.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/core/batch.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/tensor.hpp"
#include "lacuna/core/token.hpp"
#include "lacuna/nn/check_rows.hpp"
#include "lacuna/nn/config.hpp"
#include "lacuna/nn/example_batch.hpp"
#include "lacuna/nn/forward_pass.hpp"
#include "lacuna/nn/layout.hpp"
#include "lacuna/nn/parameters.hpp"
#include "lacuna/nn/read_out.hpp"
#include "lacuna/nn/threads.hpp"
#include "lacuna/nn/training_pass.hpp"

namespace lacuna::nn {

class transformer {
 public:
  /// Random parameters: the same for the same seed everywhere.
  transformer(transformer_config config, std::uint64_t seed, std::size_t threads = 1)
      : transformer{zeroed{}, std::move(config), threads} {
    initialise(parameters_, layout_, config_, seed);
  }
  /// Loaded parameters, with the names and shapes of nn/layout.hpp.
  transformer(transformer_config config, parameters loaded, std::size_t threads = 1)
      : transformer{zeroed{}, std::move(config), threads} {
    check_layout(loaded, parameters_);
    parameters_ = std::move(loaded);
  }

  [[nodiscard]] const transformer_config& config() const { return config_; }
  [[nodiscard]] nn::parameters& parameters() { return parameters_; }
  [[nodiscard]] const nn::parameters& parameters() const { return parameters_; }

  [[nodiscard]] std::size_t vocabulary_size() const { return config_.vocabulary; }
  [[nodiscard]] token mask_token() const { return config_.mask_token; }
  [[nodiscard]] const std::vector<token>& forbidden_tokens() const { return config_.forbidden_tokens; }
  [[nodiscard]] std::optional<token> end_token() const { return config_.end_token; }
  [[nodiscard]] std::size_t max_length() const { return config_.max_length; }
  [[nodiscard]] std::size_t hidden_size() const { return config_.width; }

  /// How many threads a call uses; changes no result.
  void set_threads(std::size_t threads) {
    if (threads == 0) throw invalid_argument("transformer: got 0 threads, expected at least 1");
    if (team_ != nullptr && team_->size() == threads) return;
    team_ = std::make_unique<thread_team>(threads);
    training_.reset();
  }
  [[nodiscard]] std::size_t threads() const { return team_->size(); }

  struct logits_and_hidden {
    tensor<float, 3> logits;  ///< [B, L, V]
    tensor<float, 3> hidden;  ///< [B, L, D], after the last norm
  };

  /// [B, L] -> logits [B, L, V].
  tensor<float, 3> operator()(const token_batch& batch) {
    auto logits = tensor<float, 3>::from_shape({batch.shape(0), batch.shape(1), config_.vocabulary});
    everything(rows_of(batch), logits.data(), nullptr);
    return logits;
  }
  /// Rows of different lengths, N tokens in all -> logits [N, V].
  tensor<float, 2> operator()(const ragged_batch& batch) {
    const packed_rows rows = rows_of(batch);
    auto logits = tensor<float, 2>::from_shape({batch.tokens.size(), config_.vocabulary});
    everything(rows, logits.data(), nullptr);
    return logits;
  }
  logits_and_hidden with_hidden(const token_batch& batch) {
    logits_and_hidden out{tensor<float, 3>::from_shape({batch.shape(0), batch.shape(1), config_.vocabulary}),
                          tensor<float, 3>::from_shape({batch.shape(0), batch.shape(1), config_.width})};
    everything(rows_of(batch), out.logits.data(), out.hidden.data());
    return out;
  }

  /// The logits [V] of the wanted positions b L + l, ascending, to `sink`, on the calling thread.
  void operator()(const token_batch& batch, std::span<const std::size_t> wanted, row_sink sink) {
    some(rows_of(batch), wanted, sink, nullptr);
  }
  /// The same with indices into `batch.tokens`.
  void operator()(const ragged_batch& batch, std::span<const std::size_t> wanted, row_sink sink) {
    some(rows_of(batch), wanted, sink, nullptr);
  }
  /// The logits [V] and the hidden states [D] of the wanted positions.
  void with_hidden(const token_batch& batch, std::span<const std::size_t> wanted, row_sink logits, row_sink hidden) {
    some(rows_of(batch), wanted, logits, &hidden);
  }
  void with_hidden(const ragged_batch& batch, std::span<const std::size_t> wanted, row_sink logits, row_sink hidden) {
    some(rows_of(batch), wanted, logits, &hidden);
  }

  /// Sum of weight x cross-entropy in nats; its gradient is added to `gradient`, which has the layout of the parameters.
  double loss_and_gradient(const example_batch& batch, std::span<float> gradient) {
    if (training_ == nullptr) training_ = std::make_unique<training_pass>(config_, team_->size());
    return (*training_)(parameters_, batch, gradient);
  }

 private:
  struct zeroed {};
  transformer(zeroed, transformer_config config, std::size_t threads) : config_{std::move(config)} {
    check(config_);
    layout_ = transformer_layout::add_to(parameters_, config_);
    if (config_.positions == positions::rotary) rotary_ = {config_.max_length, config_.head_width(), config_.rotary_base};
    set_threads(threads);
  }

  packed_rows rows_of(const token_batch& batch) {
    offsets_.resize(batch.shape(0) + 1);
    for (std::size_t b = 0; b < offsets_.size(); ++b) offsets_[b] = b * batch.shape(1);
    const packed_rows rows{batch.data(), offsets_};
    check_rows(config_, rows, "transformer");
    return rows;
  }
  packed_rows rows_of(const ragged_batch& batch) const {
    const auto fail = [](const std::string& what) { throw invalid_argument("transformer: " + what); };
    if (batch.offsets.empty()) fail("got no offsets, expected B + 1");
    if (batch.offsets.front() != 0) fail("the first offset is " + std::to_string(batch.offsets.front()) + ", expected 0");
    if (batch.offsets.back() != batch.tokens.size())
      fail("the last offset is " + std::to_string(batch.offsets.back()) + ", expected the number of tokens " +
           std::to_string(batch.tokens.size()));
    const packed_rows rows{batch.tokens.data(), batch.offsets};
    check_rows(config_, rows, "transformer");
    return rows;
  }

  const float* values() const { return parameters_.values().data(); }
  const rotary_table* rotary() const { return config_.positions == positions::rotary ? &rotary_ : nullptr; }

  void everything(const packed_rows& rows, float* logits, float* hidden) {
    if (rows.offsets.back() == 0) return;
    pass_.prepare(config_, layout_, values(), rows, *team_);
    for (std::size_t first = 0; first < rows.count();) {
      const std::size_t last = forward_pass::group_end(rows, first, team_->size());
      const std::size_t start = rows.offsets[first];
      const std::size_t tokens = rows.offsets[last] - start;
      const float* x = pass_(config_, layout_, values(), rotary(), rows, first, last, *team_);
      float* states = hidden != nullptr ? hidden + start * config_.width : head_memory_.reserve(tokens * config_.width);
      read_out(
          config_, layout_, values(), *team_, tokens, [&](std::size_t k) { return x + k * config_.width; }, states,
          logits + start * config_.vocabulary);
      first = last;
    }
  }

  void some(const packed_rows& rows, std::span<const std::size_t> wanted, const row_sink& logits_sink,
            const row_sink* hidden_sink) {
    check_wanted(wanted, rows.offsets.back(), "transformer");
    if (wanted.empty()) return;
    pass_.prepare(config_, layout_, values(), rows, *team_);
    const std::size_t d = config_.width;
    const std::size_t v = config_.vocabulary;
    const std::size_t tile = read_out_tile(v);
    float* hidden = head_memory_.reserve(tile * (d + v) + 16);
    float* logits = hidden + tile * d;
    std::size_t next = 0;
    for (std::size_t first = 0; first < rows.count() && next < wanted.size();) {
      if (rows.offsets[first + 1] <= wanted[next]) {  // nothing is wanted of this row
        ++first;
        continue;
      }
      const std::size_t last = forward_pass::group_end(rows, first, team_->size());
      const std::size_t start = rows.offsets[first];
      const float* x = pass_(config_, layout_, values(), rotary(), rows, first, last, *team_);
      while (next < wanted.size() && wanted[next] < rows.offsets[last]) {
        std::size_t count = 0;
        while (count < tile && next + count < wanted.size() && wanted[next + count] < rows.offsets[last]) ++count;
        read_out(
            config_, layout_, values(), *team_, count, [&](std::size_t k) { return x + (wanted[next + k] - start) * d; },
            hidden, logits);
        for (std::size_t k = 0; k < count; ++k) {
          logits_sink(next + k, std::span<const float>{logits + k * v, v});
          if (hidden_sink != nullptr) (*hidden_sink)(next + k, std::span<const float>{hidden + k * d, d});
        }
        next += count;
      }
      first = last;
    }
  }

  transformer_config config_;
  nn::parameters parameters_;
  transformer_layout layout_;
  rotary_table rotary_;
  std::unique_ptr<thread_team> team_;
  forward_pass pass_;
  buffer head_memory_;
  std::vector<std::size_t> offsets_;
  std::unique_ptr<training_pass> training_;
};

}  // namespace lacuna::nn
