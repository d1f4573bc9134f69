/// @file
/// @brief A file's bytes, read by mapping it into memory. POSIX.
///
/// Nothing is read until it is looked at, and processes that map the same file share its pages. The mapping is private and
/// read-only. A file that another program shortens while it is mapped cannot be guarded against (replace files by renaming,
/// as io/atomic_file.hpp does). Errors: `file_error` with the path and the system's reason.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "lacuna/core/errors.hpp"

namespace lacuna::io {

/// `doing "path": reason`, for the error number of the last system call.
inline file_error system_failure(const std::string& doing, const std::filesystem::path& path, int number) {
  return file_error{doing + " \"" + path.string() + "\": " + std::generic_category().message(number)};
}

/// Owns one mapping; movable.
class mapped_file {
 public:
  explicit mapped_file(const std::filesystem::path& path) {
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) throw system_failure("cannot open", path, errno);
    struct ::stat status {};
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
      const int number = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
      ::close(descriptor);
      throw system_failure("not a regular file", path, number);
    }
    size_ = static_cast<std::size_t>(status.st_size);
    if (size_ != 0) {  // an empty mapping is refused by the system, an empty file is not an error here
      data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
      const int number = errno;
      ::close(descriptor);
      if (data_ == MAP_FAILED) throw system_failure("cannot map", path, number);
    } else {
      ::close(descriptor);
    }
  }

  mapped_file(mapped_file&& other) noexcept
      : data_{std::exchange(other.data_, nullptr)}, size_{std::exchange(other.size_, 0)} {}
  mapped_file& operator=(mapped_file&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~mapped_file() {
    if (size_ != 0) ::munmap(data_, size_);
  }

  [[nodiscard]] std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace lacuna::io
