#include "lacuna/io/atomic_file.hpp"

#include <doctest/doctest.h>

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
