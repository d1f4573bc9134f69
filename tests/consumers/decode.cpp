// What a project that only decodes builds against: core types over xtensor and Random123.
#include "lacuna/core/canvas.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/tensor.hpp"

#include <cstdio>

int main() {
  lacuna::canvas canvas = lacuna::canvas::blank(4);
  lacuna::tensor<float, 2> logits({4, 2}, 0.0F);
  lacuna::random_stream rng{1, lacuna::stream_use::draw};
  std::printf("%zu positions, %zu logits, a number %g\n", canvas.size(), logits.size(), rng.uniform());
  return canvas.size() == 4 && logits.size() == 8 ? 0 : 1;
}
