/// @file
/// @brief mi::neural: mutual information read off the pass that is made anyway, by a trained head on hidden states.
///
/// ```cpp
/// lacuna::nn::contextual_head head = …;                                        // trained, loaded
/// lacuna::order::dependence_bound{lacuna::mi::neural{std::move(head)}, 0.003}
/// ```
/// Any head (nn/pair_head.hpp), any model that shows hidden states of the size it was trained on. Costs no pass; the time is
/// that of the head. Copies share the head. Choose it over mi::pruned where probes are dear. The head looks at all candidates
/// of a step, which in order::blocks are those of the block. Errors: invalid_argument, at the first estimate, for a model whose
/// hidden states or vocabulary are of another size than the head's, and for positions beyond those it was made for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/core/canvas.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"
#include "lacuna/nn/pair_example.hpp"
#include "lacuna/nn/pair_head.hpp"

namespace lacuna::mi {

template <nn::pair_head Head>
class neural {
 public:
  static constexpr statistics needs = Head::reads;

  explicit neural(Head head) : head_{std::make_shared<const Head>(std::move(head))} {}

  /// Scratch of one row of a batch; keeps nothing from step to step.
  struct memory {
    std::vector<float> hidden, log_p, entropies;
    typename Head::scratch scratch;
    void reset() {}
  };

  void estimate(const step_view& view, std::span<const std::size_t> candidates, memory& m, std::span<double> out) const {
    if (view.width != head_->hidden_size())
      throw invalid_argument("mi::neural: hidden states of " + std::to_string(view.width) + " numbers, expected " +
                             std::to_string(head_->hidden_size()) + ", those the head was trained on");
    // Room for all that is masked: a later step may have more candidates than the first, and is to allocate nothing.
    const std::size_t most = std::max(view.size(), view.sequence->count(cell::masked));
    head_->reserve(m.scratch, most);
    m.hidden.reserve(most * view.width);
    if constexpr (contains(Head::reads, statistics::rows)) m.log_p.reserve(most * view.vocabulary);
    if constexpr (contains(Head::reads, statistics::entropy)) m.entropies.reserve(most);
    m.hidden.clear();
    m.log_p.clear();
    m.entropies.clear();
    for (std::size_t k = 0; k < view.size(); ++k) {
      const std::span<const float> h = view.hidden(k);
      m.hidden.insert(m.hidden.end(), h.begin(), h.end());
      if constexpr (contains(Head::reads, statistics::rows))
        for (const double v : view.row(k)) m.log_p.push_back(static_cast<float>(v));
      if constexpr (contains(Head::reads, statistics::entropy)) m.entropies.push_back(static_cast<float>(view.entropy(k)));
    }
    (*head_)(nn::pair_context{view.positions, m.hidden, m.log_p, m.entropies}, candidates, m.scratch, out);
  }

  [[nodiscard]] const Head& head() const { return *head_; }

 private:
  std::shared_ptr<const Head> head_;
};

}  // namespace lacuna::mi
