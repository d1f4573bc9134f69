// What a project that uses the transformer builds against: Eigen, nlohmann-json and threads too.
#include "lacuna/io/safetensors.hpp"
#include "lacuna/nn/parameters.hpp"

#include <Eigen/Core>
#include <cstdio>
#include <thread>

int main() {
  lacuna::nn::parameters weights;
  std::thread([&] { weights.add("weight", {2, 3}, true); }).join();
  const Eigen::Map<const Eigen::VectorXf> values(weights.values().data(), 6);
  std::printf("%zu weights of sum %g\n", weights.values().size(), static_cast<double>(values.sum()));
  return weights.values().size() == 6 ? 0 : 1;
}
