#include "lacuna/core/step_view.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

using namespace lacuna;

TEST_CASE("a view shows the candidates' statistics by index and their rows by slot") {
  const std::vector<std::size_t> positions{2, 5, 7};
  const std::vector<std::size_t> slots{0, 1, 3};  // slot 2 was scored and is no candidate
  const std::vector<double> confidences{0.5, 0.6, 0.7};
  const std::vector<double> rows{0, 1, 10, 11, 20, 21, 30, 31};
  const std::vector<float> hidden{0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32};
  step_view view;
  view.vocabulary = 2;
  view.width = 3;
  view.positions = positions;
  view.slots = slots;
  view.confidences = confidences;
  view.rows = rows;
  view.hidden_states = hidden;
  CHECK(view.size() == 3);
  CHECK(view.confidence(1) == 0.6);
  CHECK(view.row(2)[0] == 30);
  CHECK(view.row(2).size() == 2);
  CHECK(view.hidden(2)[2] == 32);
  CHECK(view.hidden(0).size() == 3);
  CHECK(view.entropies.empty());
}

TEST_CASE("a view of committed tokens has the size of its positions") {
  const std::vector<std::size_t> positions{1, 4};
  committed_view view;
  CHECK(view.size() == 0);
  view.positions = positions;
  CHECK(view.size() == 2);
}

TEST_CASE("outside of a grid a step reveals everything that is left") {
  const time_step time;
  CHECK(time.revealed_now == 0);
  CHECK(time.revealed_next == 1);
  CHECK(time.remaining == 0);
}
