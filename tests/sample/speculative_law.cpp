// What comes out of the speculative sampler has the law that enumerating every draft and every acceptance gives.
#include "tests/sample/speculative_law.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

#include "lacuna/rank/left_to_right.hpp"
#include "lacuna/rank/random.hpp"
#include "lacuna/sample/speculative.hpp"
#include "lacuna/window/constant.hpp"
#include "lacuna/window/cosine.hpp"
#include "lacuna/window/none.hpp"
#include "tests/support/statistics_test.hpp"

using namespace lacuna;
using namespace lacuna::tests;
using lacuna::testing::chi_square;
using lacuna::testing::chi_square_limit;
using problems::draft_verify_table;

namespace {

const std::vector<std::size_t> sigma{2, 0, 3, 1};
/// The rank of that order.
struct by_sigma {
  static constexpr statistics needs = statistics::none;
  static constexpr bool before_pass = true;
  double operator()(const step_view& view, std::size_t k) const {
    return -static_cast<double>(std::find(sigma.begin(), sigma.end(), view.positions[k]) - sigma.begin());
  }
};

const draft_verify_table model = draft_verify_table::random(3, 11, 1.5);
const std::vector<token> blank(4, 3);

double sum(const distribution& law) { return std::accumulate(law.begin(), law.end(), 0.0); }

/// Samples against the law, and against the laws of wrong rules.
template <class Window>
void check_law(const Window& window, std::size_t verifications, std::size_t runs) {
  CAPTURE(verifications);
  enumeration truth{model, sigma, window, verifications};
  const distribution law = truth.law(blank);
  CHECK(sum(law) == doctest::Approx(1).epsilon(1e-12));
  const auto counts = counts_of(model, 3, canvas::blank(4), sample::speculative{by_sigma{}, window, verifications}, runs, 5);
  CHECK(total_variation(counts, law) < noise(law, runs));
  CHECK(chi_square(counts, law) < chi_square_limit(law.size() - 1));

  enumeration careless = truth;
  careless.rule.accepts = [](double, double) { return 1.0; };
  CHECK(chi_square(counts, careless.law(blank)) > 2 * chi_square_limit(law.size() - 1));
  enumeration from_target = truth;
  from_target.rule.redraws = [](double, double q) { return q; };
  CHECK(chi_square(counts, from_target.law(blank)) > 2 * chi_square_limit(law.size() - 1));
}

}  // namespace

TEST_CASE("speculative samples have the enumerated law: no window") {
  for (const std::size_t n : {1U, 2U, 3U}) check_law(window::none{}, n, 3000);
}

TEST_CASE("speculative samples have the enumerated law: constant windows") {
  for (const std::size_t n : {1U, 2U, 3U}) check_law(window::constant{3}, n, 3000);
}

TEST_CASE("speculative samples have the enumerated law: cosine windows") {
  for (const std::size_t n : {1U, 2U, 3U}) check_law(window::cosine{0.6}, n, 3000);
}

TEST_CASE("the laws of different windows and verifications differ: a wrong one would be seen") {
  const auto counts = counts_of(model, 3, canvas::blank(4), sample::speculative{by_sigma{}, window::none{}, 2}, 3000, 5);
  const double limit = chi_square_limit(80);
  CHECK(chi_square(counts, enumeration{model, sigma, window::none{}, 2}.law(blank)) < limit);
  CHECK(chi_square(counts, enumeration{model, sigma, window::none{}, 1}.law(blank)) > limit);
  CHECK(chi_square(counts, enumeration{model, sigma, window::constant{1}, 1}.law(blank)) > limit);
  CHECK(chi_square(counts, enumeration{model, {0, 1, 2, 3}, window::none{}, 2}.law(blank)) > limit);
}

TEST_CASE("drafts behind a redrawn token may be kept or drawn anew: the law is the same") {
  const enumeration kept{model, sigma, window::none{}, 3};
  const distribution law = enumeration{kept}.law(blank);
  const auto largest_difference = [&](std::function<distribution(const distribution&)> redraft) {
    enumeration anew = kept;
    anew.redraft = std::move(redraft);
    const distribution other = anew.law(blank);
    double largest = 0;
    for (std::size_t k = 0; k < law.size(); ++k) largest = std::max(largest, std::abs(other[k] - law[k]));
    return largest;
  };
  CHECK(largest_difference([](const distribution& p) { return p; }) < 1e-12);
  CHECK(largest_difference([](const distribution& p) { return distribution(p.size(), 1.0 / 3); }) > 1e-3);  // not from p
}
