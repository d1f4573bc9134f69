/// @file
/// @brief Generated texts kept in a file of JSON lines, so that a long comparison can be interrupted and gone on with.
///
/// A line is a piece of a sampler's texts: used again for the same network and seed only. A last line that was cut off is
/// dropped. Without a file everything is kept in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace text {

/// So many texts, written together.
struct piece {
  std::vector<std::string> texts;
  std::vector<double> passes;
  double seconds = 0;
};

class sample_store {
 public:
  /// Reads what there is. Throws lacuna::file_error for a file that is none of these, or cannot be read.
  sample_store(std::string path, std::uint64_t seed, std::size_t piece_size);

  /// Piece `number` of a sampler on the network of that fingerprint; nullptr if it is not there.
  [[nodiscard]] const piece* find(const std::string& network, const std::string& sampler, std::size_t number) const;
  /// Remembers it, and appends it to the file. Throws lacuna::file_error.
  const piece& add(const std::string& network, const std::string& sampler, std::size_t number, piece p);

 private:
  void read_line(const std::string& line, std::size_t line_number);

  std::string path_;
  std::uint64_t seed_;
  std::size_t piece_size_;
  std::map<std::tuple<std::string, std::string, std::size_t>, piece> kept_;
};

}  // namespace text
