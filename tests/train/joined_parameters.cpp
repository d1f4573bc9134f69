#include "lacuna/train/joined_parameters.hpp"

#include <doctest/doctest.h>

#include <vector>

TEST_CASE("parameters of several networks are one buffer, whose values go back to each") {
  lacuna::nn::parameters a, b;
  const auto x = a.add("x", {2, 2}, true);
  const auto y = b.add("y", {3}, false);
  for (float& v : a.of(x)) v = 1;
  for (float& v : b.of(y)) v = 2;
  lacuna::train::joined_parameters all;
  all.add("first.", a);
  all.add("second.", b);
  CHECK(all.parameters().values().size() == 7);
  CHECK(all.parameters().list()[0].name == "first.x");
  CHECK(all.parameters().list()[0].decayed);
  CHECK(all.parameters().list()[1].name == "second.y");
  CHECK_FALSE(all.parameters().list()[1].decayed);
  CHECK(all.parameters().values()[3] == 1);
  CHECK(all.parameters().values()[4] == 2);
  all.parameters().values()[6] = 9;
  all.hand_out();
  CHECK(b.values()[2] == 9);
  CHECK(a.values()[0] == 1);
  std::vector<float> gradient(7, 0.0F);
  all.part(gradient, 1)[0] = 5;
  CHECK(gradient[4] == 5);
  CHECK(all.part(gradient, 0).size() == 4);
}
