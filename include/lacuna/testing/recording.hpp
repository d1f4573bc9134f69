/// @file
/// @brief A model that remembers every call: how often it was asked, for which rows and which positions.
///
/// ```cpp
/// lacuna::testing::recording model{lacuna::problems::permutation{8}};
/// lacuna::decode(model, lacuna::canvas::blank(8), sampler);
/// model.calls().size();             // calls of the network
/// model.rows();                     // rows scored
/// model.calls()[0].row(0);          // the tokens the model was shown
/// ```
/// It is on exactly the rungs of the model inside. Grows with every call: for tests.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "lacuna/concepts/hidden_state_model.hpp"
#include "lacuna/concepts/masked_model.hpp"
#include "lacuna/concepts/ragged_model.hpp"
#include "lacuna/concepts/selective_model.hpp"
#include "lacuna/testing/wrapped.hpp"

namespace lacuna::testing {

/// What a model was called with.
struct recorded_call {
  std::vector<token> tokens;         ///< of all rows
  std::vector<std::size_t> offsets;  ///< [rows + 1] where each row begins, and the end
  std::vector<std::size_t> wanted;   ///< positions asked for, indices into `tokens`; all of them for a plain call
  bool with_hidden = false;          ///< whether hidden states were asked for

  [[nodiscard]] std::size_t rows() const { return offsets.size() - 1; }
  [[nodiscard]] std::span<const token> row(std::size_t b) const {
    return std::span<const token>(tokens).subspan(offsets[b], offsets[b + 1] - offsets[b]);
  }
};

template <class M>
class recording : public wrapped<M> {
 public:
  explicit recording(M model) : wrapped<M>(std::move(model)) {}

  decltype(auto) operator()(const token_batch& x) requires scores_batches<M> {
    note(x, false);
    return this->model()(x);
  }
  void operator()(const token_batch& x, std::span<const std::size_t> wanted, row_sink sink) requires selective_model<M> {
    note(x, wanted, false);
    this->model()(x, wanted, sink);
  }
  decltype(auto) operator()(const ragged_batch& x) requires scores_ragged_batches<M> {
    note_ragged(x);
    want_everything();
    return this->model()(x);
  }
  void operator()(const ragged_batch& x, std::span<const std::size_t> wanted,
                  row_sink sink) requires selects_from_ragged_batches<M> {
    note_ragged(x);
    calls_.back().wanted.assign(wanted.begin(), wanted.end());
    this->model()(x, wanted, sink);
  }
  [[nodiscard]] std::size_t hidden_size() const requires has_hidden_size<M> { return this->model().hidden_size(); }
  decltype(auto) with_hidden(const token_batch& x) requires returns_hidden<M> {
    note(x, true);
    return this->model().with_hidden(x);
  }
  void with_hidden(const token_batch& x, std::span<const std::size_t> wanted, row_sink logits,
                   row_sink hidden) requires selects_hidden<M> {
    note(x, wanted, true);
    this->model().with_hidden(x, wanted, logits, hidden);
  }

  /// Every call so far.
  [[nodiscard]] const std::vector<recorded_call>& calls() const { return calls_; }
  /// Rows of all calls.
  [[nodiscard]] std::size_t rows() const {
    std::size_t n = 0;
    for (const recorded_call& c : calls_) n += c.rows();
    return n;
  }
  /// Positions asked for in all calls.
  [[nodiscard]] std::size_t wanted() const {
    std::size_t n = 0;
    for (const recorded_call& c : calls_) n += c.wanted.size();
    return n;
  }
  void forget() { calls_.clear(); }

 private:
  void note(const token_batch& x, bool with_hidden) {
    recorded_call c;
    c.tokens.assign(x.data(), x.data() + x.size());
    for (std::size_t b = 0; b <= x.shape(0); ++b) c.offsets.push_back(b * x.shape(1));
    c.with_hidden = with_hidden;
    calls_.push_back(std::move(c));
    want_everything();
  }
  void note(const token_batch& x, std::span<const std::size_t> wanted, bool with_hidden) {
    note(x, with_hidden);
    calls_.back().wanted.assign(wanted.begin(), wanted.end());
  }
  void note_ragged(const ragged_batch& x) {
    calls_.push_back({{x.tokens.begin(), x.tokens.end()}, {x.offsets.begin(), x.offsets.end()}, {}, false});
  }
  void want_everything() {
    recorded_call& c = calls_.back();
    for (std::size_t i = 0; i < c.tokens.size(); ++i) c.wanted.push_back(i);
  }

  std::vector<recorded_call> calls_;
};

}  // namespace lacuna::testing
