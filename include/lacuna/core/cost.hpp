/// @file
/// @brief What a run cost: calls of the network and rows scored, by purpose.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lacuna {

/// Why rows were scored.
enum class purpose : std::uint8_t { decode, probe, draft, verify };
inline constexpr std::array all_purposes{purpose::decode, purpose::probe, purpose::draft, purpose::verify};

/// "decode", "probe", "draft" or "verify".
constexpr std::string_view to_string(purpose p) {
  constexpr std::array<std::string_view, all_purposes.size()> names{"decode", "probe", "draft", "verify"};
  return names[static_cast<std::size_t>(p)];
}

/// Number of function evaluations. One call of the network scores any number of rows (canvases); on parallel hardware calls
/// set the latency, rows the work.
struct nfe {
  struct count {
    std::size_t calls = 0;
    std::size_t rows = 0;
    friend bool operator==(const count&, const count&) = default;
  };
  std::array<count, all_purposes.size()> by{};

  [[nodiscard]] count& of(purpose p) { return by[static_cast<std::size_t>(p)]; }
  [[nodiscard]] const count& of(purpose p) const { return by[static_cast<std::size_t>(p)]; }
  [[nodiscard]] std::size_t calls() const { return by[0].calls + by[1].calls + by[2].calls + by[3].calls; }
  [[nodiscard]] std::size_t rows() const { return by[0].rows + by[1].rows + by[2].rows + by[3].rows; }

  nfe& operator+=(const nfe& other) {
    for (std::size_t i = 0; i < by.size(); ++i) {
      by[i].calls += other.by[i].calls;
      by[i].rows += other.by[i].rows;
    }
    return *this;
  }
  friend bool operator==(const nfe&, const nfe&) = default;
};

}  // namespace lacuna
