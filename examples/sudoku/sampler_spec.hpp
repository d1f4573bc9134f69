/// @file
/// @brief A sampler as text, `name` or `name:key=value,key=value`, and the reading of its parameters.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lacuna/core/errors.hpp"

namespace sudoku {

struct sampler_spec {
  std::string name;
  std::map<std::string, std::string, std::less<>> given;
};

/// Throws lacuna::invalid_argument for a text that is not of the form, or a key named twice.
inline sampler_spec parse_spec(std::string_view text) {
  const auto refuse = [&](const std::string& why) {
    throw lacuna::invalid_argument("sampler \"" + std::string(text) + "\": " + why +
                                   ", expected NAME or NAME:key=value,key=value");
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
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == pair.size())
      refuse("\"" + std::string(pair) + "\" is no key=value");
    if (!spec.given.emplace(pair.substr(0, equals), pair.substr(equals + 1)).second)
      refuse("\"" + std::string(pair.substr(0, equals)) + "\" is given twice");
    if (comma == std::string_view::npos) return spec;
    rest.remove_prefix(comma + 1);
  }
}

/// Reads the parameters of a spec one by one, remembering the value of each, so that what was not asked for can be refused and
/// what was used be listed.
class parameters {
 public:
  struct value {
    std::string key;
    std::string text;
    bool is_number;
  };

  explicit parameters(sampler_spec spec) : spec_{std::move(spec)} {}

  double number(const std::string& key, double fallback) {
    const std::string* text = given(key);
    if (text == nullptr) return used(key, shortest(fallback), true), fallback;
    double x = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), x);
    if (error != std::errc{} || end != text->data() + text->size()) refuse(key, *text, "a number");
    return used(key, shortest(x), true), x;
  }

  std::size_t count(const std::string& key, std::size_t fallback) {
    const std::string* text = given(key);
    if (text == nullptr) return used(key, std::to_string(fallback), true), fallback;
    std::size_t n = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), n);
    if (error != std::errc{} || end != text->data() + text->size()) refuse(key, *text, "a whole number");
    return used(key, std::to_string(n), true), n;
  }

  std::string word(const std::string& key, std::string_view fallback, std::initializer_list<std::string_view> choices) {
    const std::string* text = given(key);
    const std::string chosen = text == nullptr ? std::string(fallback) : *text;
    if (std::find(choices.begin(), choices.end(), chosen) == choices.end()) {
      std::string all;
      for (const std::string_view choice : choices) all += (all.empty() ? "" : ", ") + std::string(choice);
      refuse(key, chosen, "one of " + all);
    }
    return used(key, chosen, false), chosen;
  }

  [[nodiscard]] bool has(const std::string& key) const { return spec_.given.contains(key); }
  [[nodiscard]] const std::string& name() const { return spec_.name; }
  [[nodiscard]] const std::vector<value>& all() const { return used_; }

  /// Throws lacuna::invalid_argument if a parameter was given that nothing asked for.
  void finish() const {
    for (const auto& [key, text] : spec_.given) {
      const bool known = std::any_of(used_.begin(), used_.end(), [&, &k = key](const value& v) { return v.key == k; });
      if (known) continue;
      std::string all;
      for (const value& v : used_) all += (all.empty() ? "" : ", ") + v.key;
      throw lacuna::invalid_argument("sampler " + spec_.name + ": unknown parameter \"" + key + "\", expected " + all);
    }
  }

 private:
  [[nodiscard]] const std::string* given(const std::string& key) const {
    const auto at = spec_.given.find(key);
    return at == spec_.given.end() ? nullptr : &at->second;
  }
  void used(const std::string& key, std::string text, bool is_number) { used_.push_back({key, std::move(text), is_number}); }
  [[noreturn]] void refuse(const std::string& key, const std::string& text, const std::string& expected) const {
    throw lacuna::invalid_argument("sampler " + spec_.name + ": " + key + "=" + text + ", expected " + expected);
  }
  static std::string shortest(double x) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, x).ptr};
  }

  sampler_spec spec_;
  std::vector<value> used_;
};

}  // namespace sudoku
