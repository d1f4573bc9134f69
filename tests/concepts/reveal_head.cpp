#include "lacuna/concepts/reveal_head.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace {

using namespace lacuna;

/// The least a head may be.
struct archetype {
  explicit archetype(int) {}
  archetype(const archetype&) = delete;
  struct scratch {};
  static constexpr std::size_t hidden_size() { return 0; }
  void operator()(const reveal_context& c, scratch&, std::span<double> logits) const {
    for (std::size_t k = 0; k < c.size(); ++k) logits[k] = -4 - 4 * static_cast<double>(c.feature(k)[0]);
  }
};
static_assert(reveal_head<archetype>);

// ---- Refused
struct without_size {
  struct scratch {};
  void operator()(const reveal_context&, scratch&, std::span<double>) const {}
};
struct changing : archetype {
  void operator()(const reveal_context&, scratch&, std::span<double>) {}
};
struct with_hard_scratch {
  struct scratch {
    explicit scratch(int) {}
  };
  static constexpr std::size_t hidden_size() { return 0; }
  void operator()(const reveal_context&, scratch&, std::span<double>) const {}
};
static_assert(!reveal_head<without_size>);
static_assert(!reveal_head<changing>);
static_assert(!reveal_head<with_hard_scratch>);
static_assert(!reveal_head<int>);

}  // namespace

TEST_CASE("features are finite where a model is sure, and grow with what they name") {
  const auto certain = reveal_features(1, 0, 1), unsure = reveal_features(0.3, 1.5, 0.05);
  for (const float f : certain) CHECK(std::isfinite(f));
  CHECK(certain[0] < unsure[0]);
  CHECK(certain[1] < unsure[1]);
  CHECK(certain[2] > unsure[2]);
  const std::vector<std::size_t> positions{2, 5};
  std::vector<float> features(certain.begin(), certain.end());
  features.insert(features.end(), unsure.begin(), unsure.end());
  const reveal_context context{positions, {}, features, 0};
  CHECK(context.size() == 2);
  CHECK(context.feature(1)[1] == 1.5F);
  const archetype head{1};
  archetype::scratch scratch;
  std::vector<double> logits(2);
  head(context, scratch, logits);
  CHECK(logits[0] > 0);
  CHECK(logits[1] < 0);
}
