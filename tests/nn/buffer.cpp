#include "lacuna/nn/buffer.hpp"

#include <cstdint>

#include <doctest/doctest.h>

namespace {

using namespace lacuna;

}  // namespace

TEST_CASE("a buffer is aligned, grows when it must and stays where it is otherwise") {
  nn::buffer b;
  float* first = b.reserve(100);
  CHECK(reinterpret_cast<std::uintptr_t>(first) % 64 == 0);
  CHECK(b.reserve(50) == first);
  CHECK(b.reserve(100) == first);
  CHECK(b.capacity() == 100);
  b.reserve(1000)[999] = 1.0F;
  CHECK(b.capacity() == 1000);
  const nn::buffer copy = b;
  CHECK(copy.capacity() == 0);
}

TEST_CASE("pieces do not overlap and begin on cache lines") {
  nn::pieces measure;
  measure.take(3);
  measure.take(0);
  measure.take(17);
  CHECK(measure.total() == 48);
  nn::buffer b;
  nn::pieces real{b.reserve(measure.total())};
  float* first = real.take(3);
  float* empty = real.take(0);
  float* last = real.take(17);
  CHECK(first == b.data());
  CHECK(empty == b.data() + 16);
  CHECK(last == b.data() + 16);
}
