// Orders that look at the model's hidden states.
#include <doctest/doctest.h>

#include <vector>

#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/sample/run.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/policies.hpp"
#include "tests/sample/results.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

/// The candidate with the largest first component, the position, as the hidden states say.
struct rightmost {
  static constexpr statistics needs = statistics::hidden;
  void select(const step_view& view, selection& out, const step_random&) const {
    std::size_t top = 0;
    for (std::size_t k = 0; k < view.size(); ++k) {
      CHECK(view.hidden(k).size() == 2);
      CHECK(view.hidden(k)[0] == static_cast<float>(view.positions[k]));
      CHECK(view.hidden(k)[1] == static_cast<float>(view.masked_now));
      if (view.hidden(k)[0] > view.hidden(top)[0]) top = k;
    }
    out.add(top);
  }
};

using sampler = decltype(compose(rightmost{}, draw::argmax{}));
static_assert(sampler_for<sampler, whole_hidden> && sampler_for<sampler, selective_hidden>);
static_assert(!sampler_for<sampler, whole> && !sampler_for<sampler, ragged>);

template <class Model>
std::vector<decode_result> rows_from_the_right() {
  Model model;
  std::vector<canvas> rows{canvas::blank(4), canvas::blank(7), canvas::blank(4)};
  rows[0].fix(2, 1);
  return decode(model, std::span{rows}, sampler{}, {.seed = 1}).rows;
}

}  // namespace

TEST_CASE("an order that reads hidden states sees those of its own positions, on whole and selective models") {
  const auto rows = rows_from_the_right<whole_hidden>();
  CHECK(rows[0].step == std::vector<std::size_t>{2, 1, never, 0});
  CHECK(rows[1].step == std::vector<std::size_t>{6, 5, 4, 3, 2, 1, 0});
  CHECK(same(rows, rows_from_the_right<selective_hidden>()));
}

TEST_CASE("unusable rows leave the hidden states with the right positions") {
  whole_hidden model;
  model.logits = [](std::span<const token> row, std::size_t l, std::span<float> out) {
    scrambled(row, l, out);
    if (l == 1 && row[4] == 7) std::fill(out.begin(), out.end(), -std::numeric_limits<float>::infinity());
  };
  const decode_result r = decode(model, canvas::blank(5), sampler{}, 1);  // rightmost checks
  CHECK(r.step == std::vector<std::size_t>{4, 3, 2, 1, 0});
}

TEST_CASE("a run of one's own hands out hidden states too") {
  selective_hidden model;
  auto run = start(model, sampler{}, canvas::blank(3));
  CHECK(run.step().committed[0] == 2);
}

TEST_CASE("logits and hidden states come from one pass") {
  whole_hidden model;
  decode(model, canvas::blank(3), sampler{}, 1);
  CHECK(model.calls == 3);
}
