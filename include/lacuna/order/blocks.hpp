/// @file
/// @brief order::blocks: block after block, inside each by any order.
///
/// Semi-autoregressive decoding, as LLaDA and block diffusion use it for text: keeps an order that looks at the model from
/// jumping to the end of the sequence, and lets a selective_model score one block only. Blocks of `size` positions begin at the
/// first position that is not fixed (behind a prompt); the last may be short, one without masks is passed over. The inner order
/// sees its block as if it were the sequence: steps, masks at the start and masks now are the block's, and its memory begins
/// anew. Its pace is per block: in 4 blocks, pace::linear{8} takes 32 steps. With remasking (if the inner order has it) only
/// tokens of the present block are masked again. Cost: the sum of the inner order's over the blocks. Errors: size = 0 is
/// refused, and what the inner order refuses. Nie et al. 2025, arXiv 2502.09992 (LLaDA); Arriola et al. 2025, arXiv 2503.09573
/// (block diffusion).
/// ```cpp
/// lacuna::order::blocks{32, lacuna::order::threshold{0.9}}
/// ```
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "lacuna/concepts/order_policy.hpp"
#include "lacuna/concepts/probing_order_policy.hpp"
#include "lacuna/concepts/validate.hpp"
#include "lacuna/core/block_range.hpp"
#include "lacuna/core/canvas.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/selection.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"

namespace lacuna::order {

template <order_policy Inner>
struct blocks {
  std::size_t size = 32;
  [[no_unique_address]] Inner inner{};

  static constexpr statistics needs = needs_of<Inner>;
  struct memory {
    block_range range{};              ///< the present block
    std::size_t first_step = never_;  ///< the step in which it began
    std::size_t revealed_before = 0;  ///< of the run, when it began
    std::size_t counted_in = never_;  ///< the step in which the next was counted
    std::size_t masked_behind = 0;    ///< masks of the run behind the block
    std::size_t steps = 0;            ///< of the inner order for it, with remasking
    memory_of<Inner> inner{};
    selection chosen{};
  };

  void select(const step_view& view, memory& m, selection& out, const step_random& rng) const {
    enter(*view.sequence, m);
    std::size_t offset = 0;
    const step_view block = inside(view, m, offset);
    if (block.size() == 0) return;
    if (block.size() == view.size()) {
      lacuna::select(inner, block, m.inner, out, rng);
      return;
    }
    m.chosen.reset(block.size());
    lacuna::select(inner, block, m.inner, m.chosen, rng);
    for (const std::size_t k : m.chosen.chosen()) out.add(offset + k);
  }

  /// An inner order that probes does so within the block.
  void ask(const step_view& view, memory& m, std::size_t round, probe_list& probes,
           const step_random& rng) const requires asks_for_probes<Inner> {
    enter(*view.sequence, m);
    std::size_t offset = 0;
    const step_view block = inside(view, m, offset);
    if (block.size() > 0) inner.ask(block, m.inner, round, probes, rng);
  }
  void learn(const step_view& view, memory& m, std::size_t r, std::size_t t,
             std::span<const double> log_p) const requires learns_from_probes<Inner> {
    std::size_t offset = 0;
    inner.learn(inside(view, m, offset), m.inner, r, t, log_p);
  }

  void restrict_to(const canvas& c, memory& m, std::vector<std::size_t>& positions) const {
    enter(c, m);
    positions.erase(std::remove_if(positions.begin(), positions.end(), [&](std::size_t i) { return !m.range.contains(i); }),
                    positions.end());
    if constexpr (restricting_order_policy<Inner>) inner.restrict_to(c, m.inner, positions);
  }

  /// Time within the block; the steps remaining are those of this block and of the ones to come.
  time_step time(const step_view& view, memory& m) const requires timed_order_policy<Inner> {
    enter(*view.sequence, m);
    if (m.range.size() == 0) return {1, 1, 0, 1};
    std::size_t offset = 0;
    time_step t = inner.time(inside(view, m, offset), m.inner);
    if (m.first_step == view.step) m.steps = t.remaining + 1;
    t.remaining += m.steps * blocks_after(*view.sequence, m.range);
    return t;
  }

  void validate() const {
    if (size == 0) throw invalid_argument("order::blocks: size = 0, expected at least 1 position");
    lacuna::validate(inner);
  }

 private:
  static constexpr std::size_t never_ = static_cast<std::size_t>(-1);

  void enter(const canvas& c, memory& m) const {
    const block_range now = first_masked_block(c, size);
    if (now == m.range) return;
    m.range = now;
    m.first_step = m.counted_in = never_;
    if constexpr (requires { m.inner.reset(); })
      m.inner.reset();  // begins anew in the memory it has
    else
      m.inner = memory_of<Inner>{};
  }

  /// The part of the view inside the block, as the inner order sees it; `offset` is the index of its first candidate.
  step_view inside(const step_view& view, memory& m, std::size_t& offset) const {
    if (m.first_step == never_) {
      m.first_step = view.step;
      m.revealed_before = view.masked_at_start - view.masked_now;
    }
    if (m.counted_in != view.step) {  // with remasking by `time`, before anything is masked again
      m.counted_in = view.step;
      m.masked_behind = view.masked_now - masked_in(*view.sequence, m.range);
    }
    const auto begin = view.positions.begin();
    const auto first = std::lower_bound(begin, view.positions.end(), m.range.first);
    const auto last = std::lower_bound(first, view.positions.end(), m.range.last);
    offset = static_cast<std::size_t>(first - begin);
    const auto n = static_cast<std::size_t>(last - first);
    const auto part = [&](auto& span) {
      if (!span.empty()) span = span.subspan(offset, n);
    };
    step_view v = view;
    part(v.positions);
    part(v.drawn);
    part(v.drawn_log_probability);
    part(v.confidences);
    part(v.margins);
    part(v.entropies);
    part(v.slots);
    v.step = view.step - m.first_step;
    // Of the run's numbers, so that what an end of sequence closes, here or behind, counts here as it does there.
    v.masked_at_start = view.masked_at_start - m.revealed_before - m.masked_behind;
    v.masked_now = view.masked_now - m.masked_behind;
    return v;
  }

  [[nodiscard]] std::size_t blocks_after(const canvas& c, const block_range& present) const {
    std::size_t number = 0;
    for (std::size_t first = present.last; first < c.size(); first += std::min(size, c.size() - first))
      if (masked_in(c, {first, first + std::min(size, c.size() - first)}) > 0) ++number;
    return number;
  }
};
template <class Inner>
blocks(std::size_t, Inner) -> blocks<Inner>;

}  // namespace lacuna::order
