/// @file
/// @brief The lines of the table that `text table` prints.
#pragma once

#include <string>
#include <vector>

namespace text {

struct table_line {
  std::string sampler;
  std::string family;  ///< what one curve of the picture joins
};

/// Masked diffusion at several numbers of steps; speculative with the published pairs of verifications and window, which were
/// found at length 256, some for shorter texts, and without a window; other orders; the masked
/// network verified by a causal block of its own.
inline std::vector<table_line> table_plan() {
  std::vector<table_line> lines;
  for (const char* steps : {"8", "12", "16", "24", "32", "48", "64", "96"})
    lines.push_back({std::string("ancestral:steps=") + steps, "masked diffusion"});
  for (const char* steps : {"16", "32", "64"}) lines.push_back({std::string("confidence:steps=") + steps, "confidence"});
  const auto speculative = [&](const std::string& pairs, const std::string& rest, const std::string& family) {
    lines.push_back({"speculative:" + pairs + rest, family});
  };
  for (const char* pairs : {"n=1,delta=0.002", "n=2,delta=0.005", "n=3,delta=0.01", "n=4,delta=0.02", "n=3,delta=0.05",
                            "n=8,delta=0.04", "n=10,delta=0.083", "n=8,delta=0.12", "n=2,window=none"})
    speculative(pairs, "", "speculative");
  for (const char* order : {"confidence", "left_to_right"})
    for (const char* pairs : {"n=3,delta=0.01", "n=3,delta=0.05", "n=8,delta=0.12"})
      speculative(pairs, std::string(",order=") + order, std::string("speculative, ") + order);
  for (const char* pairs : {"n=3,delta=0.01", "n=3,delta=0.05", "n=8,delta=0.12", "n=2,window=none"})
    speculative(pairs, ",on=causal", "causal block on the masked network");
  return lines;
}

}  // namespace text
