#include "../../../examples/sudoku/mi_measures.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace {

using namespace sudoku;
using lacuna::mi::information;

/// Blank cells with entropies of 2 nats and this raw information.
template <class F>
information made(const std::vector<std::size_t>& cells, F value, std::size_t probes = 0) {
  const std::size_t n = cells.size();
  information i{cells, std::vector<double>(n, 2.0), lacuna::tensor<double, 2>({n, n}), lacuna::tensor<double, 2>({n, n}), {}};
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) {
      i.raw(a, b) = a == b ? 0 : value(cells[a], cells[b]);
      i.error(a, b) = 0.25;
    }
  i.cost.of(lacuna::purpose::decode).rows = 1;
  i.cost.of(lacuna::purpose::probe).rows = probes;
  return i;
}

double rules(std::size_t a, std::size_t b) { return share_a_unit(a, b) ? 0.5 : 0.1; }

TEST_CASE("cells share a unit in rows, columns and boxes, and with themselves they share all") {
  CHECK(share_a_unit(0, 8));
  CHECK(share_a_unit(0, 72));
  CHECK(share_a_unit(0, 10));
  CHECK_FALSE(share_a_unit(0, 12));
  CHECK_FALSE(share_a_unit(10, 80));
}

TEST_CASE("pruning is charged for its rows, and its errors are held against its bounds") {
  const std::vector<information> exact{made(
                                           {0, 1}, [](auto, auto) { return 0.5; }, 17),
                                       made({3}, rules, 8)};
  const std::vector<information> pruned{made(
                                            {0, 1}, [](auto a, auto) { return a == 0 ? 0.6 : 0.9; }, 4),
                                        made({3}, rules, 1)};
  const pruning_cost c = cost_of_pruning(exact, pruned, 1e-3);
  CHECK(c.epsilon == 1e-3);
  CHECK(c.exact_rows == 27);
  CHECK(c.rows == 7);
  CHECK(c.ratio() == doctest::Approx(27.0 / 7));
  CHECK(c.mean_error == doctest::Approx(0.25));  // .1 and .4
  CHECK(c.largest_error == doctest::Approx(0.4));
  CHECK(c.mean_bound == 0.25);
  CHECK(c.largest_bound == 0.25);
  CHECK(c.beyond_bound == 1);
}

TEST_CASE("information that follows the rules has an area of 1, none at all one half, the opposite 0") {
  const std::vector<std::size_t> cells{0, 1, 12, 40, 44, 80};
  const auto area = [&](auto value) { return structure_of(std::vector{made(cells, value), made({0, 1}, value)}); };
  const structure_found found = area(rules);
  CHECK(found.pairs == 16);
  CHECK(found.related == 4);   // 0 and 1 twice, 40 and 44, 44 and 80
  CHECK(found.contexts == 1);  // the other has no pair of the second kind
  CHECK(found.mean == 1);
  CHECK(found.pooled == 1);
  CHECK(std::isnan(found.standard_error));
  CHECK(area([](auto, auto) { return 0.3; }).pooled == 0.5);
  CHECK(area([](auto a, auto b) { return -rules(a, b) + 1; }).mean == 0);
}

TEST_CASE("contexts count alike in the mean, pairs in the pooled area") {
  const std::vector<std::size_t> cells{0, 1, 12};
  const std::vector<information> two{made(cells, rules), made(cells, [](auto, auto) { return 0.5; })};
  const structure_found found = structure_of(two);
  CHECK(found.mean == 0.75);
  CHECK(found.standard_error == doctest::Approx(0.25));
  CHECK(found.pooled == 0.75);  // of 8 pairs of pairs 4 in order and 4 tied
}

TEST_CASE("without pairs of both kinds there is no area") {
  const structure_found found = structure_of(std::vector{made({0, 1}, rules), made({5}, rules), made({}, rules)});
  CHECK(found.contexts == 0);
  CHECK(std::isnan(found.pooled));
  CHECK(std::isnan(found.mean));
}

TEST_CASE("agreement is told for bands of blanks, and for all") {
  const auto twice = [](auto a, auto b) { return 2 * rules(a, b); };
  const std::vector<information> exact{made({0, 1, 12}, rules), made({0, 1, 12, 40}, rules)};
  const std::vector<information> guess{made({0, 1, 12}, rules), made({0, 1, 12, 40}, twice)};
  const auto bands = agreement_by_blanks(guess, exact, {2, 5});
  REQUIRE(bands.size() == 3);
  CHECK(bands[0].least_blanks == 3);
  CHECK(bands[0].most_blanks == 3);
  CHECK(bands[0].agreement.count == 3);
  CHECK(bands[0].agreement.r_squared == 1);
  CHECK(bands[1].least_blanks == 4);
  CHECK(bands[1].agreement.count == 6);
  CHECK(bands[1].agreement.rank_correlation == doctest::Approx(1));
  CHECK(bands[1].agreement.mean_absolute_error == doctest::Approx(1.0 / 6));  // five of .1 and one of .5
  CHECK(bands[2].contexts == 2);
  CHECK(bands[2].agreement.count == 9);
  // four bands of a range that is no multiple of four
  std::vector<information> many;
  for (std::size_t n = 20; n <= 60; ++n) {
    std::vector<std::size_t> cells(n);
    for (std::size_t k = 0; k < n; ++k) cells[k] = k;
    many.push_back(made(cells, rules));
  }
  const auto four = agreement_by_blanks(many, many, {});
  REQUIRE(four.size() == 5);
  CHECK(four[0].least_blanks == 20);
  std::size_t contexts = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    if (k > 0) CHECK(four[k].least_blanks == four[k - 1].most_blanks + 1);
    contexts += four[k].contexts;
  }
  CHECK(four[3].most_blanks == 60);
  CHECK(contexts == many.size());
}

}  // namespace
