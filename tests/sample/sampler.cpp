// What a sampler must be able to do: the least there is decodes; what lacks a part is refused.
#include <doctest/doctest.h>

#include <vector>

#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/sample/run.hpp"
#include "lacuna/sample/sampler.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/policies.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

/// The least sampler: writes the most probable token at every masked position in one step.
struct one_shot {
  class state {
   public:
    [[nodiscard]] const canvas& sequence() const { return canvas_; }
    [[nodiscard]] std::span<const std::size_t> commit_steps() const { return steps_; }
    [[nodiscard]] std::span<const double> commit_confidences() const { return confidences_; }
    [[nodiscard]] std::size_t steps() const { return done_; }
    [[nodiscard]] bool ended() const { return false; }

   private:
    friend one_shot;
    const model_facts* facts_ = nullptr;
    canvas canvas_;
    std::vector<std::size_t> steps_;
    std::vector<double> confidences_;
    std::vector<std::size_t> masked_;
    std::vector<token> tokens_;
    std::vector<double> p_;
    std::size_t done_ = 0;
  };

  void validate(const model_facts&) const {}
  [[nodiscard]] state init(const row_context& context, canvas start) const {
    state s;
    s.facts_ = context.facts;
    s.canvas_ = std::move(start);
    s.steps_.assign(s.canvas_.size(), never);
    s.confidences_.assign(s.canvas_.size(), 0);
    for (std::size_t i = 0; i < s.canvas_.size(); ++i)
      if (s.canvas_.is_masked(i)) s.masked_.push_back(i);
    s.tokens_.resize(s.masked_.size());
    s.p_.resize(s.masked_.size());
    return s;
  }
  void request(state& s, scoring_queue& queue, std::size_t owner) const {
    const auto tokens = queue.add(owner, purpose::draft, s.canvas_.size());
    for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = s.canvas_.is_masked(i) ? s.facts_->mask : s.canvas_[i];
    for (const std::size_t i : s.masked_) queue.want(i);
  }
  void take(state& s, std::size_t, std::size_t k, std::span<const float> logits, row_scratch& scratch) const {
    scratch.log_p.resize(logits.size());
    log_softmax(logits, s.facts_->forbidden, scratch.log_p);
    s.tokens_[k] = argmax(scratch.log_p);
    s.p_[k] = std::exp(scratch.log_p[static_cast<std::size_t>(s.tokens_[k])]);
  }
  step_info advance(state& s) const {
    for (std::size_t k = 0; k < s.masked_.size(); ++k) {
      s.canvas_.commit(s.masked_[k], s.tokens_[k]);
      s.steps_[s.masked_[k]] = 0;
      s.confidences_[s.masked_[k]] = s.p_[k];
    }
    ++s.done_;
    return {s.masked_, s.p_, {}};
  }
  [[nodiscard]] bool done(const state& s) const { return s.done_ == 1 || s.masked_.empty(); }
};

// ---- accepted
static_assert(sampler_for<one_shot, whole> && sampler_for<one_shot, selective> && sampler_for<one_shot, ragged> &&
              sampler_for<one_shot, ragged_selective>);
using parallel = decltype(compose(order::left_to_right{}, draw::argmax{}));
static_assert(sampler_for<parallel, whole> && sampler_for<parallel, selective_hidden> && !wants_hidden<parallel>);
using remasking = decltype(compose(timed{}, draw::argmax{}, doubtful{}, ending::stop{}));
static_assert(sampler_for<remasking, whole>);

// ---- refused
struct not_a_model {};
static_assert(row_sampler<one_shot> && !sampler_for<one_shot, not_a_model>);
static_assert(!sampler_for<order::left_to_right, whole>);  // a policy is no sampler
static_assert(!sampler_for<int, whole>);
struct no_validate : one_shot {
  void validate(const model_facts&) const = delete;
};
static_assert(!sampler_for<no_validate, whole>);
struct changes_itself : one_shot {
  void request(state& s, scoring_queue& queue, std::size_t owner) { one_shot::request(s, queue, owner); }
};
static_assert(!sampler_for<changes_itself, whole>);
struct tells_nothing : one_shot {
  void advance(state& s) const { one_shot::advance(s); }
};
static_assert(!sampler_for<tells_nothing, whole>);
struct wants_more : one_shot {
  static constexpr bool wants_hidden = true;
};
static_assert(!sampler_for<wants_more, whole> && sampler_for<wants_more, whole_hidden>);

// ---- what compose takes
template <class... Parts>
concept composes = requires(Parts... parts) {
  compose(parts...);
};
static_assert(composes<order::left_to_right, draw::argmax> && composes<timed, draw::argmax, sometimes> &&
              composes<order::left_to_right, draw::categorical, ending::stop>);
static_assert(composes<timed, draw::argmax, sometimes, ending::last<ending::stop>>);
static_assert(!composes<draw::argmax, order::left_to_right>);             // the wrong way round
static_assert(!composes<order::left_to_right>);                           // no draw
static_assert(!composes<order::left_to_right, draw::argmax, sometimes>);  // an order without a clock cannot remask
static_assert(!composes<order::left_to_right, draw::argmax, int>);

}  // namespace

TEST_CASE("the least sampler decodes, alone and in batches") {
  whole model;
  model.logits = [](std::span<const token>, std::size_t l, std::span<float> out) {
    std::fill(out.begin(), out.end(), 0.0F);
    out[l] = 1;
  };
  const std::vector<canvas> rows{canvas::blank(3), canvas::blank(5)};
  const batch_result r = decode(model, std::span{rows}, one_shot{}, {});
  CHECK(r.rows[0].tokens == std::vector<token>{0, 1, 2});
  CHECK(r.rows[1].tokens == std::vector<token>{0, 1, 2, 3, 4});
  CHECK(r.rows[1].cost.of(purpose::draft) == nfe::count{1, 1});
  CHECK(r.rows[1].cost.of(purpose::decode) == nfe::count{});
  auto run = start(model, one_shot{}, canvas::blank(2));
  run.step();
  CHECK(run.done());
}
