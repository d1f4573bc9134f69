#include "lacuna/concepts/draft_verify_model.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <span>

namespace {

using namespace lacuna;

struct both {
  std::size_t vocabulary_size() const { return 3; }
  token mask_token() const { return 2; }
  void draft(const token_batch&, std::span<const std::size_t>, std::span<const std::size_t>, row_sink) {}
  std::size_t verify(const verify_batch& v, row_sink) { return v.rows(); }
  double draft_share() const { return 0.75; }
  double verify_share() const { return 0.25; }
};
struct only_drafts {
  std::size_t vocabulary_size() const { return 3; }
  token mask_token() const { return 2; }
  void draft(const token_batch&, std::span<const std::size_t>, std::span<const std::size_t>, row_sink) {}
  double draft_share() const { return 1; }
  double verify_share() const { return 0; }
};
struct says_no_rows : both {
  void verify(const verify_batch&, row_sink) {}
};

}  // namespace

TEST_CASE("a draft_verify_model drafts, verifies and says what either costs") {
  CHECK(draft_verify_model<both>);
  CHECK(draft_verify_model<both&>);
  CHECK_FALSE(verifies<only_drafts>);
  CHECK_FALSE(draft_verify_model<only_drafts>);
  CHECK_FALSE(draft_verify_model<says_no_rows>);
}
