/// @file
/// @brief Writes a file that is there whole or not at all: a temporary beside it, synced to disk, then renamed over it. POSIX.
///
/// Until `commit`, and after a crash or an exception before it, whatever was at the path is still there untouched; the
/// temporary is removed by the destructor (a program that is killed leaves it, as PATH.partial-…). What is no file (a folder, a
/// device) is not replaced, and said to be in the way at once. Errors: `file_error` with the path and the system's reason.
///
/// @code
/// lacuna::io::atomic_file file{"model.safetensors"};
/// file.write(std::as_bytes(std::span{values}));
/// file.commit();
/// @endcode
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "lacuna/core/errors.hpp"
#include "lacuna/io/mapped_file.hpp"

namespace lacuna::io {

/// One file being written.
class atomic_file {
 public:
  explicit atomic_file(std::filesystem::path path) : path_{std::move(path)} {
    if (!path_.has_filename()) throw file_error{"cannot create \"" + path_.string() + "\": expected the name of a file"};
    std::error_code unknown;  // whatever cannot be looked at is left to `open`
    const std::filesystem::file_status there = std::filesystem::status(path_, unknown);
    if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there))
      throw file_error{"cannot replace \"" + path_.string() + "\": not a regular file"};
    static std::atomic<unsigned> count{0};
    do {  // the name may be left over from a program of the same number that was killed
      temporary_ = path_;
      temporary_ += ".partial-" + std::to_string(::getpid()) + "-" + std::to_string(count++);
      descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor_ < 0 && errno == EEXIST);
    if (descriptor_ < 0) throw system_failure("cannot create", temporary_, errno);
  }
  atomic_file(const atomic_file&) = delete;
  atomic_file& operator=(const atomic_file&) = delete;
  ~atomic_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!committed_) ::unlink(temporary_.c_str());
  }

  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ::ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0) {
        if (errno == EINTR) continue;
        throw system_failure("cannot write", temporary_, errno);
      }
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
  }

  /// Puts the file in its place. After it returns, a crash of the machine leaves the new file.
  void commit() {
    if (::fsync(descriptor_) != 0) throw system_failure("cannot sync", temporary_, errno);
    if (::close(std::exchange(descriptor_, -1)) != 0) throw system_failure("cannot close", temporary_, errno);
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) throw system_failure("cannot rename to", path_, errno);
    committed_ = true;
    // The rename itself is on disk only once the folder is; some file systems refuse to sync a folder, which is no failure.
    const std::filesystem::path folder = path_.has_parent_path() ? path_.parent_path() : std::filesystem::path{"."};
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
      ::fsync(descriptor);
      ::close(descriptor);
    }
  }

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
  bool committed_ = false;
};

}  // namespace lacuna::io
