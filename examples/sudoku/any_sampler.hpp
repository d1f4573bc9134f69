/// @file
/// @brief any_sampler: a sampler of any composition behind one type, to choose between them at run time.
///
/// lacuna::decode is compiled for this one type instead of for each composition; a call costs a virtual function a scored cell.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/core/canvas.hpp"
#include "lacuna/sample/sampler.hpp"
#include "lacuna/sample/scoring_queue.hpp"
#include "model.hpp"

namespace sudoku {

class any_sampler {
  /// A sampler with the state of one row.
  struct row {
    virtual ~row() = default;
    virtual void request(lacuna::scoring_queue& queue, std::size_t owner) = 0;
    virtual void take(std::size_t r, std::size_t k, std::span<const float> logits, lacuna::row_scratch& scratch) = 0;
    virtual lacuna::step_info advance() = 0;
    [[nodiscard]] virtual bool done() const = 0;
    [[nodiscard]] virtual const lacuna::canvas& sequence() const = 0;
    [[nodiscard]] virtual std::span<const std::size_t> commit_steps() const = 0;
    [[nodiscard]] virtual std::span<const double> commit_confidences() const = 0;
    [[nodiscard]] virtual std::size_t steps() const = 0;
    [[nodiscard]] virtual bool ended() const = 0;
  };

  template <class Sampler>
  struct row_of final : row {
    Sampler sampler;
    typename Sampler::state state;

    row_of(const Sampler& s, const lacuna::row_context& context, lacuna::canvas start)
        : sampler{s}, state{sampler.init(context, std::move(start))} {}
    void request(lacuna::scoring_queue& queue, std::size_t owner) override { sampler.request(state, queue, owner); }
    void take(std::size_t r, std::size_t k, std::span<const float> logits, lacuna::row_scratch& scratch) override {
      sampler.take(state, r, k, logits, scratch);
    }
    lacuna::step_info advance() override { return sampler.advance(state); }
    [[nodiscard]] bool done() const override { return sampler.done(state); }
    [[nodiscard]] const lacuna::canvas& sequence() const override { return state.sequence(); }
    [[nodiscard]] std::span<const std::size_t> commit_steps() const override { return state.commit_steps(); }
    [[nodiscard]] std::span<const double> commit_confidences() const override { return state.commit_confidences(); }
    [[nodiscard]] std::size_t steps() const override { return state.steps(); }
    [[nodiscard]] bool ended() const override { return state.ended(); }
  };

 public:
  class state {
   public:
    [[nodiscard]] const lacuna::canvas& sequence() const { return row_->sequence(); }
    [[nodiscard]] std::span<const std::size_t> commit_steps() const { return row_->commit_steps(); }
    [[nodiscard]] std::span<const double> commit_confidences() const { return row_->commit_confidences(); }
    [[nodiscard]] std::size_t steps() const { return row_->steps(); }
    [[nodiscard]] bool ended() const { return row_->ended(); }

   private:
    friend any_sampler;
    explicit state(std::unique_ptr<row> r) : row_{std::move(r)} {}
    std::unique_ptr<row> row_;
  };

  template <class Sampler>
  requires(!std::same_as<Sampler, any_sampler> &&
           lacuna::sampler_for<Sampler, model>) explicit any_sampler(const Sampler& sampler)
      : validate_{[sampler](const lacuna::model_facts& facts) { sampler.validate(facts); }},
        init_{[sampler](const lacuna::row_context& context, lacuna::canvas start) -> std::unique_ptr<row> {
          return std::make_unique<row_of<Sampler>>(sampler, context, std::move(start));
        }} {}

  void validate(const lacuna::model_facts& facts) const { validate_(facts); }
  [[nodiscard]] state init(const lacuna::row_context& context, lacuna::canvas start) const {
    return state{init_(context, std::move(start))};
  }
  void request(state& s, lacuna::scoring_queue& queue, std::size_t owner) const { s.row_->request(queue, owner); }
  void take(state& s, std::size_t r, std::size_t k, std::span<const float> logits, lacuna::row_scratch& scratch) const {
    s.row_->take(r, k, logits, scratch);
  }
  lacuna::step_info advance(state& s) const { return s.row_->advance(); }
  [[nodiscard]] bool done(const state& s) const { return s.row_->done(); }

 private:
  std::function<void(const lacuna::model_facts&)> validate_;
  std::function<std::unique_ptr<row>(const lacuna::row_context&, lacuna::canvas)> init_;
};
static_assert(lacuna::sampler_for<any_sampler, model>);

}  // namespace sudoku
