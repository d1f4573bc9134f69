// An order handed to decode without a draw: it is no sampler.
// expect: sampler_for
// expect-gcc: left_to_right
// expect-clang: left_to_right
#include "lacuna/draw/argmax.hpp"
#include "lacuna/order/left_to_right.hpp"
#include "lacuna/problems/permutation.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"

void use(lacuna::problems::permutation& model) {
#ifdef FIXED
  lacuna::decode(model, lacuna::canvas::blank(4), lacuna::compose(lacuna::order::left_to_right{}, lacuna::draw::argmax{}));
#else
  lacuna::decode(model, lacuna::canvas::blank(4), lacuna::order::left_to_right{});
#endif
}
