/// @file
/// @brief Saves and loads the weights of a network as a safetensors file, with its configuration as metadata.
///
/// float32 keeps the weights exactly, half precision and bfloat16 halve the file. Loading converts whatever floating type it
/// finds. Errors: `file_error` naming the tensor: missing, unexpected, another shape, not finite; the network is then
/// unchanged.
/// @code
/// save_weights("best.safetensors", net.parameters(), state.average.values, config_metadata, io::element_type::f16);
/// load_weights("best.safetensors", net.parameters());
/// @endcode
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/io/safetensors.hpp"
#include "lacuna/nn/parameters.hpp"

namespace lacuna::train {

namespace detail {
/// One output tensor per parameter, with the values of `flat`, which has the parameters' layout.
inline void append_tensors(std::vector<io::output_tensor>& tensors, const std::string& prefix, const nn::parameters& parameters,
                           std::span<const float> flat, io::element_type type) {
  if (flat.size() != parameters.values().size()) {
    throw invalid_argument{"saving \"" + prefix + "\": " + std::to_string(flat.size()) + " values, expected " +
                           std::to_string(parameters.values().size())};
  }
  for (const nn::parameter& p : parameters.list()) {
    tensors.push_back({prefix + p.name, p.shape, flat.subspan(p.offset, p.size), type});
  }
}

/// The reverse.
inline std::vector<float> read_tensors(const io::safetensors_file& file, const std::string& prefix,
                                       const nn::parameters& parameters) {
  std::vector<float> flat(parameters.values().size());
  for (const nn::parameter& p : parameters.list()) {
    file.read_finite(prefix + p.name, p.shape, std::span{flat}.subspan(p.offset, p.size));
  }
  return flat;
}
}  // namespace detail

/// Writes `values`, which has the layout of `parameters`: the weights themselves, or their moving average.
inline void save_weights(const std::filesystem::path& path, const nn::parameters& parameters, std::span<const float> values,
                         const std::map<std::string, std::string>& metadata = {},
                         io::element_type type = io::element_type::f32) {
  std::vector<io::output_tensor> tensors;
  detail::append_tensors(tensors, "", parameters, values, type);
  io::write_safetensors(path, tensors, metadata);
}

/// Reads the weights of an open file into a network of the same tensors.
inline void load_weights(const io::safetensors_file& file, nn::parameters& parameters) {
  const std::vector<float> values = detail::read_tensors(file, "", parameters);
  std::set<std::string, std::less<>> names;
  for (const nn::parameter& p : parameters.list()) names.insert(p.name);
  file.expect_only(names);
  std::copy(values.begin(), values.end(), parameters.values().begin());
}

/// The same by path; returns the metadata.
inline std::map<std::string, std::string> load_weights(const std::filesystem::path& path, nn::parameters& parameters) {
  const io::safetensors_file file{path};
  load_weights(file, parameters);
  return file.metadata();
}

}  // namespace lacuna::train
