#include "lacuna/testing/draft_verify_laws.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "lacuna/adapt/any_order_verify.hpp"
#include "lacuna/problems/draft_verify_table.hpp"
#include "lacuna/problems/joint_table.hpp"

namespace {

using namespace lacuna;
using testing::check_draft_verify_laws;
using testing::outcome;

/// A table that breaks one law.
struct lying {
  problems::draft_verify_table table = problems::draft_verify_table::random(3, 7);
  std::string breaks;
  std::size_t calls = 0;
  std::map<std::size_t, std::vector<token>> held;    // what a slot was drafted with last
  std::map<std::size_t, float> haunted;              // slots that held something else before
  std::map<std::size_t, std::size_t> verifications;  // since the slot's draft

  explicit lying(std::string law) : breaks{std::move(law)} {}
  [[nodiscard]] std::size_t vocabulary_size() const { return table.vocabulary_size(); }
  [[nodiscard]] token mask_token() const { return table.mask_token(); }
  [[nodiscard]] double draft_share() const { return breaks == "shares" ? -1 : table.draft_share(); }
  [[nodiscard]] double verify_share() const { return table.verify_share(); }

  void draft(const token_batch& x, std::span<const std::size_t> slots, std::span<const std::size_t> wanted, row_sink sink) {
    ++calls;
    for (std::size_t b = 0; b < slots.size(); ++b) {
      const std::vector<token> row(x.data() + b * x.shape(1), x.data() + (b + 1) * x.shape(1));
      if (held.contains(slots[b]) && held[slots[b]] != row) haunted[slots[b]] = 1;
      held[slots[b]] = row;
      verifications[slots[b]] = 0;
    }
    const std::size_t length = x.shape(1);
    table.draft(x, slots, wanted, [&](std::size_t k, std::span<const float> row) {
      std::vector<float> logits(row.begin(), row.end());
      if (breaks == "finite") logits[0] = std::nanf("");
      if (breaks == "deterministic") logits[0] += static_cast<float>(calls);
      if (breaks == "batch") logits[0] += static_cast<float>(slots.size());
      if (breaks == "redraft") logits[0] += haunted[slots[wanted[k] / length]];
      sink(k, logits);
      if (breaks == "delivery") sink(k, logits);
    });
  }
  std::size_t verify(const verify_batch& v, row_sink sink) {
    std::vector<std::size_t> row_of;
    for (std::size_t b = 0; b < v.rows(); ++b) row_of.insert(row_of.end(), v.last[b] - v.first[b], b);
    std::size_t begin = 0, in = 0;
    const std::size_t charged = table.verify(v, [&](std::size_t k, std::span<const float> row) {
      std::vector<float> logits(row.begin(), row.end());
      while (in < row_of[k]) begin += v.last[in] - v.first[in], ++in;
      const std::size_t b = row_of[k], d = v.first[b] + k - begin;
      if (breaks == "causal") logits[0] += static_cast<float>(v.row(b)[v.order(b)[d]]);
      if (breaks == "order") logits[0] += static_cast<float>(v.order(b)[v.length() - 1]);
      if (breaks == "incremental") logits[0] += static_cast<float>(verifications[v.slots[b]]);
      sink(k, logits);
    });
    for (const std::size_t slot : v.slots) ++verifications[slot];
    return charged;
  }
};
static_assert(draft_verify_model<lying>);

struct throwing : lying {
  throwing() : lying("nothing") {}
  void draft(const token_batch&, std::span<const std::size_t>, std::span<const std::size_t>, row_sink) {
    throw std::runtime_error("out of memory");
  }
};

}  // namespace

TEST_CASE("tables, and plain models that verify their own drafts, keep every law of drafting and verifying") {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    auto table = problems::draft_verify_table::random(3, seed);
    const auto report = check_draft_verify_laws(table, {.seed = seed});
    for (const auto& law : report.laws) {
      CAPTURE(law.name);
      CAPTURE(law.message);
      CHECK(law.result == outcome::holds);
    }
    CHECK(report.laws.size() == 9);
    problems::joint_table joint = problems::joint_table::random(4, 3, seed);
    adapt::any_order_verify verifying{joint};
    const auto adapted = check_draft_verify_laws(verifying, {.seed = seed});
    CAPTURE(adapted.broken());
    CHECK(adapted.holds());
  }
}

TEST_CASE("a model that breaks one law is told by its name") {
  for (const std::string law :
       {"shares", "delivery", "finite", "deterministic", "redraft", "batch", "causal", "order", "incremental"}) {
    CAPTURE(law);
    lying model{law};
    const auto report = check_draft_verify_laws(model);
    CHECK(report.broken() == std::vector<std::string>{law});
    CHECK_FALSE(report[law].message.empty());
  }
  lying honest{"nothing"};
  CHECK(check_draft_verify_laws(honest).holds());
  throwing model;
  CHECK(check_draft_verify_laws(model)["delivery"].message == "the model threw: out of memory");
}

TEST_CASE("options that check nothing are refused") {
  auto table = problems::draft_verify_table::random(3, 1);
  CHECK_THROWS_AS(check_draft_verify_laws(table, {.length = 2}), invalid_argument);
  CHECK_THROWS_AS(check_draft_verify_laws(table, {.rows = 1}), invalid_argument);
  CHECK_THROWS_AS(check_draft_verify_laws(table, {.tolerance = -1}), invalid_argument);
}
