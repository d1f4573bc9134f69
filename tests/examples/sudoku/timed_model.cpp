#include "../../../examples/sudoku/timed_model.hpp"

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <thread>

#include "fixtures.hpp"

namespace {

using namespace sudoku;
using namespace sudoku_test;

TEST_CASE("the time of the model is counted, that of whoever takes its rows is not") {
  const auto rest = [](int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); };
  model slow = model_of([&](const grid&, std::size_t, auto&) { rest(5); });
  timed_model timed{slow};
  CHECK(timed.hidden_size() == 0);
  const std::array<lacuna::token, cell_count> tokens{};
  const std::array<std::size_t, 2> wanted{3, 80};
  std::size_t rows = 0;
  const auto take = [&](std::size_t, std::span<const float> row) {
    CHECK(row.size() == vocabulary_size);
    ++rows;
    rest(200);
  };
  const auto begin = std::chrono::steady_clock::now();
  timed(lacuna::view_as_tensor<const lacuna::token, 2>(tokens.data(), {1, cell_count}), wanted, lacuna::row_sink{take});
  const double all = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  CHECK(rows == 2);
  CHECK(timed.seconds() >= 0.01);
  CHECK(timed.seconds() <= all - 0.4);
}

}  // namespace
