#include "lacuna/io/mapped_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cstddef>
#include <string>
#include <utility>

#include "lacuna/core/errors.hpp"
#include "scratch_file.hpp"

using lacuna::io::mapped_file;
using lacuna_test::scratch_file;

namespace {
std::string text_of(const mapped_file& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}
}  // namespace

TEST_CASE("a mapped file shows the bytes, and goes on doing so when it is moved or its name is gone") {
  const scratch_file scratch{"bytes", std::string{"a\0b", 3}};
  mapped_file file{scratch.path()};
  CHECK(text_of(file) == std::string{"a\0b", 3});
  mapped_file moved{std::move(file)};
  std::filesystem::remove(scratch.path());
  CHECK(text_of(moved) == std::string{"a\0b", 3});
  const scratch_file other{"other", "other"};
  moved = mapped_file{other.path()};
  CHECK(text_of(moved) == "other");
}

TEST_CASE("an empty file is an empty mapping") {
  const scratch_file scratch{"empty", ""};
  CHECK(mapped_file{scratch.path()}.bytes().empty());
}

TEST_CASE("what cannot be mapped is refused by name") {
  const scratch_file scratch{"absent"};
  CHECK_THROWS_WITH_AS(mapped_file{scratch.path()}, doctest::Contains("cannot open"), lacuna::file_error);
  CHECK_THROWS_WITH_AS(mapped_file{scratch.folder()}, doctest::Contains("not a regular file"), lacuna::file_error);
  REQUIRE(::mkfifo(scratch.path().c_str(), 0600) == 0);  // nobody ever writes to it: the program must not wait
  CHECK_THROWS_WITH_AS(mapped_file{scratch.path()}, doctest::Contains("not a regular file"), lacuna::file_error);
}
