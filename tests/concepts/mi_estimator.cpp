#include "lacuna/concepts/mi_estimator.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "lacuna/draw/argmax.hpp"
#include "lacuna/mi/estimate.hpp"
#include "lacuna/order/dependence_bound.hpp"
#include "lacuna/problems/joint_table.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "tests/sample/models.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

/// The least that reads: all pairs share half a nat.
struct reading_archetype {
  explicit reading_archetype(int) {}
  static constexpr auto needs = statistics::none;
  void estimate(const step_view&, std::span<const std::size_t>, no_memory&, std::span<double> out) const {
    std::fill(out.begin(), out.end(), 0.5);
  }
};

/// The least that probes: by how much the surest value of a position changes what is likeliest elsewhere.
struct probing_archetype {
  explicit probing_archetype(int) {}
  static constexpr auto needs = statistics::none;
  void values(std::span<const double> log_p, std::vector<probe_value>& out, random_stream) const {
    out.push_back({argmax(log_p), 1});
  }
  struct gathered {
    std::vector<double> largest;
    void begin(const probing_archetype&, std::size_t n, std::size_t) { largest.assign(n, 0); }
    void add(std::size_t t, double, std::span<const double> log_p) {
      largest[t] = *std::max_element(log_p.begin(), log_p.end());
    }
    [[nodiscard]] double information(std::size_t t, double entropy) const { return entropy + largest[t]; }
  };
};

// ---- Accepted
static_assert(mi_estimator<reading_archetype> && reading_mi_estimator<reading_archetype> && !asks_probes<reading_archetype>);
static_assert(mi_estimator<probing_archetype> && probing_mi_estimator<probing_archetype> && asks_probes<probing_archetype>);
static_assert(needs_for_pairs<reading_archetype> == statistics::none && needs_for_pairs<probing_archetype> == statistics::rows);
static_assert(!tells_probe_error<probing_archetype>);
static_assert(mi_estimator_for<reading_archetype, whole> && mi_estimator_for<probing_archetype, ragged>);

struct of_hidden_states : reading_archetype {
  using reading_archetype::reading_archetype;
  static constexpr auto needs = statistics::hidden;
};
static_assert(mi_estimator_for<of_hidden_states, whole_hidden> && !mi_estimator_for<of_hidden_states, whole>);

struct does_both : reading_archetype, probing_archetype {
  does_both() : reading_archetype{0}, probing_archetype{0} {}
  static constexpr auto needs = statistics::none;
};
static_assert(needs_for_pairs<does_both> == does_both::needs);
static_assert(mi_estimator<does_both> && !asks_probes<does_both>, "what can be read is not probed for");

// ---- Rejected
struct neither {};
static_assert(!mi_estimator<neither>);
struct not_constant {
  void estimate(const step_view&, std::span<const std::size_t>, no_memory&, std::span<double>);
};
static_assert(!mi_estimator<not_constant>);
struct returns_a_matrix {
  std::vector<double> estimate(const step_view&) const;
};
static_assert(!mi_estimator<returns_a_matrix>);
struct gathers_nothing {
  void values(std::span<const double>, std::vector<probe_value>&, random_stream) const;
};
static_assert(names_probe_values<gathers_nothing> && !mi_estimator<gathers_nothing>);
struct tells_nothing : gathers_nothing {
  struct gathered {
    void begin(const tells_nothing&, std::size_t, std::size_t);
    void add(std::size_t, double, std::span<const double>);
  };
};
static_assert(!gathers_probes<tells_nothing> && !mi_estimator<tells_nothing>);

}  // namespace

TEST_CASE("the least estimators serve both an estimate and an order") {
  auto table = problems::joint_table::random(4, 3, 1);
  const auto read = mi::estimate(table, canvas::blank(4), reading_archetype{0});
  CHECK(read.raw(0, 3) == 0.5);
  CHECK(read.cost.rows() == 1);
  const auto probed = mi::estimate(table, canvas::blank(4), probing_archetype{0});
  CHECK(probed.cost.of(purpose::probe).rows == 4);
  const auto decoded = [&](auto e) {
    return decode(table, canvas::blank(4), compose(order::dependence_bound{e, 0.75}, draw::argmax{}));
  };
  CHECK(decoded(reading_archetype{0}).steps == 2);  // two share half a nat, three one and a half
  CHECK(decoded(reading_archetype{0}).cost.of(purpose::probe).rows == 0);
  CHECK(decoded(probing_archetype{0}).cost.of(purpose::probe).rows > 0);
}
