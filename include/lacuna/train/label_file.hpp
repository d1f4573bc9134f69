/// @file
/// @brief Labelled contexts in a safetensors file, written atomically.
///
/// C contexts with N positions, P probed positions and Q numbers together: "length" [C], "tokens" [N], "probes" [C], "probed"
/// [P], "information" [Q], all as float32; whole numbers are at most 2^24, up to where a float holds all of them. Metadata are
/// the caller's; what it expects must be found, more may be there. Errors: file_error that names the file and what does not
/// fit; invalid_argument for a context that could not be read again.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
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

namespace detail {

inline constexpr std::size_t largest_in_label_file = std::size_t{1} << 24U;

/// What is wrong with a context, in words; empty if nothing is.
inline std::string fault_of(const labelled_context& c) {
  if (c.tokens.size() > largest_in_label_file) return std::to_string(c.tokens.size()) + " tokens, expected at most 2^24";
  for (const token t : c.tokens)
    if (t < labelled_context::masked || (t >= 0 && static_cast<std::size_t>(t) > largest_in_label_file))
      return "token " + std::to_string(t) + ", expected -1 for a masked position, or 0 to 2^24";
  for (std::size_t k = 0; k < c.probed.size(); ++k) {
    const std::size_t at = c.probed[k];
    if (at >= c.tokens.size() || c.tokens[at] != labelled_context::masked || (k > 0 && c.probed[k - 1] >= at))
      return "position " + std::to_string(at) + " probed, expected masked ones, ascending";
  }
  const std::size_t masked = c.masked_positions().size();
  if (c.information.size() != c.probed.size() * masked)
    return std::to_string(c.information.size()) + " numbers, expected " + std::to_string(c.probed.size()) + " probed times " +
           std::to_string(masked) + " masked positions";
  for (const float x : c.information)
    if (!std::isfinite(x)) return "information of " + std::to_string(x) + ", expected finite numbers";
  return {};
}

}  // namespace detail

inline void write_labels(const std::filesystem::path& path, std::span<const labelled_context> contexts,
                         const std::map<std::string, std::string>& metadata = {}) {
  std::vector<float> length, tokens, probes, probed, information;
  for (std::size_t k = 0; k < contexts.size(); ++k) {
    const labelled_context& c = contexts[k];
    if (const std::string fault = detail::fault_of(c); !fault.empty())
      throw invalid_argument("labels: context " + std::to_string(k) + " has " + fault);
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
  const auto whole = [&](float x, const char* name, float least = 0) {
    constexpr auto most = static_cast<float>(detail::largest_in_label_file);
    if (!(x >= least && x <= most) || std::trunc(x) != x)
      complain(std::string{"\""} + name + "\" holds " + std::to_string(x) + ", expected whole numbers from " +
               std::to_string(static_cast<int>(least)) + " to 2^24");
    return static_cast<std::int32_t>(x);
  };
  const auto size = [&](float x, const char* name) { return static_cast<std::size_t>(whole(x, name)); };
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
    for (const float t : part(tokens, next_token, size(length[c], "length"), "tokens"))
      context.tokens.push_back(whole(t, "tokens", labelled_context::masked));
    for (const float i : part(probed, next_probe, size(probes[c], "probes"), "probed"))
      context.probed.push_back(size(i, "probed"));
    const auto numbers =
        part(information, next_number, context.probed.size() * context.masked_positions().size(), "information");
    context.information.assign(numbers.begin(), numbers.end());
    if (const std::string fault = detail::fault_of(context); !fault.empty())
      complain("context " + std::to_string(c) + " has " + fault);
  }
  if (next_token != tokens.size() || next_probe != probed.size() || next_number != information.size())
    complain("holds more than its contexts account for");
  return out;
}

}  // namespace lacuna::train
