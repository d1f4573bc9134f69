/// @file
/// @brief Solved pieces of problems kept in a file of JSON lines, so that a long comparison can be interrupted and gone on
/// with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace arithmetic {

/// What a sampler made of some problems, in their order.
struct solved_piece {
  std::vector<std::size_t> steps;   ///< decoding passes
  std::vector<std::uint8_t> right;  ///< the answer is
  std::vector<std::uint8_t> chain;  ///< every step is too
  double probes = 0;                ///< rows scored for other purposes
  double seconds = 0;
};

class solved_store {
 public:
  /// Lines of the same problems and piece size are used again; an empty path keeps all in memory. A last line that was cut off
  /// is dropped. Throws lacuna::file_error for a file that is none of these, or cannot be read.
  solved_store(std::string path, std::string problems, std::size_t piece_size);

  /// nullptr if it is not there; `sampler` names network and sampler.
  [[nodiscard]] const solved_piece* find(const std::string& sampler, std::size_t number) const;
  /// Remembers it, and appends it to the file. Throws lacuna::file_error.
  const solved_piece& add(const std::string& sampler, std::size_t number, solved_piece p);

 private:
  void read_line(const std::string& line, std::size_t number);

  std::string path_, problems_;
  std::size_t piece_size_;
  std::map<std::pair<std::string, std::size_t>, solved_piece> kept_;
};

}  // namespace arithmetic
