/// @file
/// @brief any_sampler and its siblings: a sampler of any composition behind one type, to choose between them at run time.
///
/// ```cpp
/// std::map<std::string, lacuna::sample::any_sampler> samplers;
/// samplers.emplace("threshold", lacuna::compose(lacuna::order::threshold{0.9}, lacuna::draw::argmax{}));
/// lacuna::decode(model, canvas, samplers.at(name), seed);
/// ```
/// Same tokens, order and cost as the sampler inside. Choose it where a program offers many compositions: decode is compiled
/// once instead of once for each. A virtual call for each scored position, one allocation more a row.
///
/// `any_sampler` holds samplers for every model, `any_hidden_sampler` also those that want hidden states; it fits models that
/// show them. A sampler that does not want them costs no more in the wider type than in the narrower: the model is then asked
/// for logits alone. `any_verifying_sampler` holds those that verify drafts (sample::speculative), and no others.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/core/canvas.hpp"
#include "lacuna/sample/sampler.hpp"
#include "lacuna/sample/scoring_queue.hpp"

namespace lacuna::sample {

template <bool Hidden, bool Verification>
class basic_any_sampler {
  /// The state of one row with the sampler that it belongs to.
  struct row {
    virtual ~row() = default;
    virtual void request(scoring_queue& queue, std::size_t owner) = 0;
    virtual void take(std::size_t r, std::size_t k, std::span<const float> logits, row_scratch& scratch) = 0;
    virtual void take_hidden(std::size_t r, std::size_t k, std::span<const float> h) = 0;
    virtual step_info advance() = 0;
    virtual bool ready() = 0;
    [[nodiscard]] virtual bool done() const = 0;
    [[nodiscard]] virtual const canvas& sequence() const = 0;
    [[nodiscard]] virtual std::span<const std::size_t> commit_steps() const = 0;
    [[nodiscard]] virtual std::span<const double> commit_confidences() const = 0;
    [[nodiscard]] virtual std::size_t steps() const = 0;
    [[nodiscard]] virtual bool ended() const = 0;
  };
  struct inside {
    virtual ~inside() = default;
    virtual void validate(const model_facts& facts) const = 0;
    [[nodiscard]] virtual bool hidden_wanted() const = 0;
    [[nodiscard]] virtual std::unique_ptr<row> init(const row_context& context, canvas start) const = 0;
  };

  template <class Sampler>
  struct row_of final : row {
    Sampler sampler;
    typename Sampler::state state;

    row_of(const Sampler& s, const row_context& context, canvas start)
        : sampler{s}, state{sampler.init(context, std::move(start))} {}
    void request(scoring_queue& queue, std::size_t owner) override { sampler.request(state, queue, owner); }
    void take(std::size_t r, std::size_t k, std::span<const float> logits, row_scratch& scratch) override {
      sampler.take(state, r, k, logits, scratch);
    }
    void take_hidden([[maybe_unused]] std::size_t r, [[maybe_unused]] std::size_t k,
                     [[maybe_unused]] std::span<const float> h) override {
      if constexpr (lacuna::wants_hidden<Sampler>) sampler.take_hidden(state, r, k, h);
    }
    step_info advance() override { return sampler.advance(state); }
    bool ready() override { return ready_now(sampler, state); }
    [[nodiscard]] bool done() const override { return sampler.done(state); }
    [[nodiscard]] const canvas& sequence() const override { return state.sequence(); }
    [[nodiscard]] std::span<const std::size_t> commit_steps() const override { return state.commit_steps(); }
    [[nodiscard]] std::span<const double> commit_confidences() const override { return state.commit_confidences(); }
    [[nodiscard]] std::size_t steps() const override { return state.steps(); }
    [[nodiscard]] bool ended() const override { return state.ended(); }
  };
  template <class Sampler>
  struct inside_of final : inside {
    Sampler sampler;

    explicit inside_of(Sampler s) : sampler{std::move(s)} {}
    void validate(const model_facts& facts) const override { sampler.validate(facts); }
    [[nodiscard]] bool hidden_wanted() const override { return hidden_wanted_now(sampler); }
    [[nodiscard]] std::unique_ptr<row> init(const row_context& context, canvas start) const override {
      return std::make_unique<row_of<Sampler>>(sampler, context, std::move(start));
    }
  };

 public:
  static constexpr bool wants_hidden = Hidden;
  static constexpr bool wants_verification = Verification;

  class state {
   public:
    [[nodiscard]] const canvas& sequence() const { return row_->sequence(); }
    [[nodiscard]] std::span<const std::size_t> commit_steps() const { return row_->commit_steps(); }
    [[nodiscard]] std::span<const double> commit_confidences() const { return row_->commit_confidences(); }
    [[nodiscard]] std::size_t steps() const { return row_->steps(); }
    [[nodiscard]] bool ended() const { return row_->ended(); }

   private:
    friend basic_any_sampler;
    explicit state(std::unique_ptr<row> r) : row_{std::move(r)} {}
    std::unique_ptr<row> row_;
  };

  template <class Sampler>
  requires(!std::same_as<Sampler, basic_any_sampler> && row_sampler<Sampler> &&
           (Hidden || !lacuna::wants_hidden<Sampler>)&&(Verification == lacuna::wants_verification<Sampler>))
      basic_any_sampler(Sampler sampler)  // NOLINT(google-explicit-constructor): stands for the sampler
      : inside_{std::make_shared<const inside_of<Sampler>>(std::move(sampler))} {}

  // Copies only: one that was moved from would be none.
  basic_any_sampler(const basic_any_sampler&) = default;
  basic_any_sampler& operator=(const basic_any_sampler&) = default;

  void validate(const model_facts& facts) const { inside_->validate(facts); }
  [[nodiscard]] state init(const row_context& context, canvas start) const {
    return state{inside_->init(context, std::move(start))};
  }
  void request(state& s, scoring_queue& queue, std::size_t owner) const { s.row_->request(queue, owner); }
  void take(state& s, std::size_t r, std::size_t k, std::span<const float> logits, row_scratch& scratch) const {
    s.row_->take(r, k, logits, scratch);
  }
  void take_hidden(state& s, std::size_t r, std::size_t k, std::span<const float> h) const requires Hidden {
    s.row_->take_hidden(r, k, h);
  }
  /// Whether the sampler inside wants hidden states; asked before each round.
  [[nodiscard]] bool hidden_wanted() const requires Hidden { return inside_->hidden_wanted(); }
  step_info advance(state& s) const { return s.row_->advance(); }
  /// Whether the sampler inside has what its next step needs.
  bool ready(state& s) const { return s.row_->ready(); }
  [[nodiscard]] bool done(const state& s) const { return s.row_->done(); }

 private:
  std::shared_ptr<const inside> inside_;  // never changes, so copies share it
};

using any_sampler = basic_any_sampler<false, false>;
using any_hidden_sampler = basic_any_sampler<true, false>;
using any_verifying_sampler = basic_any_sampler<false, true>;

}  // namespace lacuna::sample
