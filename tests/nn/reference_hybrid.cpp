#include "lacuna/nn/reference_hybrid.hpp"

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "lacuna/core/scatter.hpp"
#include "small_hybrids.hpp"

namespace {

using namespace lacuna;

double sum(const std::pair<double, double>& loss) { return loss.first + loss.second; }

}  // namespace

TEST_CASE("the gradient of the plain hybrid network is that of finite differences for every kind of parameter") {
  for (const small_hybrids::named_config& small : small_hybrids::all()) {
    CAPTURE(small.name);
    const nn::parameters p = small_hybrids::shaken(small.config, 5);
    nn::reference::hybrid<double> net{small.config, p.values()};
    const auto batch = small_hybrids::random_examples(small.config, {{5, 2}, {1, 0}, {4, 0}}, 17);
    std::vector<double> gradient(net.parameters().size());
    const double loss = sum(net.loss(batch.view(), gradient));
    CHECK(std::isfinite(loss));
    CHECK(sum(net.loss(batch.view(), {})) == loss);
    for (const nn::parameter& q : p.list()) {
      CAPTURE(q.name);
      for (std::size_t pick = 0; pick < 4; ++pick) {
        const std::size_t i = q.offset + scatter(pick + q.offset) % q.size;
        double& value = net.parameters()[i];
        const double at = value;
        const double step = 1e-5;
        value = at + step;
        const double above = sum(net.loss(batch.view(), {}));
        value = at - step;
        const double slope = (above - sum(net.loss(batch.view(), {}))) / (2 * step);
        value = at;
        // Cancellation leaves loss x 1e-16 / step, the third derivative step^2.
        CHECK(std::abs(gradient[i] - slope) < 1e-7 * (1.0 + std::abs(slope)));
      }
    }
  }
}

TEST_CASE("a wrong gradient of the plain hybrid network would be noticed") {
  const nn::hybrid_config config = small_hybrids::rotary();
  const nn::parameters p = small_hybrids::shaken(config, 5);
  nn::reference::hybrid<double> net{config, p.values()};
  const auto batch = small_hybrids::random_examples(config, {{5, 2}}, 17);
  std::vector<double> gradient(net.parameters().size());
  net.loss(batch.view(), gradient);
  std::size_t largest = 0;
  for (std::size_t i = 0; i < gradient.size(); ++i)
    if (std::abs(gradient[i]) > std::abs(gradient[largest])) largest = i;
  double& value = net.parameters()[largest];
  const double at = value;
  value = at + 1e-5;
  const double above = sum(net.loss(batch.view(), {}));
  value = at - 1e-5;
  const double slope = (above - sum(net.loss(batch.view(), {}))) / 2e-5;
  CHECK(std::abs(1.001 * gradient[largest] - slope) > 1e-7 * (1.0 + std::abs(slope)));
}

TEST_CASE("in the plain hybrid network a target sees the tokens before its track and no others, a draft the revealed ones") {
  for (const small_hybrids::named_config& small : small_hybrids::all()) {
    CAPTURE(small.name);
    const nn::parameters p = small_hybrids::shaken(small.config, 5);
    const nn::reference::hybrid<double> net{small.config, p.values()};
    auto e = small_hybrids::random_examples(small.config, {{6, 2}}, 3);
    const std::size_t v = small.config.trunk.vocabulary;
    const auto before = net(e.tokens, e.orders, 2);
    for (std::size_t d = 2; d < 6; ++d) {
      auto changed = e.tokens;
      token& t = changed[e.orders[d]];
      t = (t + 1) % static_cast<token>(v - 1);
      const auto after = net(changed, e.orders, 2);
      CHECK(after.drafts == before.drafts);
      for (std::size_t other = 0; other < 6; ++other) {
        bool same = true;
        for (std::size_t i = other * v; i < (other + 1) * v; ++i) same = same && after.targets[i] == before.targets[i];
        CHECK(same == (other <= d));
      }
    }
  }
}
