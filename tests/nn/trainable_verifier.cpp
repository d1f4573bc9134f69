#include "lacuna/nn/trainable_verifier.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "lacuna/nn/hybrid_metadata.hpp"
#include "lacuna/nn/hybrid_transformer.hpp"
#include "lacuna/nn/transformer.hpp"
#include "lacuna/train/hybrid_rows.hpp"
#include "lacuna/train/trainer.hpp"
#include "lacuna/train/weights_file.hpp"
#include "small_hybrids.hpp"

namespace {

using namespace lacuna;

static_assert(train::trainable_model<nn::trainable_verifier, nn::hybrid_examples>);

/// A trunk that stays as it is, and whose drafts are no good: the causal part has all to learn.
nn::hybrid_config small() {
  nn::hybrid_config c;
  c.trunk = small_networks::plain();
  c.trunk.max_length = 8;
  c.trunk.positions = nn::positions::rotary;
  return c;
}

/// Constant rows.
struct constants {
  std::vector<token> row = std::vector<token>(8);
  std::span<const token> operator()(random_stream& random) {
    std::fill(row.begin(), row.end(), static_cast<token>(1 + random.below(5)));
    return row;
  }
};

}  // namespace

TEST_CASE("a causal part learns on a frozen transformer, whose parameters are not among those that train and are saved") {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "lacuna_verifier_weights.safetensors";
  const nn::hybrid_config config = small();
  nn::transformer trunk{config.trunk, 3};
  nn::trainable_verifier net{config, trunk.parameters(), 4, 2};
  for (const nn::parameter& p : net.parameters().list()) CHECK(p.name.starts_with("verify."));

  train::hybrid_rows source{constants{}, 16};
  train::hybrid_batch test;
  random_stream random{5, stream_use::other};
  source(0, test, random);
  const nn::hybrid_loss before = net.loss(test.view());
  CHECK(before.draft == before.target);
  train::options<> options;
  options.steps = 150;
  options.schedule.peak = 5e-3;
  train::run(net, source, options);
  const nn::hybrid_loss after = net.loss(test.view());
  CHECK(after.draft == before.draft);
  CHECK(after.target < 0.6 * before.target);

  train::save_weights(path, net.parameters(), net.parameters().values(), nn::to_metadata(config));
  nn::parameters verifier;
  nn::verify_layout::add_to(verifier, config);
  const io::safetensors_file file{path};
  CHECK(nn::hybrid_from_metadata(file.metadata()) == config);
  train::load_weights(file, verifier);
  CHECK(std::equal(verifier.values().begin(), verifier.values().end(), net.parameters().values().begin()));
  nn::trainable_verifier again{config, trunk.parameters(), verifier, 2};
  CHECK(again.loss(test.view()).target == after.target);

  // The drafts of the joined network are the transformer's own.
  nn::hybrid_transformer joined{config, nn::join_parameters(config, trunk.parameters(), verifier)};
  const std::vector<token> tokens(8, config.trunk.mask_token);
  const token_batch batch = view_as_tensor(tokens.data(), std::array<std::size_t, 2>{1, 8});
  CHECK(joined(batch) == trunk(batch));
  std::filesystem::remove(path);
}

TEST_CASE("the loss and gradient of a verifier are the whole network's target loss and the last part of its gradient") {
  for (const small_hybrids::named_config& small : small_hybrids::all()) {
    CAPTURE(small.name);
    const nn::parameters whole = small_hybrids::shaken(small.config, 3);
    nn::transformer trunk{small.config.trunk, 0};
    nn::parameters verifier;
    nn::verify_layout::add_to(verifier, small.config);
    const std::size_t from = trunk.parameters().values().size();
    std::copy_n(whole.values().begin(), from, trunk.parameters().values().begin());
    std::copy(whole.values().begin() + static_cast<std::ptrdiff_t>(from), whole.values().end(), verifier.values().begin());
    const auto examples = small_hybrids::random_examples(small.config, {{9, 2}, {5, 4}}, 6);

    nn::trainable_verifier net{small.config, trunk.parameters(), verifier};
    std::vector<float> gradient(verifier.values().size(), 0.25F), expected(whole.values().size());
    const double loss = net.loss_and_gradient(examples.view(), gradient);
    nn::hybrid_training_pass pass{small.config};
    const nn::hybrid_loss all = pass(whole, examples.view(), expected);
    CHECK(loss == all.target);
    CHECK(net.last_loss().draft == doctest::Approx(all.draft / 14));
    CHECK(net.last_loss().target == doctest::Approx(all.target / 14));
    for (std::size_t i = 0; i < gradient.size(); ++i) CHECK(gradient[i] == 0.25F + expected[from + i]);
    std::vector<float> again(verifier.values().size(), 0.25F);
    CHECK(net.loss_and_gradient(examples.view(), again) == loss);
    CHECK(again == gradient);
  }
}

TEST_CASE("a verifier refuses a trunk of another shape") {
  nn::transformer_config other = small().trunk;
  other.width = 12;
  nn::transformer trunk{other, 3};
  CHECK_THROWS_AS((nn::trainable_verifier{small(), trunk.parameters(), 4}), invalid_argument);
}
