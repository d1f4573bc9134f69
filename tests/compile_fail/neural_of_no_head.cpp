// Something that is no head: it cannot say how large hidden states must be.
// expect: pair_head
// expect: hidden_size
#include "lacuna/nn/neural.hpp"

struct my_head {
  static constexpr auto reads = lacuna::statistics::hidden;
  struct scratch {};
#ifdef FIXED
  std::size_t hidden_size() const;
#endif
  lacuna::nn::parameters& parameters();
  void check(const lacuna::nn::pair_context&) const;
  void reserve(scratch&, std::size_t) const;
  void operator()(const lacuna::nn::pair_context&, std::span<const std::size_t>, scratch&, std::span<double>) const;
  double loss_and_gradient(const lacuna::nn::pair_example&, const lacuna::nn::pair_loss&, scratch&, std::span<float>) const;
};

lacuna::mi::neural<my_head> make(my_head head) { return lacuna::mi::neural<my_head>{head}; }
