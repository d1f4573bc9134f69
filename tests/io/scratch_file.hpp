/// @file
/// @brief A file of a test: bytes in, bytes out, gone at the end.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace lacuna_test {

/// A path of this test's own in a new folder, removed with whatever is in it.
class scratch_file {
 public:
  explicit scratch_file(const std::string& name) {
    static int count = 0;
    const auto base = std::filesystem::temp_directory_path();
    do {
      folder_ = base / ("lacuna_" + name + "_" + std::to_string(count++));
    } while (!std::filesystem::create_directory(folder_));
    path_ = folder_ / name;
  }
  scratch_file(const std::string& name, const std::string& content) : scratch_file{name} { put(content); }
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;
  ~scratch_file() { std::filesystem::remove_all(folder_); }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  void put(const std::string& content) const { std::ofstream{path_, std::ios::binary} << content; }
  [[nodiscard]] std::string get() const {
    std::ifstream in{path_, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
  [[nodiscard]] std::size_t files_in_folder() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator{folder_}, {}));
  }

 private:
  std::filesystem::path folder_, path_;
};

}  // namespace lacuna_test
