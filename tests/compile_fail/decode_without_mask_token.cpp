// decode of a model without mask_token(): named at the call, too.
// expect-gcc: required for the satisfaction of .has_mask_token<M>.
// expect-gcc: the required expression .m.mask_token\(\). is invalid
// expect-clang: .my_model. does not satisfy .has_mask_token.
// expect-clang: .m.mask_token\(\). would be invalid: no member named .mask_token.
#include "lacuna/draw/argmax.hpp"
#include "lacuna/order/left_to_right.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"

struct my_model {
  std::size_t vocabulary_size() const { return 3; }
#ifdef FIXED
  lacuna::token mask_token() const { return 2; }
#endif
  lacuna::tensor<float, 3> operator()(const lacuna::token_batch& x);
};

void use(my_model& model) {
  lacuna::decode(model, lacuna::canvas::blank(4), lacuna::compose(lacuna::order::left_to_right{}, lacuna::draw::argmax{}));
}
