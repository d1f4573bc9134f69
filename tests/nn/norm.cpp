#include "lacuna/nn/norm.hpp"

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "comparing.hpp"
#include "lacuna/nn/reference.hpp"

namespace {

using namespace lacuna;
using comparing::exact;
using comparing::numbers;

}  // namespace

TEST_CASE("layer norm and RMS norm and their gradients equal the plain loops, for widths that fill packets and that do not") {
  for (const std::size_t d : {1U, 6U, 16U, 24U, 37U, 128U})
    for (const bool layered : {true, false}) {
      CAPTURE(d);
      CAPTURE(layered);
      if (layered && d == 1) continue;  // x minus its mean is 0: the derivative is rounding alone
      const std::size_t tokens = 5;
      const float epsilon = 1e-5F;
      const std::vector<float> x = numbers(tokens * d, 1), w = numbers(d, 2), b = numbers(d, 3), dy = numbers(tokens * d, 4);
      std::vector<float> y(x.size()), statistics(2 * tokens);
      nn::norm_forward(tokens, d, x.data(), w.data(), layered ? b.data() : nullptr, epsilon, y.data(), statistics.data());
      const std::vector<double> wd = exact(w), bd = exact(b);
      CHECK(comparing::difference(y, nn::reference::norm(tokens, d, exact(x), wd.data(), layered ? bd.data() : nullptr,
                                                         static_cast<double>(epsilon))) < 1e-6);

      std::vector<float> dx = numbers(tokens * d, 5), dw = numbers(d, 6), db = numbers(d, 7);
      std::vector<double> expected_dx = exact(dx), expected_dw = exact(dw), expected_db = exact(db);
      nn::norm_backward(tokens, d, x.data(), statistics.data(), w.data(), dy.data(), dx.data(), dw.data(),
                        layered ? db.data() : nullptr);
      const std::vector<double> more =
          nn::reference::norm_backward(tokens, d, exact(x), wd.data(), layered, static_cast<double>(epsilon), exact(dy),
                                       expected_dw.data(), expected_db.data());
      for (std::size_t i = 0; i < more.size(); ++i) expected_dx[i] += more[i];
      CHECK(comparing::difference(dx, expected_dx) < 2e-6);
      CHECK(comparing::difference(dw, expected_dw) < 2e-6);
      CHECK(comparing::difference(db, expected_db) < 2e-6);
    }
}

TEST_CASE("layer norm survives a mean far larger than the deviation") {
  // Squares minus a square would lose all digits: 1000^2 against 1.
  const std::size_t d = 40;
  std::vector<float> x = numbers(d, 1);
  for (float& v : x) v += 1000.0F;
  const std::vector<float> w(d, 1.0F), b(d, 0.0F);
  std::vector<float> y(d);
  nn::norm_forward(1, d, x.data(), w.data(), b.data(), 1e-5F, y.data(), nullptr);
  const std::vector<double> wd = exact(w), bd = exact(b);
  CHECK(comparing::difference(y, nn::reference::norm(1, d, exact(x), wd.data(), bd.data(), 1e-5)) < 1e-4);
}
