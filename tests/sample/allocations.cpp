// Scratch is allocated once: a step takes nothing from the heap.
#include <doctest/doctest.h>

#include <algorithm>
#include <new>
#include <vector>

#include "lacuna/draw/argmax.hpp"
#include "lacuna/draw/categorical.hpp"
#include "lacuna/draw/temperature.hpp"
#include "lacuna/draw/top_k.hpp"
#include "lacuna/draw/top_p.hpp"
#include "lacuna/mi/mixture.hpp"
#include "lacuna/mi/pruned.hpp"
#include "lacuna/order/ancestral.hpp"
#include "lacuna/order/blocks.hpp"
#include "lacuna/order/dependence_bound.hpp"
#include "lacuna/order/dilated.hpp"
#include "lacuna/order/entropy_bound.hpp"
#include "lacuna/order/factor.hpp"
#include "lacuna/order/klass.hpp"
#include "lacuna/order/punt.hpp"
#include "lacuna/order/threshold.hpp"
#include "lacuna/order/top_k.hpp"
#include "lacuna/rank/gumbel.hpp"
#include "lacuna/rank/left_to_right.hpp"
#include "lacuna/rank/random.hpp"
#include "lacuna/remask/p2.hpp"
#include "lacuna/remask/remdm_cap.hpp"
#include "lacuna/remask/remdm_confidence.hpp"
#include "lacuna/remask/remdm_rescale.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/sample/run.hpp"
#include "lacuna/sample/speculative.hpp"
#include "lacuna/window/constant.hpp"
#include "lacuna/window/cosine.hpp"
#include "tests/allocation_count.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/policies.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

/// Looks at whole rows.
struct needs_rows {
  static constexpr statistics needs = statistics::rows;
  void select(const step_view& view, selection& out, const step_random&) const {
    std::size_t top = 0;
    for (std::size_t k = 0; k < view.size(); ++k)
      if (view.row(k)[0] > view.row(top)[0]) top = k;
    out.add(top);
  }
};

/// Looks at hidden states.
struct by_hidden {
  static constexpr statistics needs = statistics::hidden;
  void select(const step_view& view, selection& out, const step_random&) const { out.add(view.hidden(0)[0] >= 0 ? 0 : 1); }
};

/// A control: takes something from the heap in every step. (The functions themselves: a compiler may leave out new and delete.)
struct wasteful {
  static constexpr statistics needs = statistics::none;
  void select(const step_view&, selection& out, const step_random&) const {
    ::operator delete(::operator new(8));
    out.add(0);
  }
};

/// Drafts and verifies in the memory it has.
struct lean_draft_verify : fake {
  [[nodiscard]] double draft_share() const { return 0.5; }
  [[nodiscard]] double verify_share() const { return 0.5; }
  void draft(const token_batch& x, std::span<const std::size_t> slots, std::span<const std::size_t> wanted, row_sink sink) {
    for (std::size_t b = 0; b < slots.size(); ++b) {
      if (slots[b] >= kept_.size()) kept_.resize(slots[b] + 1);
      const auto row = row_of(x, b);
      kept_[slots[b]].assign(row.begin(), row.end());
    }
    for (std::size_t k = 0; k < wanted.size(); ++k) select(row_of(x, wanted[k] / x.shape(1)), wanted[k] % x.shape(1), k, sink);
  }
  std::size_t verify(const verify_batch& v, row_sink sink) {
    std::size_t k = 0;
    for (std::size_t b = 0; b < v.rows(); ++b) {
      std::vector<token>& row = kept_[v.slots[b]];
      for (std::size_t d = 0; d < v.last[b]; ++d) {
        if (d >= v.first[b]) select(row, v.order(b)[d], k++, sink);
        if (d + 1 < v.last[b]) row[v.order(b)[d]] = v.row(b)[v.order(b)[d]];
      }
    }
    return v.rows();
  }

 private:
  std::vector<std::vector<token>> kept_;
};

/// Steps after the first in which something was allocated, decoding `rows` canvases side by side. In the last step of a batch
/// the first rows end before the last row takes it, and the end of a row allocates its result; it is left out.
template <class Model, class Sampler>
std::size_t steps_that_allocate(const Sampler& sampler, std::size_t rows) {
  Model model;
  model.end = 6;
  canvas c = canvas::blank(24);
  for (const std::size_t i : {0U, 1U, 2U, 3U, 4U, 9U, 23U}) c.fix(i, 3);  // the first block of 8 has 3 masks, the second 7
  const std::vector<canvas> starts(rows, c);
  std::vector<std::size_t> before(200, 0);  // by step: allocations when the last row had done it
  std::size_t steps = 0;
  const auto count = [&](const step_event& e) {
    before[e.step] = allocations();
    steps = std::max(steps, e.step + 1);
  };
  const auto r = decode(model, std::span{starts}, sampler, {.seed = 1}, count);
  CHECK(steps > 3);
  std::size_t guilty = 0;
  for (std::size_t s = 1; s + (rows > 1) < steps; ++s) guilty += before[s] != before[s - 1];
  return guilty;
}

template <class Sampler>
void check_lean(const Sampler& sampler) {
  CHECK(steps_that_allocate<selective>(sampler, 1) == 0);
  CHECK(steps_that_allocate<ragged_selective>(sampler, 1) == 0);
}

}  // namespace

TEST_CASE("a step allocates nothing after the first") {
  check_lean(compose(order::left_to_right{}, draw::argmax{}));
  check_lean(compose(surest(2), draw::categorical{}));
  check_lean(compose(order::random{pace::constant{3}}, draw::categorical{}));
  check_lean(compose(order::top_k{rank::entropy{}, pace::cosine{7}}, draw::argmax{}));
  check_lean(compose(surest(2), draw::argmax{}, ending::last<ending::stop>{}));
  check_lean(compose(needs_rows{}, draw::argmax{}));
}

TEST_CASE("a step allocates nothing after the first, with blocks of which later ones are larger") {
  check_lean(compose(order::blocks{8, surest(2)}, draw::categorical{}));
}

TEST_CASE("a step allocates nothing after the first, with remasking") {
  check_lean(compose(timed{12, 3}, draw::categorical{}, sometimes{0.5}));
  check_lean(compose(timed{12, 3}, draw::categorical{}, doubtful{0.3}));
}

TEST_CASE("a step allocates nothing after the first, in a batch") {
  // fixed counts a step, so that all rows end together
  CHECK(steps_that_allocate<selective>(compose(surest(2), draw::categorical{}), 5) == 0);
  CHECK(steps_that_allocate<ragged_selective>(compose(timed{12, 3}, draw::categorical{}, doubtful{0.3}), 5) == 0);
}

TEST_CASE("a step allocates nothing after the first, with hidden states") {
  CHECK(steps_that_allocate<selective_hidden>(compose(by_hidden{}, draw::argmax{}), 1) == 0);
}

TEST_CASE("a run of one's own allocates nothing after its first step") {
  selective model;
  auto run = start(model, compose(surest(1), draw::categorical{}), canvas::blank(20));
  run.step();
  const std::size_t before = allocations();
  while (!run.done()) run.step();
  CHECK(allocations() == before);
  CHECK(run.steps() == 20);
}

TEST_CASE("the count can fail: an order that allocates is seen in every step") {
  CHECK(steps_that_allocate<selective>(compose(wasteful{}, draw::argmax{}), 1) == 16);
}

TEST_CASE("a step allocates nothing after the first, with the library's policies") {
  check_lean(compose(order::top_k{rank::gumbel{1}, pace::cosine{9}}, draw::top_p{0.9}));
  check_lean(compose(order::entropy_bound{0.5}, draw::top_k{3}));
  check_lean(compose(order::klass{0.5, 0.1}, draw::categorical{}));
  check_lean(compose(order::dilated{8, 2}, draw::argmax{}));
  check_lean(compose(order::ancestral{12}, draw::temperature{0.7, draw::categorical{}}));
  check_lean(compose(order::factor{0.5}, draw::categorical{}));
  check_lean(compose(order::blocks{8, order::threshold{0.9}}, draw::categorical{}));
  check_lean(compose(order::blocks{8, order::factor{0.5}}, draw::categorical{}));
}

TEST_CASE("a step allocates nothing after the first, with the library's remasking") {
  check_lean(compose(order::ancestral{12}, draw::categorical{}, remask::remdm_cap{0.3}));
  check_lean(compose(order::top_k{rank::confidence{}, pace::linear{12}}, draw::categorical{}, remask::p2{0.7}));
  check_lean(compose(order::ancestral{12}, draw::categorical{}, remask::remdm_confidence{remask::remdm_rescale{0.5}}));
  check_lean(compose(order::blocks{8, order::ancestral{6}}, draw::categorical{}, remask::remdm_cap{0.3}));
}

TEST_CASE("a step allocates nothing after the first, with orders that probe") {
  check_lean(compose(order::dependence_bound{mi::pruned{}, 0.3}, draw::categorical{}));
  check_lean(compose(order::dependence_bound{mi::mixture{}, 0.3}, draw::categorical{}));
  check_lean(compose(order::punt{0.5}, draw::categorical{}));
}

TEST_CASE("a step allocates nothing after the first, with drafts and verifications of windows that grow") {
  const auto check = [](const auto& sampler) {
    CHECK(steps_that_allocate<lean_draft_verify>(sampler, 1) == 0);
    CHECK(steps_that_allocate<lean_draft_verify>(sampler, 4) == 0);
  };
  check(sample::speculative{rank::random{}, window::cosine{0.1}, 1});
  check(sample::speculative{rank::left_to_right{}, window::constant{2}, 3, 0.7, 8});
  check(sample::speculative{rank::confidence{}, window::cosine{0.1}, 2, 1.0, 8, ending::last<>{}});
}
