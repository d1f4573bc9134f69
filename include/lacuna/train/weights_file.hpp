/// @file
/// @brief Saves and loads the weights of a network as a safetensors file, with its configuration as metadata.
///
/// float32 keeps the weights exactly, half precision and bfloat16 halve the file. Loading converts whatever floating type it
/// finds. Errors: `file_error` naming the tensor: missing, unexpected, another shape, not finite; the network is then
/// unchanged. `model_error` for weights that are not finite, which could not be loaded: what was at the path is then still
/// there.
/// @code
/// save_weights("best.safetensors", net.parameters(), state.average.values, config_metadata, io::element_type::f16);
/// load_weights("best.safetensors", net.parameters());
///
/// const io::safetensors_file file{"found.safetensors"};  // a network of whatever shape is in the file
/// const auto config = nn::from_metadata(file.metadata());
/// expect_size(file, config);
/// nn::transformer net{config, 0};
/// load_weights(file, net.parameters());
/// @endcode
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <iomanip>
#include <map>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/io/safetensors.hpp"
#include "lacuna/nn/config.hpp"
#include "lacuna/nn/layout.hpp"
#include "lacuna/nn/parameters.hpp"

namespace lacuna::train {

namespace detail {
/// One output tensor per parameter, with the values of `flat`, which has the parameters' layout; for the file `path`.
inline void append_tensors(std::vector<io::output_tensor>& tensors, const std::filesystem::path& path,
                           const std::string& prefix, const nn::parameters& parameters, std::span<const float> flat,
                           io::element_type type) {
  if (flat.size() != parameters.values().size()) {
    throw invalid_argument{"saving \"" + prefix + "\": " + std::to_string(flat.size()) + " values, expected " +
                           std::to_string(parameters.values().size())};
  }
  for (const nn::parameter& p : parameters.list()) {
    for (std::size_t i = 0; i < p.size; ++i) {
      const float x = flat[p.offset + i];
      if (!std::isfinite(x))
        throw model_error{path.string() + ": not written: \"" + prefix + p.name + "\" holds " + std::to_string(x) +
                          " at element " + std::to_string(i) + ", expected finite numbers"};
    }
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
  detail::append_tensors(tensors, path, "", parameters, values, type);
  io::write_safetensors(path, tensors, metadata);
}

/// Throws `file_error` unless the file holds as many numbers as a network of this shape. Asked before that network is made, so
/// that a damaged file cannot ask for all memory. Anything with a `parameter_count`: nn::transformer_config, a head's.
template <class Config>
void expect_size(const io::safetensors_file& file, const Config& config) {
  std::size_t held = 0;
  for (const io::tensor_entry& entry : file.entries()) held += (entry.end - entry.begin) / io::size_of(entry.type);
  const double expected = parameter_count(config);
  if (static_cast<double>(held) == expected) return;
  std::ostringstream message;
  message << file.path() << ": holds " << held << " numbers, its metadata describe a network of " << std::setprecision(15)
          << expected;
  throw file_error{message.str()};
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
