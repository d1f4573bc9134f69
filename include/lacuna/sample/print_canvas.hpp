/// @file
/// @brief print_canvas: an observer that prints a row as it fills in.
///
/// ```cpp
/// auto watch = lacuna::sample::print_canvas(std::cout, [&](lacuna::token t) { return words[t]; });
/// lacuna::decode(model, canvas, sampler, seed, watch);
/// lacuna::sample::print_canvas grid(std::cout, digit, {.columns = 9});
/// ```
/// On a terminal the canvas is redrawn in place with what is new in bold; elsewhere every step is printed below the last one,
/// without escape codes. Tokens are UTF-8 text; without `columns` they are joined as they are and lines are broken at `width`,
/// with `columns` they are padded to equal width. O(L) a step.
#pragma once

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/concepts/observer.hpp"
#include "lacuna/core/canvas.hpp"
#include "lacuna/core/token.hpp"

namespace lacuna::sample {

/// How steps follow each other.
enum class print_style : std::uint8_t {
  by_stream,  ///< in place if the stream is std::cout, std::cerr or std::clog on a terminal, else below
  in_place,   ///< with ANSI escape codes
  below       ///< plain text
};

struct print_options {
  std::size_t columns = 0;  ///< positions a line; 0: running text
  std::size_t width = 80;   ///< characters a line of running text
  std::size_t row = 0;      ///< which row of a batch
  std::string mask = "_";   ///< shown at masked positions
  print_style style = print_style::by_stream;
};

/// Whether what is written to `out` reaches a terminal.
inline bool is_terminal([[maybe_unused]] const std::ostream& out) {
#if __has_include(<unistd.h>)
  if (out.rdbuf() == std::cout.rdbuf()) return ::isatty(STDOUT_FILENO) != 0;
  if (out.rdbuf() == std::cerr.rdbuf() || out.rdbuf() == std::clog.rdbuf()) return ::isatty(STDERR_FILENO) != 0;
#endif
  return false;
}

template <class ToText>
class print_canvas {
 public:
  /// `to_text(token)` gives something a std::string can be made of. Refers to the stream.
  print_canvas(std::ostream& out, ToText to_text, print_options options = {})
      : out_{&out}, to_text_{std::move(to_text)}, options_{std::move(options)} {
    in_place_ = options_.style == print_style::in_place || (options_.style == print_style::by_stream && is_terminal(out));
  }

  void start(std::size_t row, const canvas& c) {
    if (row != options_.row) return;
    lines_ = 0;
    print("start", c, {});
  }

  void operator()(const step_event& e) {
    if (e.row == options_.row) print("step " + std::to_string(e.step), *e.sequence, e.committed);
  }

 private:
  void print(const std::string& title, const canvas& c, std::span<const std::size_t> fresh) {
    std::string s;
    if (in_place_ && lines_ > 0) s += "\x1b[" + std::to_string(lines_) + "A\r\x1b[J";  // up, and erase from there
    lines_ = 0;
    s += title + ": " + std::to_string(c.count(cell::masked)) + " masked";
    end_line(s);

    bold_.assign(c.size(), 0);
    for (const std::size_t i : fresh) bold_[i] = 1;
    texts_.resize(c.size());
    std::size_t widest = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      texts_[i] = c.is_masked(i) ? options_.mask : std::string(to_text_(c[i]));
      for (char& letter : texts_[i])
        if (static_cast<unsigned char>(letter) < 32 || letter == 127) letter = ' ';  // nothing that moves the cursor
      widest = std::max(widest, characters(texts_[i]));
    }
    std::size_t used = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      const std::size_t wide = characters(texts_[i]);
      if (options_.columns > 0) {
        if (i > 0) i % options_.columns == 0 ? end_line(s) : s.push_back(' ');
        s.append(widest - wide, ' ');
      } else if (used > 0 && used + wide > options_.width) {
        end_line(s);
        used = 0;
      }
      used += wide;
      s += in_place_ && bold_[i] != 0 ? "\x1b[1m" + texts_[i] + "\x1b[0m" : texts_[i];
    }
    end_line(s);
    *out_ << s << std::flush;
  }

  void end_line(std::string& s) {
    s += '\n';
    ++lines_;
  }

  /// Code points of UTF-8 text.
  static std::size_t characters(const std::string& s) {
    return static_cast<std::size_t>(
        std::count_if(s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
  }

  std::ostream* out_;
  ToText to_text_;
  print_options options_;
  bool in_place_ = false;
  std::size_t lines_ = 0;  // printed last time
  std::vector<std::string> texts_;
  std::vector<std::uint8_t> bold_;
};

}  // namespace lacuna::sample
