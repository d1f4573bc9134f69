// Forward pass and training step of the reference transformer beside plain Eigen products of the same shapes.
//
//   nn [rounds = 20]
//
// A line per shape, batch, number of threads and pass: milliseconds, rows a second, GFLOP/s, the rate that Eigen's products of
// the same shapes reach in the same run, and their ratio. Rounds of the two alternate; the best of each counts, so that a busy
// machine disturbs both alike. Operations counted are those of the products: 2 for a multiply and add; norms, softmax and
// activations count as time, not as work.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/core/scatter.hpp"
#include "lacuna/nn.hpp"
#include "lacuna/nn/initial.hpp"

namespace {

using namespace lacuna;
using row_major = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct shape {
  std::string name;
  nn::transformer_config config;
};

nn::transformer_config sudoku(std::size_t width, std::size_t depth) {
  nn::transformer_config c;
  c.vocabulary = 10;
  c.max_length = 81;
  c.width = width;
  c.depth = depth;
  c.heads = 4;
  c.feed_forward = 4 * width;
  c.head = nn::head_kind::own;
  nn::position_feature row{"row", {}, 9}, column{"column", {}, 9}, box{"box", {}, 9};
  nn::position_relation relation{{}, 7, {}};
  for (std::uint32_t i = 0; i < 81; ++i) {
    row.ids.push_back(i / 9);
    column.ids.push_back(i % 9);
    box.ids.push_back(i / 27 * 3 + i % 9 / 3);
  }
  for (std::uint32_t q = 0; q < 81; ++q)
    for (std::uint32_t k = 0; k < 81; ++k) {
      const bool same_row = row.ids[q] == row.ids[k], same_column = column.ids[q] == column.ids[k],
                 same_box = box.ids[q] == box.ids[k];
      relation.ids.push_back(q == k ? 6 : same_box ? (same_row ? 4 : same_column ? 5 : 3) : same_row ? 1 : same_column ? 2 : 0);
    }
  c.features = {row, column, box};
  c.relation = relation;
  return c;
}

/// The shape of ESM-2 8M: 6 layers, 20 heads of 16, rotary positions.
nn::transformer_config protein() {
  nn::transformer_config c;
  c.vocabulary = 33;
  c.max_length = 256;
  c.width = 320;
  c.depth = 6;
  c.heads = 20;
  c.feed_forward = 1280;
  c.positions = nn::positions::rotary;
  return c;
}

double seconds_of(const auto& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Operations of a forward pass over `rows` rows of the longest length.
double operations(const nn::transformer_config& c, std::size_t rows) {
  const auto d = static_cast<double>(c.width), l = static_cast<double>(c.max_length), depth = static_cast<double>(c.depth);
  const double per_token = depth * (2.0 * d * (4.0 * d + static_cast<double>(c.up_width() + c.feed_forward)) + 4.0 * l * d) +
                           2.0 * d * static_cast<double>(c.vocabulary);
  return per_token * l * static_cast<double>(rows);
}

/// The four products of every block in Eigen, over all tokens, and those of their gradients.
class eigen_products {
 public:
  eigen_products(const nn::transformer_config& c, std::size_t tokens, std::size_t threads) : team_{threads} {
    const std::array<std::pair<std::size_t, std::size_t>, 4> shapes{
        {{c.width, 3 * c.width}, {c.width, c.width}, {c.width, c.up_width()}, {c.feed_forward, c.width}}};
    for (std::size_t block = 0; block < c.depth; ++block)
      for (const auto& [in, out] : shapes) {
        layer one;
        one.w = row_major::Random(static_cast<Eigen::Index>(in), static_cast<Eigen::Index>(out));
        for (std::size_t i = 0; i < threads; ++i) {
          const auto share = static_cast<Eigen::Index>(tokens * (i + 1) / threads - tokens * i / threads);
          one.x.push_back(row_major::Random(share, static_cast<Eigen::Index>(in)));
          one.y.push_back(row_major::Random(share, static_cast<Eigen::Index>(out)));
          one.dw.push_back(one.w);
        }
        layers_.push_back(one);
        operations_ += 2.0 * static_cast<double>(tokens * in * out);
      }
  }
  [[nodiscard]] double forward_operations() const { return operations_; }
  void forward() {
    team_.run([&](std::size_t i) {
      for (layer& l : layers_) l.y[i].noalias() = l.x[i] * l.w;
    });
  }
  void training() {
    forward();
    team_.run([&](std::size_t i) {
      for (layer& l : layers_) {
        l.dw[i].noalias() += l.x[i].transpose() * l.y[i];
        l.x[i].noalias() = l.y[i] * l.w.transpose();
        l.x[i] *= 1e-3F;  // keeps the numbers finite
      }
    });
  }

 private:
  struct layer {
    row_major w;
    std::vector<row_major> x, y, dw;
  };
  nn::thread_team team_;
  std::vector<layer> layers_;
  double operations_ = 0.0;
};

void line(const shape& s, std::size_t rows, std::size_t threads, const char* pass, int rounds, double work, double product_work,
          const auto& ours, const auto& theirs) {
  double best = 1e30, products = 1e30;
  ours();
  theirs();
  // Short passes are repeated, so that a round is long against the clock and the waking of threads.
  const int repeats = std::max(1, static_cast<int>(0.02 / std::max(1e-6, seconds_of(ours))));
  for (int round = 0; round < rounds; ++round) {
    best = std::min(best, seconds_of([&] {
                            for (int i = 0; i < repeats; ++i) ours();
                          }) / repeats);
    products = std::min(products, seconds_of([&] {
                                    for (int i = 0; i < repeats; ++i) theirs();
                                  }) / repeats);
  }
  const double rate = work / best * 1e-9, product_rate = product_work / products * 1e-9;
  std::printf("%-18s B=%-3zu threads=%zu %-8s %9.3f ms %9.1f rows/s %7.1f GFLOP/s, Eigen's products %7.1f, ratio %.2f\n",
              s.name.c_str(), rows, threads, pass, best * 1e3, static_cast<double>(rows) / best, rate, product_rate,
              rate / product_rate);
  std::fflush(stdout);
}

void measure(const shape& s, std::size_t rows, std::size_t threads, int rounds) {
  nn::transformer net{s.config, 1, threads};
  const std::size_t length = s.config.max_length, tokens = rows * length;
  std::vector<token> inputs(tokens), targets(tokens);
  std::vector<float> weights(tokens);
  std::vector<std::size_t> offsets, wanted;
  for (std::size_t n = 0; n < tokens; ++n) {
    inputs[n] = static_cast<token>(scatter(3 * n) % s.config.vocabulary);
    targets[n] = static_cast<token>(scatter(3 * n + 1) % s.config.vocabulary);
    weights[n] = scatter(3 * n + 2) % 2 == 0 ? 0.0F : 1.0F;
    wanted.push_back(n);
  }
  for (std::size_t b = 0; b <= rows; ++b) offsets.push_back(b * length);
  const token_batch batch = view_as_tensor(std::as_const(inputs).data(), std::array<std::size_t, 2>{rows, length});
  float total = 0.0F;
  eigen_products products{s.config, tokens, threads};
  line(
      s, rows, threads, "forward", rounds, operations(s.config, rows), products.forward_operations(),
      [&] { net(batch, wanted, [&](std::size_t, std::span<const float> row) { total += row[0]; }); },
      [&] { products.forward(); });
  std::vector<float> gradient(net.parameters().values().size());
  line(
      s, rows, threads, "training", rounds, 3.0 * operations(s.config, rows), 3.0 * products.forward_operations(),
      [&] {
        total += static_cast<float>(net.loss_and_gradient({inputs, targets, weights, offsets}, gradient));
      },
      [&] { products.training(); });
  if (total == 0.123F) std::puts("");  // the results are used
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 20;
  const std::vector<shape> shapes{{"d=64  6 layers", sudoku(64, 6)},
                                  {"d=128 4 layers", sudoku(128, 4)},
                                  {"d=128 6 layers", sudoku(128, 6)},
                                  {"d=320 6 layers", protein()}};
  for (const shape& s : shapes)
    for (const std::size_t rows : {1U, 32U})
      for (const std::size_t threads : {1U, 2U})
        measure(s, rows, threads,
                s.config.width * rows < 320 * 32 ? rounds : std::max(3, rounds / 8));  // the largest takes seconds a round
}
