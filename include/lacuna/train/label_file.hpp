/// @file
/// @brief Labelled contexts in a safetensors file, written atomically.
///
/// C contexts with N positions, P probed positions and Q numbers together: "length" [C], "tokens" [N], "probes" [C], "probed"
/// [P], "information" [Q], all as float32 (whole numbers below 2^24). Metadata are the caller's; what it expects must be found.
/// Errors: file_error that names the file and what does not fit; invalid_argument for a context that cannot be written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/token.hpp"
#include "lacuna/io/safetensors.hpp"
#include "lacuna/train/labelled_context.hpp"

namespace lacuna::train {

inline void write_labels(const std::filesystem::path& path, std::span<const labelled_context> contexts,
                         const std::map<std::string, std::string>& metadata = {}) {
  std::vector<float> length, tokens, probes, probed, information;
  for (const labelled_context& c : contexts) {
    const std::size_t masked = c.masked_positions().size();
    if (c.information.size() != c.probed.size() * masked)
      throw invalid_argument("labels: " + std::to_string(c.information.size()) + " numbers of a context with " +
                             std::to_string(c.probed.size()) + " of " + std::to_string(masked) +
                             " masked positions probed, expected their product");
    length.push_back(static_cast<float>(c.tokens.size()));
    probes.push_back(static_cast<float>(c.probed.size()));
    for (const token t : c.tokens) tokens.push_back(static_cast<float>(t));
    for (const std::size_t i : c.probed) probed.push_back(static_cast<float>(i));
    information.insert(information.end(), c.information.begin(), c.information.end());
  }
  const std::vector<io::output_tensor> tensors{{"length", {length.size()}, length},
                                               {"tokens", {tokens.size()}, tokens},
                                               {"probes", {probes.size()}, probes},
                                               {"probed", {probed.size()}, probed},
                                               {"information", {information.size()}, information}};
  io::write_safetensors(path, tensors, metadata);
}

inline std::vector<labelled_context> read_labels(const std::filesystem::path& path,
                                                 const std::map<std::string, std::string>& metadata = {}) {
  const io::safetensors_file file{path};
  const auto complain = [&](const std::string& what) { throw file_error(path.string() + ": " + what); };
  file.expect_metadata(metadata);
  const auto read = [&](const std::string& name) {
    const io::tensor_entry& entry = file.at(name);
    if (entry.shape.size() != 1) complain("tensor \"" + name + "\" is not a list");
    std::vector<float> values(entry.shape[0]);
    file.read_finite(name, entry.shape, values);
    return values;
  };
  file.expect_only({"length", "tokens", "probes", "probed", "information"});
  const std::vector<float> length = read("length");
  const std::vector<float> tokens = read("tokens");
  const std::vector<float> probes = read("probes");
  const std::vector<float> probed = read("probed");
  const std::vector<float> information = read("information");
  if (probes.size() != length.size()) complain("\"length\" and \"probes\" speak of different numbers of contexts");
  const auto whole = [&](float x, double least) {
    const auto value = static_cast<long long>(x);
    if (static_cast<float>(value) != x || static_cast<double>(x) < least || x > 16777216.0F)
      complain("holds " + std::to_string(x) + " where a whole number is expected");
    return value;
  };
  std::size_t next_token = 0;
  std::size_t next_probe = 0;
  std::size_t next_number = 0;
  const auto part = [&](const std::vector<float>& all, std::size_t& next, std::size_t count, const char* name) {
    if (count > all.size() - next) complain(std::string{"\""} + name + "\" ends early");
    next += count;
    return std::span{all}.subspan(next - count, count);
  };
  std::vector<labelled_context> out(length.size());
  for (std::size_t c = 0; c < out.size(); ++c) {
    labelled_context& context = out[c];
    for (const float t : part(tokens, next_token, static_cast<std::size_t>(whole(length[c], 0)), "tokens"))
      context.tokens.push_back(static_cast<token>(whole(t, labelled_context::masked)));
    for (const float i : part(probed, next_probe, static_cast<std::size_t>(whole(probes[c], 0)), "probed")) {
      context.probed.push_back(static_cast<std::size_t>(whole(i, 0)));
      const std::size_t at = context.probed.back();
      if (at >= context.tokens.size() || context.tokens[at] != labelled_context::masked ||
          (context.probed.size() > 1 && context.probed[context.probed.size() - 2] >= at))
        complain("context " + std::to_string(c) + " has position " + std::to_string(at) +
                 " probed, expected masked ones, ascending");
    }
    const auto numbers =
        part(information, next_number, context.probed.size() * context.masked_positions().size(), "information");
    context.information.assign(numbers.begin(), numbers.end());
  }
  if (next_token != tokens.size() || next_probe != probed.size() || next_number != information.size())
    complain("holds more than its contexts account for");
  return out;
}

}  // namespace lacuna::train
