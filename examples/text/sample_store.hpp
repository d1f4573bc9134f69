/// @file
/// @brief Generated texts kept in a file of JSON lines, so that a long comparison can be interrupted and gone on with.
///
/// A line is a piece of a sampler's texts: used again for the same networks and seed only. A last line that was cut off is
/// dropped. Without a file everything is kept in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
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
  sample_store(std::string path, std::string networks, std::uint64_t seed, std::size_t piece_size);

  /// nullptr if it is not there.
  [[nodiscard]] const piece* find(const std::string& sampler, std::size_t number) const;
  /// Remembers it, and appends it to the file. Throws lacuna::file_error.
  const piece& add(const std::string& sampler, std::size_t number, piece p);

 private:
  void read_line(const std::string& line, std::size_t line_number);

  std::string path_;
  std::string networks_;
  std::uint64_t seed_;
  std::size_t piece_size_;
  std::map<std::pair<std::string, std::size_t>, piece> kept_;
};

}  // namespace text
