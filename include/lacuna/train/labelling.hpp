/// @file
/// @brief Makes the labels that heads on pairs are trained on, in chunks that any number of processes share out.
///
/// ```cpp
/// const auto contexts = [&](std::size_t chunk, lacuna::random_stream& random) { return std::vector<lacuna::canvas>{…}; };
/// lacuna::train::label(model, lacuna::mi::pruned{1e-4}, contexts, "labels", {.chunks = 100, .rows = 4});
/// const std::vector<lacuna::train::labelled_context> all = lacuna::train::read_chunks("labels", 100);
/// ```
/// Chunk c is made of (seed, c) alone and is a file of its own, labels-000000.safetensors and so on, written atomically: a run
/// that was interrupted goes on where it was, with any number of processes. Process `part` of `parts` makes the chunks with c
/// mod parts = part, whichever of them are there: chunks cost about the same, so that nothing better is needed, and nobody need
/// talk to anybody. The files are the same, byte for byte, whoever makes them, where the model's numbers are (machines whose
/// processors round alike). Under MPI `part` is the rank, `parts` the size of the communicator. Metadata that are given are
/// kept in every file, and a file that is there already must have the same: say in them what the labels were made of.
///
/// Cost: for each context one row and those of the estimator, `rows` probed positions times the values put in. Errors: those of
/// mi::estimate; file_error for a folder that cannot be written to, and for a file that is broken or of other metadata, which
/// is left as it is; invalid_argument.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "lacuna/concepts/mi_estimator.hpp"
#include "lacuna/core/canvas.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/io/safetensors.hpp"
#include "lacuna/mi/estimate.hpp"
#include "lacuna/train/label_file.hpp"
#include "lacuna/train/labelled_context.hpp"

namespace lacuna::train {

/// Makes the contexts of a chunk, of its number and the stream alone.
template <class S>
concept context_source = requires(S& source, std::size_t chunk, random_stream& random) {
  { source(chunk, random) } -> std::same_as<std::vector<canvas>>;
};

struct label_options {
  std::size_t chunks = 1;
  std::size_t rows = 4;  ///< positions of a context to probe, chosen at random; 0: all
  std::size_t rows_per_call = 256;
  std::uint64_t seed = 0;
  std::size_t part = 0;  ///< of `parts`, from 0
  std::size_t parts = 1;
};

/// Probes these contexts; the positions are drawn from `random`.
template <decodable_model M, mi_estimator_for<M> E>
std::vector<labelled_context> label_contexts(M& model, const E& estimator, std::span<const canvas> contexts, std::size_t rows,
                                             random_stream& random, std::size_t rows_per_call = 256) {
  std::vector<mi::question> questions;
  for (const canvas& c : contexts) {
    std::vector<std::size_t> positions;
    for (std::size_t i = 0; i < c.size(); ++i)
      if (c.is_masked(i)) positions.push_back(i);
    if (rows != 0 && rows < positions.size()) {
      random.shuffle<std::size_t>(positions);
      positions.resize(rows);
      std::sort(positions.begin(), positions.end());
    }
    const std::uint64_t stream = questions.size();
    questions.push_back({c, std::move(positions), stream});
  }
  const mi::estimates found = mi::estimate(model, questions, estimator, {rows_per_call, random.bits()});
  std::vector<labelled_context> out(contexts.size());
  for (std::size_t q = 0; q < out.size(); ++q) {
    const mi::information& of = found.of[q];
    for (std::size_t i = 0; i < contexts[q].size(); ++i)
      out[q].tokens.push_back(contexts[q].is_masked(i) ? labelled_context::masked : contexts[q][i]);
    out[q].probed = *questions[q].rows;
    for (std::size_t a = 0; a < of.size(); ++a)
      if (std::binary_search(out[q].probed.begin(), out[q].probed.end(), of.positions[a]))
        for (std::size_t b = 0; b < of.size(); ++b) out[q].information.push_back(static_cast<float>(of.raw(a, b)));
  }
  return out;
}

/// Where chunk c is.
inline std::filesystem::path chunk_path(const std::filesystem::path& folder, std::size_t chunk) {
  char name[48];
  std::snprintf(name, sizeof name, "labels-%06zu.safetensors", chunk);
  return folder / name;
}

/// Makes this part's chunks that are not there yet; `tell(done, mine)` after each.
template <decodable_model M, mi_estimator_for<M> E, context_source Source,
          std::invocable<std::size_t, std::size_t> Tell = void (*)(std::size_t, std::size_t)>
void label(
    M& model, const E& estimator, Source&& source, const std::filesystem::path& folder, const label_options& options,
    const std::map<std::string, std::string>& metadata = {}, Tell&& tell = [](std::size_t, std::size_t) {}) {
  if (options.parts == 0 || options.part >= options.parts)
    throw invalid_argument("labels: part " + std::to_string(options.part) + " of " + std::to_string(options.parts) +
                           ", expected one below that number");
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw file_error(folder.string() + ": cannot be made: " + failed.message());
  const std::size_t mine = options.chunks / options.parts + (options.part < options.chunks % options.parts ? 1 : 0);
  std::size_t done = 0;
  for (std::size_t chunk = options.part; chunk < options.chunks; chunk += options.parts) {
    const std::filesystem::path path = chunk_path(folder, chunk);
    const bool there = std::filesystem::exists(path, failed);
    if (failed) throw file_error(path.string() + ": cannot be looked at: " + failed.message());
    if (there) {
      io::safetensors_file{path}.expect_metadata(metadata);
    } else {
      random_stream random{options.seed, stream_use::training, chunk, 0};
      const std::vector<canvas> contexts = source(chunk, random);
      write_labels(path, label_contexts(model, estimator, contexts, options.rows, random, options.rows_per_call), metadata);
    }
    tell(++done, mine);
  }
}

/// All chunks of a folder, in order. Throws file_error if one is missing or has other metadata.
inline std::vector<labelled_context> read_chunks(const std::filesystem::path& folder, std::size_t chunks,
                                                 const std::map<std::string, std::string>& metadata = {}) {
  std::vector<labelled_context> all;
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    std::vector<labelled_context> some = read_labels(chunk_path(folder, chunk), metadata);
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace lacuna::train
