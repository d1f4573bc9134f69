/// @file
/// @brief A model that counts the time spent in it, without what is done with its rows as they come.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>

#include "lacuna/concepts/hidden_state_model.hpp"
#include "lacuna/core/batch.hpp"
#include "lacuna/core/token.hpp"
#include "model.hpp"

namespace sudoku {

class timed_model {
  using clock = std::chrono::steady_clock;

  void go() { since_ = clock::now(); }
  void stop() { seconds_ += std::chrono::duration<double>(clock::now() - since_).count(); }
  /// The sink, while the watch stands still.
  auto outside(lacuna::row_sink sink) {
    return [this, sink](std::size_t k, std::span<const float> row) mutable {
      stop();
      sink(k, row);
      go();
    };
  }

 public:
  /// Refers to the model.
  explicit timed_model(model& m) : model_{&m} {}

  [[nodiscard]] std::size_t vocabulary_size() const { return model_->vocabulary_size(); }
  [[nodiscard]] lacuna::token mask_token() const { return model_->mask_token(); }
  [[nodiscard]] std::size_t max_length() const { return model_->max_length(); }
  [[nodiscard]] std::size_t hidden_size() const { return model_->hidden_size(); }

  void operator()(const lacuna::token_batch& batch, std::span<const std::size_t> wanted, lacuna::row_sink sink) {
    go();
    auto take = outside(sink);
    (*model_)(batch, wanted, lacuna::row_sink{take});
    stop();
  }
  void with_hidden(const lacuna::token_batch& batch, std::span<const std::size_t> wanted, lacuna::row_sink logits,
                   lacuna::row_sink hidden) {
    go();
    auto take_logits = outside(logits);
    auto take_hidden = outside(hidden);
    model_->with_hidden(batch, wanted, lacuna::row_sink{take_logits}, lacuna::row_sink{take_hidden});
    stop();
  }

  /// Spent in the model so far.
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  model* model_;
  clock::time_point since_{};
  double seconds_ = 0;
};
static_assert(lacuna::selective_model<timed_model> && lacuna::hidden_state_model<timed_model>);

}  // namespace sudoku
