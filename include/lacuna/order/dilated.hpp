/// @file
/// @brief order::dilated: block after block, in rounds of positions that lie far apart, ever closer.
///
/// Needs no opinion of the model: in a block of B positions round t reveals those at multiples of ⌊B / baseᵗ⌋ that are still
/// masked, so neighbours, which depend on each other most, are never drawn together until the last round. Choose it for a small
/// and fixed number of passes where sequence distance says something about dependence. A round whose positions are all known is
/// passed over. Blocks lie as those of order::blocks; a short last block is dilated by its own length.
/// Cost: at most ⌈log_base B⌉ passes a block (5 for B = 32 and base 2; one for B = 1), each scoring only what it reveals (on a
/// selective_model). Errors: block = 0 or base < 2 is refused. DUS (Luxembourg et al. 2025, arXiv 2506.19037).
/// ```cpp
/// lacuna::order::dilated{.block = 32, .base = 2}
/// ```
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "lacuna/concepts/order_policy.hpp"
#include "lacuna/core/block_range.hpp"
#include "lacuna/core/canvas.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/selection.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"

namespace lacuna::order {

struct dilated {
  std::size_t block = 32;
  std::size_t base = 2;

  static constexpr statistics needs = statistics::none;

  void select(const step_view& view, selection& out, const step_random&) const {
    const block_range range = first_masked_block(*view.sequence, block);
    for_round(range, [&](std::size_t stride) {
      for (std::size_t k = 0; k < view.size(); ++k)
        if (in_round(view.positions[k], range, stride)) out.add(k);
      return !out.empty();
    });
  }

  /// Nothing but the present round need be scored.
  void restrict_to(const canvas& c, no_memory&, std::vector<std::size_t>& positions) const {
    const block_range range = first_masked_block(c, block);
    for_round(range, [&](std::size_t stride) {
      const auto here = [&](std::size_t i) { return in_round(i, range, stride); };
      if (std::none_of(positions.begin(), positions.end(), here)) return false;
      positions.erase(std::remove_if(positions.begin(), positions.end(), [&](std::size_t i) { return !here(i); }),
                      positions.end());
      return true;
    });
  }

  void validate() const {
    if (block == 0) throw invalid_argument("order::dilated: block = 0, expected at least 1 position");
    if (base < 2) throw invalid_argument("order::dilated: base = " + std::to_string(base) + ", expected at least 2");
  }

 private:
  static bool in_round(std::size_t i, const block_range& range, std::size_t stride) {
    return range.contains(i) && (i - range.first) % stride == 0;
  }
  /// Calls visit(stride) round by round until one says that it revealed something.
  template <class Visit>
  void for_round(const block_range& range, Visit visit) const {
    for (std::size_t stride = range.size() / base; stride > 1; stride /= base)
      if (visit(stride)) return;
    visit(std::size_t{1});
  }
};

}  // namespace lacuna::order
