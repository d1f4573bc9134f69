#include "lacuna/io/atomic_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>

#include "lacuna/core/errors.hpp"
#include "scratch_file.hpp"

using lacuna_test::scratch_file;

TEST_CASE("a committed file is there whole and alone") {
  const scratch_file scratch{"whole"};
  const std::string text = "some bytes";
  {
    lacuna::io::atomic_file file{scratch.path()};
    file.write(std::as_bytes(std::span{text}));
    file.write(std::as_bytes(std::span{text}));
    CHECK(scratch.get().empty());
    file.commit();
  }
  CHECK(scratch.get() == text + text);
  CHECK(scratch.files_in_folder() == 1);
}

TEST_CASE("an interrupted write leaves the old file and nothing else") {
  const scratch_file scratch{"interrupted", "old"};
  const std::string text = "new";
  try {
    lacuna::io::atomic_file file{scratch.path()};
    file.write(std::as_bytes(std::span{text}));
    throw std::runtime_error{"interrupted"};
  } catch (const std::runtime_error&) {
  }
  CHECK(scratch.get() == "old");
  CHECK(scratch.files_in_folder() == 1);
}

TEST_CASE("two writers of one path do not disturb each other and the last wins") {
  const scratch_file scratch{"two"};
  const std::string a = "aaaa", b = "b";
  lacuna::io::atomic_file first{scratch.path()}, second{scratch.path()};
  first.write(std::as_bytes(std::span{a}));
  second.write(std::as_bytes(std::span{b}));
  first.commit();
  CHECK(scratch.get() == a);
  second.commit();
  CHECK(scratch.get() == b);
}

TEST_CASE("a folder that is not there is an error that names the path") {
  const scratch_file scratch{"nowhere"};
  CHECK_THROWS_WITH_AS(lacuna::io::atomic_file{scratch.folder() / "missing" / "file"}, doctest::Contains("missing/file"),
                       lacuna::file_error);
}

TEST_CASE("what is no file is not replaced, and that is said before anything is written") {
  const scratch_file scratch{"device"};
  CHECK_THROWS_WITH_AS(lacuna::io::atomic_file{scratch.folder()}, doctest::Contains("not a regular file"), lacuna::file_error);
  CHECK_THROWS_WITH_AS(lacuna::io::atomic_file{scratch.folder() / ""}, doctest::Contains("expected the name of a file"),
                       lacuna::file_error);
  CHECK_THROWS_WITH_AS(lacuna::io::atomic_file{""}, "cannot create \"\": expected the name of a file", lacuna::file_error);
  REQUIRE(::mkfifo(scratch.path().c_str(), 0600) == 0);  // a pipe stands for /dev/null, which root could replace
  CHECK_THROWS_WITH_AS(lacuna::io::atomic_file{scratch.path()}, doctest::Contains("not a regular file"), lacuna::file_error);
  CHECK(std::filesystem::is_fifo(scratch.path()));
  CHECK(scratch.files_in_folder() == 1);
}

TEST_CASE("what a killed program has left is not in the way of one with the same number") {
  const scratch_file scratch{"killed"};
  const std::string text = "new";
  std::filesystem::path last;
  {
    const lacuna::io::atomic_file file{scratch.path()};
    for (const auto& entry : std::filesystem::directory_iterator{scratch.folder()}) last = entry.path();
  }
  // The next names that this program will use, all taken.
  const std::string name = last.string();
  const std::size_t dash = name.rfind('-');
  for (unsigned n = 1; n <= 3; ++n)
    std::ofstream{name.substr(0, dash + 1) + std::to_string(std::stoul(name.substr(dash + 1)) + n)} << "left over";
  CHECK(scratch.files_in_folder() == 3);
  lacuna::io::atomic_file file{scratch.path()};
  file.write(std::as_bytes(std::span{text}));
  file.commit();
  CHECK(scratch.get() == text);
  CHECK(scratch.files_in_folder() == 4);
}
