/// @file
/// @brief The answer of a check: which laws hold, which are broken and how, which could not be checked.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lacuna/core/errors.hpp"

namespace lacuna::testing {

enum class outcome : std::uint8_t {
  holds,
  broken,
  not_checked  ///< does not apply to this model, or rests on a law that is broken
};

/// One law and how it fared.
struct law {
  std::string name;
  outcome result = outcome::not_checked;
  std::string message;  ///< what was got and expected, or why it was not checked; empty if it holds
};

/// All laws in the order in which they were checked.
struct law_report {
  std::vector<law> laws;

  /// Whether no law is broken.
  [[nodiscard]] bool holds() const {
    return std::none_of(laws.begin(), laws.end(), [](const law& l) { return l.result == outcome::broken; });
  }
  /// The law of that name. Throws invalid_argument if there is none.
  [[nodiscard]] const law& operator[](std::string_view name) const {
    const auto found = std::find_if(laws.begin(), laws.end(), [&](const law& l) { return l.name == name; });
    if (found == laws.end()) throw invalid_argument("law_report: no law named '" + std::string(name) + "'");
    return *found;
  }
  /// Names of the broken laws.
  [[nodiscard]] std::vector<std::string> broken() const {
    std::vector<std::string> names;
    for (const law& l : laws)
      if (l.result == outcome::broken) names.push_back(l.name);
    return names;
  }

  /// One line a law.
  friend std::ostream& operator<<(std::ostream& out, const law_report& report) {
    for (const law& l : report.laws) {
      out << (l.result == outcome::holds ? "holds        " : l.result == outcome::broken ? "BROKEN       " : "not checked  ");
      out << l.name;
      if (!l.message.empty()) out << ": " << l.message;
      out << '\n';
    }
    return out;
  }
};

}  // namespace lacuna::testing
