// A project that only decodes: needs xtensor and Random123, nothing else.
#include "lacuna/lacuna.hpp"

#include <cstddef>
#include <cstdio>

/// Knows nothing: every token is as likely as the next.
struct indifferent {
  std::size_t vocabulary_size() const { return 4; }
  lacuna::token mask_token() const { return 3; }
  lacuna::tensor<float, 3> operator()(const lacuna::token_batch& x) const {
    return lacuna::tensor<float, 3>({x.shape(0), x.shape(1), vocabulary_size()}, 0.0F);
  }
};

int main() {
  indifferent model;
  const auto sampler = lacuna::compose(lacuna::order::left_to_right{}, lacuna::draw::categorical{});
  const auto result = lacuna::decode(model, lacuna::canvas::blank(8), sampler, 1);
  bool right = result.tokens.size() == 8 && result.cost.calls() == 8;
  for (const lacuna::token t : result.tokens) right = right && t >= 0 && t < 3;
  std::printf("%zu tokens in %zu passes\n", result.tokens.size(), result.cost.calls());
  return right ? 0 : 1;
}
