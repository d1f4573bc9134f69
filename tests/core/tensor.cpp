#include "lacuna/core/tensor.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <vector>

using namespace lacuna;

namespace {

static_assert(row_major_tensor<tensor<float, 3>, 3>);
static_assert(row_major_tensor<tensor<double, 2>, 2>);
static_assert(row_major_tensor<tensor_view<const float, 3>, 3>);
static_assert(!row_major_tensor<xt::xtensor<float, 3, xt::layout_type::column_major>, 3>, "the layout is part of the contract");
static_assert(!row_major_tensor<tensor<int, 2>, 2>, "integers are no logits");
static_assert(!row_major_tensor<std::vector<float>, 1>);
static_assert(!row_major_tensor<float*, 1>);

/// The least that counts as a tensor: for runtimes with types of their own.
struct own_tensor {
  static constexpr auto static_layout = xt::layout_type::row_major;
  const float* values = nullptr;
  std::array<std::size_t, 2> extents{};
  const float* data() const { return values; }
  const std::array<std::size_t, 2>& shape() const { return extents; }
};
static_assert(row_major_tensor<own_tensor, 2>);

}  // namespace

TEST_CASE("a view reads and writes the memory it is given, row by row, and owns nothing") {
  std::vector<float> memory{0, 1, 2, 3, 4, 5};
  auto view = view_as_tensor(memory.data(), std::array<std::size_t, 2>{2, 3});
  CHECK(view(0, 2) == 2);
  CHECK(view(1, 0) == 3);
  view(1, 2) = 9;
  CHECK(memory[5] == 9);
  CHECK(view.data() == memory.data());
  CHECK(view.shape().size() == 2);
}

TEST_CASE("a tensor is contiguous and row major") {
  tensor<float, 3> t({2, 3, 4});
  for (std::size_t i = 0; i < t.size(); ++i) t.data()[i] = static_cast<float>(i);
  CHECK(t(1, 2, 3) == 23);
  CHECK(t(1, 0, 0) == 12);
  CHECK(t(0, 1, 0) == 4);
  CHECK(t.shape(1) == 3);
}

TEST_CASE("a view may be empty") {
  const auto view = view_as_tensor<const float, 2>(nullptr, {0, 5});
  CHECK(view.size() == 0);
  CHECK(view.shape(1) == 5);
}
