/// @file
/// @brief The parameters of a network: named tensors over one flat buffer.
///
/// One buffer makes everything that treats all parameters alike (an optimiser, a moving average, gradient clipping, a
/// checkpoint) a loop over one array; a gradient is a second buffer of the same layout.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lacuna::nn {

/// Where one named tensor lies in the flat buffer.
struct parameter {
  std::string name;
  std::vector<std::size_t> shape;  ///< row-major
  std::size_t offset = 0;          ///< in floats
  std::size_t size = 0;            ///< product of the shape
  bool decayed = false;            ///< matrices are weight-decayed, biases, norms and embeddings are not
};

/// Named tensors over one flat float buffer. Add them all, then use the spans: `add` may move the buffer.
class parameters {
 public:
  /// Appends a zero-filled tensor and returns its place.
  parameter add(std::string name, std::vector<std::size_t> shape, bool decayed) {
    std::size_t size = 1;
    for (const std::size_t extent : shape) size *= extent;
    list_.push_back({std::move(name), std::move(shape), values_.size(), size, decayed});
    values_.resize(values_.size() + size);
    return list_.back();
  }

  [[nodiscard]] std::span<const parameter> list() const { return list_; }
  [[nodiscard]] std::span<float> values() { return values_; }
  [[nodiscard]] std::span<const float> values() const { return values_; }
  [[nodiscard]] std::span<float> of(const parameter& p) { return std::span{values_}.subspan(p.offset, p.size); }
  [[nodiscard]] std::span<const float> of(const parameter& p) const { return std::span{values_}.subspan(p.offset, p.size); }

 private:
  std::vector<parameter> list_;
  std::vector<float> values_;
};

}  // namespace lacuna::nn
