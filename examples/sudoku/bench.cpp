#include "bench.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../common/sampler_spec.hpp"
#include "../common/text_table.hpp"
#include "decode_puzzles.hpp"
#include "samplers.hpp"

namespace sudoku {

using namespace common;

measurement bench::measure(const std::string& sampler, std::size_t count) {
  count = std::min(count, puzzles_.size());
  const named_sampler s = make_sampler(sampler, slot_);
  if (const measurement* known = results_->find(s.text(), count)) return first_of(*known, count);
  slot_->fill(*model_);
  return results_->add(measurement_of(s.text(), decode_puzzles(*model_, s, puzzles_.first(count), options_)));
}

std::string entropy_bound_with_passes_of(bench& b, const measurement& m, double temperature, std::size_t count) {
  count = std::min(count, m.size());
  const double aim = mean(first_of(m, count).passes);
  double low = 0, high = std::numeric_limits<double>::infinity();  // too many passes, too few
  double gamma = 0.1, closest = std::numeric_limits<double>::infinity();
  std::string best = with_temperature("entropy_bound:gamma=0.1", temperature);
  for (int tries = 0; tries < 10; ++tries) {
    const std::string text = with_temperature(format("entropy_bound:gamma=%.3g", gamma), temperature);
    const double passes = mean(b.measure(text, count).passes);
    if (const double off = std::abs(passes / aim - 1); off < closest) closest = off, best = text;
    if (closest < 0.01) break;
    (passes > aim ? low : high) = gamma;
    gamma = low == 0 ? high / 3 : std::isinf(high) ? low * 3 : std::sqrt(low * high);
  }
  return best;
}

}  // namespace sudoku
