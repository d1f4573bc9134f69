/// @file
/// @brief A sampler as text, `name` or `name:key=value,key=value`, and the reading of its parameters.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/number_text.hpp"

namespace common {

struct sampler_spec {
  std::string name;
  std::map<std::string, std::string, std::less<>> given;
};

/// Throws lacuna::invalid_argument for a text that is not of the form, or a key named twice.
inline sampler_spec parse_spec(std::string_view text) {
  const auto quoted = [](std::string_view part) {
    std::string q = "\"";
    q += part;
    return q += '"';
  };
  const auto refuse = [&](const std::string& why) {
    throw lacuna::invalid_argument("sampler " + quoted(text) + ": " + why + ", expected NAME or NAME:key=value,key=value");
  };
  sampler_spec spec;
  const std::size_t colon = text.find(':');
  spec.name = std::string(text.substr(0, colon));
  if (spec.name.empty()) refuse("no name");
  if (colon == std::string_view::npos) return spec;
  std::string_view rest = text.substr(colon + 1);
  for (;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view pair = rest.substr(0, comma);
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == pair.size()) refuse(quoted(pair) + " is no key=value");
    if (!spec.given.emplace(pair.substr(0, equals), pair.substr(equals + 1)).second)
      refuse(quoted(pair.substr(0, equals)) + " is given twice");
    if (comma == std::string_view::npos) return spec;
    rest.remove_prefix(comma + 1);
  }
}

/// The spec with that temperature, unless it says one itself. Throws as parse_spec does.
inline std::string with_temperature(const std::string& text, double temperature) {
  const sampler_spec spec = parse_spec(text);
  if (temperature == 0 || spec.given.contains("temperature")) return text;
  return text + (spec.given.empty() ? ":" : ",") + "temperature=" + lacuna::number_text(temperature);
}

/// A parameter of a sampler: a whole number, a number or a word.
struct parameter {
  std::string key;
  std::variant<std::size_t, double, std::string> value;

  /// The value as it may stand in a spec.
  [[nodiscard]] std::string text() const {
    if (const auto* word = std::get_if<std::string>(&value)) return *word;
    if (const auto* whole = std::get_if<std::size_t>(&value)) return std::to_string(*whole);
    return lacuna::number_text(std::get<double>(value));
  }
};

/// Reads the parameters of a spec one by one, remembering the value of each, so that what was not asked for can be refused and
/// what was used be listed.
class parameter_reader {
 public:
  explicit parameter_reader(sampler_spec spec) : spec_{std::move(spec)} {}

  double number(const std::string& key, double fallback) {
    const double x = read(key, fallback, "a number");
    if (!std::isfinite(x)) refuse(key, "a finite number");
    return use(key, x);
  }
  std::size_t count(const std::string& key, std::size_t fallback) { return use(key, read(key, fallback, "a whole number")); }

  std::string word(const std::string& key, std::string_view fallback, std::initializer_list<std::string_view> choices) {
    const auto at = spec_.given.find(key);
    const std::string chosen = at == spec_.given.end() ? std::string(fallback) : at->second;
    if (std::find(choices.begin(), choices.end(), chosen) == choices.end()) {
      std::string all;
      for (const std::string_view choice : choices) all += (all.empty() ? "one of " : ", ") + std::string(choice);
      refuse(key, all);
    }
    return use(key, chosen);
  }

  /// Any word: a file, say.
  std::string text(const std::string& key, const std::string& fallback) {
    const auto at = spec_.given.find(key);
    return use(key, at == spec_.given.end() ? fallback : at->second);
  }

  [[nodiscard]] bool has(const std::string& key) const { return spec_.given.contains(key); }
  [[nodiscard]] const std::string& name() const { return spec_.name; }
  [[nodiscard]] const std::vector<parameter>& all() const { return used_; }

  /// Throws lacuna::invalid_argument if a parameter was given that nothing asked for.
  void finish() const {
    for (const auto& entry : spec_.given) {
      const std::string& key = entry.first;
      if (std::any_of(used_.begin(), used_.end(), [&](const parameter& p) { return p.key == key; })) continue;
      std::string all;
      for (const parameter& p : used_) all += (all.empty() ? "" : ", ") + p.key;
      refuse("unknown parameter \"" + key + "\", expected " + all);
    }
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw lacuna::invalid_argument("sampler " + spec_.name + ": " + why);
  }

 private:
  template <class Number>
  [[nodiscard]] Number read(const std::string& key, Number fallback, const char* expected) const {
    const auto at = spec_.given.find(key);
    if (at == spec_.given.end()) return fallback;
    const std::string& text = at->second;
    Number x{};
    if (!lacuna::read_number(text, x)) refuse(key, expected);
    return x;
  }
  template <class Value>
  Value use(const std::string& key, Value value) {
    used_.push_back({key, value});
    return value;
  }
  [[noreturn]] void refuse(const std::string& key, const std::string& expected) const {
    refuse(key + "=" + spec_.given.at(key) + ", expected " + expected);
  }

  sampler_spec spec_;
  std::vector<parameter> used_;
};

}  // namespace common
