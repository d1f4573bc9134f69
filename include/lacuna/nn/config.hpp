/// @file
/// @brief The shape of a transformer: everything that is fixed before there are parameters.
///
/// Plain data, set member by member; `check` says what does not fit. `nn/metadata.hpp` turns it into strings and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/token.hpp"

namespace lacuna::nn {

/// The nonlinearity between the two layers of a feed-forward part. `gelu` in its tanh form, `gelu_erf` in the exact one (that
/// of ESM-2; the two differ by 5e-4 at most, but weights were made for one of them); `swiglu` gates a second up-projection.
enum class activation { gelu, gelu_erf, swiglu };

/// Whether it takes two numbers for each that it gives.
constexpr bool is_gated(activation a) { return a == activation::swiglu; }

/// `layer` subtracts the mean and has a bias; `rms` does neither.
enum class norm_kind { layer, rms };

/// How the network learns where a token stands: not at all (then `features` or `relation` must say it), a learned vector per
/// position, or queries and keys rotated by an angle that grows with the position.
enum class positions { none, learned, rotary };

/// The output projection: the token embedding again, or a matrix of its own.
enum class head_kind { tied, own };

/// A learned vector per class of positions, added to the token's embedding: the row, column or box of a cell, say.
struct position_feature {
  std::string name;
  std::vector<std::uint32_t> ids;  ///< [max_length], each < count
  std::size_t count = 0;

  bool operator==(const position_feature&) const = default;
};

/// A learned number per layer, head and class of pairs of positions, added to the attention scores.
struct position_relation {
  std::vector<std::uint32_t> ids;  ///< [max_length, max_length], query first, each < count
  std::size_t count = 0;           ///< R
  std::vector<float> initial;      ///< [H, R], the same for every layer; empty means zero

  bool operator==(const position_relation&) const = default;
};

/// The greatest depth: far more than anybody trains, and little enough memory where blocks are shared.
inline constexpr std::size_t most_blocks = std::size_t{1} << 16U;

/// The shape of a bidirectional pre-norm encoder.
struct transformer_config {
  std::size_t vocabulary = 0;  ///< V
  std::size_t max_length = 0;  ///< longest row
  std::size_t width = 0;       ///< D
  std::size_t depth = 0;       ///< number of blocks
  /// How many of them have parameters of their own, 0 for all: block i uses those of block i % distinct_blocks, a stack that is
  /// gone through several times (Dehghani et al., Universal Transformers, 2019). Relations stay one a block.
  std::size_t distinct_blocks = 0;
  std::size_t heads = 1;         ///< H, divides D
  std::size_t feed_forward = 0;  ///< F, width inside the feed-forward part
  nn::activation activation = nn::activation::gelu;
  norm_kind norm = norm_kind::layer;
  nn::positions positions = nn::positions::none;
  head_kind head = head_kind::tied;
  std::vector<position_feature> features;
  std::optional<position_relation> relation;
  float norm_epsilon = 1e-5F;
  float rotary_base = 10000.0F;

  token mask_token = 0;
  std::vector<token> forbidden_tokens;  ///< never to be generated, besides the mask
  std::optional<token> end_token;

  /// Blocks with parameters of their own.
  [[nodiscard]] std::size_t own_blocks() const { return distinct_blocks == 0 ? depth : distinct_blocks; }
  [[nodiscard]] std::size_t head_width() const { return width / heads; }
  /// Columns of the first feed-forward matrix: gate and value lie side by side.
  [[nodiscard]] std::size_t up_width() const { return is_gated(activation) ? 2 * feed_forward : feed_forward; }

  bool operator==(const transformer_config&) const = default;
};

/// Throws invalid_argument naming the first member that does not fit.
inline void check(const transformer_config& c) {
  const auto require = [](bool holds, const std::string& what) {
    if (!holds) throw invalid_argument("transformer_config: " + what);
  };
  const auto positive = [&](std::size_t value, const char* name) {
    require(value > 0, std::string{name} + " is 0, expected at least 1");
  };
  positive(c.vocabulary, "vocabulary");
  positive(c.max_length, "max_length");
  positive(c.width, "width");
  positive(c.depth, "depth");
  require(c.depth <= most_blocks, "depth is " + std::to_string(c.depth) + ", expected at most " + std::to_string(most_blocks));
  require(c.distinct_blocks <= c.depth, "distinct_blocks is " + std::to_string(c.distinct_blocks) +
                                            ", expected at most the depth, " + std::to_string(c.depth));
  positive(c.heads, "heads");
  positive(c.feed_forward, "feed_forward");
  require(c.width % c.heads == 0,
          "width " + std::to_string(c.width) + " is not a multiple of heads " + std::to_string(c.heads));
  require(c.positions != positions::rotary || c.head_width() % 2 == 0,
          "width / heads is " + std::to_string(c.head_width()) + ", expected an even number for rotary positions");
  require(c.norm_epsilon > 0, "norm_epsilon is " + std::to_string(c.norm_epsilon) + ", expected a positive number");
  require(c.rotary_base > 1, "rotary_base is " + std::to_string(c.rotary_base) + ", expected more than 1");
  const auto in_vocabulary = [&](token t, const char* name) {
    require(t >= 0 && static_cast<std::size_t>(t) < c.vocabulary,
            std::string{name} + " is " + std::to_string(t) + ", expected 0.." + std::to_string(c.vocabulary - 1));
  };
  in_vocabulary(c.mask_token, "mask_token");
  for (const token t : c.forbidden_tokens) in_vocabulary(t, "forbidden_tokens");
  if (c.end_token) in_vocabulary(*c.end_token, "end_token");
  const auto table = [&](const std::vector<std::uint32_t>& ids, std::size_t size, std::size_t count, const std::string& name) {
    require(ids.size() == size, name + " has " + std::to_string(ids.size()) + " ids, expected " + std::to_string(size));
    for (const std::uint32_t id : ids)
      require(id < count,
              name + " has the id " + std::to_string(id) + ", expected less than its count " + std::to_string(count));
  };
  std::vector<std::string> names{"token", "position"};
  for (const position_feature& f : c.features) {
    require(!f.name.empty(), "a feature has no name");
    for (const std::string& other : names) require(f.name != other, "two embeddings are called '" + f.name + "'");
    names.push_back(f.name);
    table(f.ids, c.max_length, f.count, "feature '" + f.name + "'");
  }
  if (c.relation) {
    require(c.max_length <= std::size_t{1} << 16U,
            "max_length is " + std::to_string(c.max_length) + ", expected at most 65536 with a relation");
    table(c.relation->ids, c.max_length * c.max_length, c.relation->count, "relation");
    require(c.relation->initial.empty() || c.relation->initial.size() == c.heads * c.relation->count,
            "relation has " + std::to_string(c.relation->initial.size()) +
                " initial values, expected heads x count = " + std::to_string(c.heads * c.relation->count));
  }
}

}  // namespace lacuna::nn
