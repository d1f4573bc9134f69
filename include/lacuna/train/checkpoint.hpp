/// @file
/// @brief A training run in a file: weights, moments, average, step. Resuming continues bit for bit.
///
/// One safetensors file in float32: the weights under "weights.", Adam's moments under "adam.first." and "adam.second.", the
/// moving average under "average.", and the counters as metadata under "train.". It is replaced atomically: an interrupted
/// write leaves the previous checkpoint. Size: four times the weights.
/// Errors: `file_error` naming the tensor or the key; weights and state are then unchanged. `model_error` for a run that is no
/// longer finite: it could not be resumed, so the previous checkpoint stays. Metadata given by the caller (the
/// network's configuration) must agree on loading, so that a run is not resumed with another number of heads, say.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/number_text.hpp"
#include "lacuna/io/safetensors.hpp"
#include "lacuna/nn/parameters.hpp"
#include "lacuna/train/training_state.hpp"
#include "lacuna/train/weights_file.hpp"

namespace lacuna::train {

namespace detail {

inline const std::string checkpoint_format = "lacuna training checkpoint 1";

template <class T>
void read_counter(const io::safetensors_file& file, const std::string& key, T& x) {
  const std::string& text = file.metadata_at(key);
  bool good = read_number(text, x);
  if constexpr (std::floating_point<T>) good = good && std::isfinite(x);  // a text may say "nan"
  if (!good) throw file_error{file.path() + ": metadata \"" + key + "\" is \"" + text + "\", expected a number"};
}

/// Calls `f(key, member)` for each counter of the state that is saved.
template <class State, class F>
void for_each_counter(State& state, F f) {
  f("train.seed", state.seed);
  f("train.step", state.step);
  f("train.rows", state.rows);
  f("train.elapsed", state.elapsed);
  f("train.adam.updates", state.optimizer.updates);
  f("train.average.updates", state.average.updates);
  f("train.loss.sum", state.loss.sum);
  f("train.loss.weight", state.loss.weight);
}

}  // namespace detail

/// Writes the run. `metadata` must not use keys that begin with "train.".
inline void save_checkpoint(const std::filesystem::path& path, const nn::parameters& parameters, const training_state& state,
                            std::map<std::string, std::string> metadata = {}) {
  for (const auto& entry : metadata) {
    if (entry.first.starts_with("train."))
      throw invalid_argument{"metadata key \"" + entry.first + "\" is the checkpoint's own"};
  }
  std::vector<io::output_tensor> tensors;
  const io::element_type type = io::element_type::f32;
  detail::append_tensors(tensors, path, "weights.", parameters, parameters.values(), type);
  detail::append_tensors(tensors, path, "adam.first.", parameters, state.optimizer.first, type);
  detail::append_tensors(tensors, path, "adam.second.", parameters, state.optimizer.second, type);
  detail::append_tensors(tensors, path, "average.", parameters, state.average.values, type);
  metadata["train.format"] = detail::checkpoint_format;
  detail::for_each_counter(state, [&](const char* key, const auto& x) { metadata[key] = number_text(x); });
  io::write_safetensors(path, tensors, metadata);
}

/// Reads a run back into a network of the same architecture; `metadata` is what must be found in the file.
inline training_state load_checkpoint(const std::filesystem::path& path, nn::parameters& parameters,
                                      const std::map<std::string, std::string>& metadata = {}) {
  const io::safetensors_file file{path};
  const std::string& format = file.metadata_at("train.format");
  if (format != detail::checkpoint_format) {
    throw file_error{file.path() + ": format \"" + format + "\", expected \"" + detail::checkpoint_format + "\""};
  }
  file.expect_metadata(metadata);
  const std::vector<float> weights = detail::read_tensors(file, "weights.", parameters);
  training_state state;
  state.optimizer.first = detail::read_tensors(file, "adam.first.", parameters);
  state.optimizer.second = detail::read_tensors(file, "adam.second.", parameters);
  state.average.values = detail::read_tensors(file, "average.", parameters);
  std::set<std::string, std::less<>> names;
  for (const nn::parameter& p : parameters.list()) {
    for (const char* prefix : {"weights.", "adam.first.", "adam.second.", "average."}) names.insert(prefix + p.name);
  }
  file.expect_only(names);
  detail::for_each_counter(state, [&](const char* key, auto& x) { detail::read_counter(file, key, x); });
  std::copy(weights.begin(), weights.end(), parameters.values().begin());
  return state;
}

}  // namespace lacuna::train
