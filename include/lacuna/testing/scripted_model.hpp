/// @file
/// @brief A model that reads its logits from a script: given rows by position and call.
///
/// ```cpp
/// lacuna::testing::scripted_model model{{.vocabulary = 3, .mask = 2}};
/// model.say(0, {1, 0, 0});       // position 0, in every call
/// model.say(1, {0, 5, 0}, 3);    // position 1, in call 3 only
/// ```
/// All rows of a batch get the same; what the script does not mention is 0 throughout. The later of two lines that say the same
/// place wins, a line for one call over a line for every call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/concepts/masked_model.hpp"
#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna::testing {

class scripted_model {
 public:
  explicit scripted_model(model_facts facts) : facts_{std::move(facts)} {}

  /// The logits [V] at a position, in every call.
  scripted_model& say(std::size_t position, std::vector<float> logits) { return line(every_call, position, std::move(logits)); }
  /// The same in one call, the first being 0.
  scripted_model& say(std::size_t position, std::vector<float> logits, std::size_t call) {
    return line(call, position, std::move(logits));
  }
  /// Calls so far.
  [[nodiscard]] std::size_t calls() const { return calls_; }

  [[nodiscard]] std::size_t vocabulary_size() const { return facts_.vocabulary; }
  [[nodiscard]] token mask_token() const { return facts_.mask; }
  [[nodiscard]] const std::vector<token>& forbidden_tokens() const { return facts_.forbidden; }
  [[nodiscard]] std::optional<token> end_token() const { return facts_.end; }
  [[nodiscard]] std::size_t max_length() const { return facts_.max_length.value_or(std::numeric_limits<std::size_t>::max()); }
  [[nodiscard]] std::size_t logits_shift() const { return facts_.logits_shift; }

  tensor<float, 3> operator()(const token_batch& x) {
    tensor<float, 3> out({x.shape(0), x.shape(1), facts_.vocabulary});
    std::fill(out.begin(), out.end(), 0.0F);
    for (std::size_t i = 0; i < x.shape(1); ++i) {
      auto found = script_.find({calls_, i});
      if (found == script_.end()) found = script_.find({every_call, i});
      if (found == script_.end()) continue;
      for (std::size_t b = 0; b < x.shape(0); ++b)
        std::copy(found->second.begin(), found->second.end(), out.data() + (b * x.shape(1) + i) * facts_.vocabulary);
    }
    ++calls_;
    return out;
  }

 private:
  static constexpr std::size_t every_call = std::numeric_limits<std::size_t>::max();

  scripted_model& line(std::size_t call, std::size_t position, std::vector<float> logits) {
    if (logits.size() != facts_.vocabulary)
      throw invalid_argument("scripted_model: " + std::to_string(logits.size()) + " logits, expected vocabulary " +
                             std::to_string(facts_.vocabulary));
    script_[{call, position}] = std::move(logits);
    return *this;
  }

  model_facts facts_;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<float>> script_;  // (call, position) -> [V]
  std::size_t calls_ = 0;
};

}  // namespace lacuna::testing
