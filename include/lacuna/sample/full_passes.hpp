/// @file
/// @brief full_passes: what a run cost in passes of the whole network, drafts and verifications at their shares.
///
/// NFE as self-speculative sampling counts it: Σ (L_nc + m L_c) / L over the drafts, m the verifications of each. Rows of other
/// purposes count as one. For what a single row cost (decode_result::cost); calls shared by a batch are `network`'s to count.
/// ```cpp
/// double passes = lacuna::full_passes(result.cost, model);
/// ```
#pragma once

#include "lacuna/concepts/draft_verify_model.hpp"
#include "lacuna/core/cost.hpp"

namespace lacuna {

template <has_pass_shares M>
[[nodiscard]] double full_passes(const nfe& cost, const M& model) {
  const auto rows = [&](purpose p) { return static_cast<double>(cost.of(p).rows); };
  return rows(purpose::decode) + rows(purpose::probe) + rows(purpose::draft) * model.draft_share() +
         rows(purpose::verify) * model.verify_share();
}

}  // namespace lacuna
