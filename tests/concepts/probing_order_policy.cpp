#include "lacuna/concepts/probing_order_policy.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "lacuna/core/row.hpp"
#include "lacuna/draw/argmax.hpp"
#include "lacuna/order/blocks.hpp"
#include "lacuna/order/klass.hpp"
#include "lacuna/order/top_k.hpp"
#include "lacuna/problems/joint_table.hpp"
#include "lacuna/problems/permutation.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"

using namespace lacuna;

namespace {

/// The order of the header's comment: the first candidate, and the second if that one is as sure when the first is filled in.
struct archetype {
  static constexpr auto needs = statistics::rows;
  struct memory {
    bool as_sure = false;
  };
  void ask(const step_view& view, memory& m, std::size_t round, probe_list& probes, const step_random&) const {
    m.as_sure = round > 0 && m.as_sure;
    if (round > 0 || view.size() < 2) return;
    probes.add();
    probes.put(view.positions[0], view.drawn[0]);
    probes.want(view.positions[1]);
  }
  void learn(const step_view& view, memory& m, std::size_t, std::size_t, std::span<const double> log_p) const {
    m.as_sure = !log_p.empty() && kl_divergence(log_p, view.row(1)) < 0.01;
  }
  void select(const step_view&, memory& m, selection& out, const step_random&) const {
    out.add(0);
    if (m.as_sure) out.add(1);
  }
};

// ---- Accepted
static_assert(probing_order_policy<archetype>);
static_assert(probing_order_policy<order::blocks<archetype>>);

// ---- Not among them
static_assert(!probing_order_policy<order::top_k<>> && !probing_order_policy<order::blocks<order::top_k<>>>);
struct never_learns : order::top_k<> {
  void ask(const step_view&, memory&, std::size_t, probe_list&, const step_random&) const;
};
static_assert(order_policy<never_learns> && asks_for_probes<never_learns> && !probing_order_policy<never_learns>);
struct only_asks {
  void ask(const step_view&, no_memory&, std::size_t, probe_list&, const step_random&) const;
  void learn(const step_view&, no_memory&, std::size_t, std::size_t, std::span<const double>) const;
};
static_assert(!probing_order_policy<only_asks>, "an order has a select");
template <class Fallback>
concept fits_klass = requires {
  typename order::klass<Fallback>;
};
static_assert(fits_klass<order::top_k<>> && !fits_klass<archetype>);

}  // namespace

TEST_CASE("the least order that probes decodes two at a time what is independent, and one at a time what is not") {
  const auto steps = [](auto model, std::size_t length, auto order) {
    return decode(model, canvas::blank(length), compose(order, draw::argmax{})).steps;
  };
  const auto free = problems::joint_table::independent(std::vector<std::vector<double>>(6, {1, 2}));
  CHECK(steps(free, 6, archetype{}) == 3);
  CHECK(steps(free, 6, order::blocks{3, archetype{}}) == 4);
  CHECK(steps(problems::permutation(6), 6, archetype{}) == 6);
}
