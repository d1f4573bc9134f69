/// @file
/// @brief Scratch memory that is allocated once and only grows.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace lacuna::nn {

/// Uninitialised floats on cache-line boundaries. Growing discards the contents; a request of the same or a smaller size
/// allocates nothing. Copying gives an empty buffer: scratch holds nothing worth a copy.
class buffer {
 public:
  buffer() = default;
  buffer(const buffer&) {}
  buffer(buffer&& other) noexcept = default;
  buffer& operator=(const buffer&) { return *this; }
  buffer& operator=(buffer&& other) noexcept = default;
  ~buffer() = default;

  float* reserve(std::size_t count) {
    if (count > capacity_) {
      data_.reset();
      data_.reset(static_cast<float*>(::operator new(count * sizeof(float), alignment)));
      capacity_ = count;
    }
    return data_.get();
  }
  [[nodiscard]] float* data() { return data_.get(); }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

 private:
  static constexpr std::align_val_t alignment{64};
  struct release {
    void operator()(float* p) const { ::operator delete(p, alignment); }
  };
  std::unique_ptr<float, release> data_;
  std::size_t capacity_ = 0;
};

/// Hands out consecutive pieces of one buffer, each on a cache line. Run a layout once without memory to learn its `total`,
/// then again with that much.
class pieces {
 public:
  explicit pieces(float* base = nullptr) : base_{base} {}
  float* take(std::size_t count) {
    float* piece = base_ == nullptr ? nullptr : base_ + total_;
    total_ += (count + 15) / 16 * 16;
    return piece;
  }
  [[nodiscard]] std::size_t total() const { return total_; }

 private:
  float* base_;
  std::size_t total_ = 0;
};

}  // namespace lacuna::nn
