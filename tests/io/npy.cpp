#include "lacuna/io/npy.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/tensor.hpp"
#include "scratch_file.hpp"

namespace io = lacuna::io;
using lacuna_test::scratch_file;

namespace {

/// Version 1.0 of the format by its description, the header padded to 64 bytes, or not at all.
std::string file_of(const std::string& dictionary, const std::string& data, bool padded = true) {
  std::string header = dictionary;
  if (padded) header.append((64 - (10 + header.size() + 1) % 64) % 64, ' ');
  header += '\n';
  std::string text{"\x93NUMPY\x01\x00", 8};
  text += static_cast<char>(header.size() & 255);
  text += static_cast<char>(header.size() >> 8);
  return text + header + data;
}

const std::string six_ints{"\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0\5\0\0\0\6\0\0\0", 24};
const std::string dictionary = "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }";

}  // namespace

TEST_CASE("an array is read back as it was written, of any rank and type") {
  const scratch_file scratch{"trip.npy"};
  const lacuna::tensor<float, 3> cube{{{1, 2}, {3, 4}}, {{5, 6}, {7, -0.5F}}};
  io::write_npy(scratch.path(), cube);
  CHECK(io::read_npy<float, 3>(scratch.path()) == cube);
  const lacuna::tensor<std::int64_t, 1> line{3, -4};
  io::write_npy(scratch.path(), line);
  CHECK(io::read_npy<std::int64_t, 1>(scratch.path()) == line);
  const lacuna::tensor<std::uint8_t, 2> none = lacuna::tensor<std::uint8_t, 2>::from_shape({0, 4});
  io::write_npy(scratch.path(), none);
  CHECK(io::read_npy<std::uint8_t, 2>(scratch.path()).shape(1) == 4);
  io::write_npy(scratch.path(), 2.0 * lacuna::tensor<double, 1>{1, 2});
  CHECK(io::read_npy<double, 1>(scratch.path())(1) == 4);
}

TEST_CASE("files as others write them are read: order of keys, quotes, padding, long headers") {
  const scratch_file scratch{"foreign.npy", file_of(dictionary, six_ints)};
  CHECK(io::read_npy<std::int32_t, 2>(scratch.path())(1, 0) == 4);
  scratch.put(file_of("{'shape':(2,3),\"descr\":\"<i4\",'fortran_order':False}", six_ints, false));
  CHECK(io::read_npy<std::int32_t, 2>(scratch.path())(1, 2) == 6);
  scratch.put(file_of(dictionary + std::string(200, ' '), six_ints));  // length with the upper bit of a byte set
  CHECK(io::read_npy<std::int32_t, 2>(scratch.path())(0, 1) == 2);
  scratch.put(file_of("{'descr': '<i4', 'fortran_order': True, 'shape': (6,)}", six_ints));  // one dimension has one order
  CHECK(io::read_npy<std::int32_t, 1>(scratch.path())(5) == 6);
}

TEST_CASE("what is not asked for or not whole is refused by name") {
  const scratch_file scratch{"refused.npy"};
  const auto refused = [&](const std::string& bytes, const char* why) {
    scratch.put(bytes);
    CHECK_THROWS_WITH_AS((io::read_npy<std::int32_t, 2>(scratch.path())), doctest::Contains(why), lacuna::file_error);
    CHECK_THROWS_WITH_AS((io::read_npy<std::int32_t, 2>(scratch.path())), doctest::Contains("refused.npy"), lacuna::file_error);
  };
  refused("", "not an .npy file");
  refused("PK\3\4 and so on, an archive", "not an .npy file");
  refused(std::string{"\x93NUMPY\x09\x00\x01\x00\n", 11}, "version 9");
  refused(file_of(dictionary, six_ints.substr(1)), "23 bytes of data, expected 24 for shape [2, 3]");
  refused(file_of(dictionary, six_ints + "x"), "25 bytes of data, expected 24");
  refused(file_of(dictionary, "").substr(0, 40), "truncated: header");
  refused(file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", six_ints),
          "element type \"<f4\", expected \"<i4\"");
  refused(file_of("{'descr': '>i4', 'fortran_order': False, 'shape': (2, 3)}", six_ints), "element type \">i4\"");
  refused(file_of("{'descr': '<i4', 'fortran_order': False, 'shape': (6,)}", six_ints), "shape [6], expected 2 dimensions");
  refused(file_of("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3)}", six_ints), "column-major");
  refused(file_of("{'descr': '<i4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", ""), "more than fits");
  refused(file_of("{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999999999999, 1)}", ""), "expected an extent");
  refused(file_of("{'descr': '<i4', 'fortran_order': False, 'shape': (-1, 1)}", ""), "expected an extent");
  refused(file_of("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (2, 3)}", six_ints), "expected a string");
  refused(file_of("{'descr': '<i4', 'shape': (2, 3)}", six_ints), "missing");
  refused(file_of("{'descr': '<i4', 'descr': '<i4', 'fortran_order': False, 'shape': (2, 3)}", six_ints), "appears twice");
  refused(file_of("{'descr': '<i4', 'fortran_order': 0, 'shape': (2, 3)}", six_ints), "expected True or False");
  refused(file_of("{'descr': '<i4", ""), "without an end");
  refused(file_of(dictionary + "x", six_ints), "text after");
}

TEST_CASE("a damaged array is refused or read, and never more than that") {
  const scratch_file scratch{"fuzz.npy"};
  const std::string whole = file_of(dictionary, six_ints);
  lacuna::random_stream random{21, lacuna::stream_use::other};
  std::size_t taken = 0, refused = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::string bytes = whole;
    const std::size_t place = random.below(bytes.size());
    if (random.below(2) == 0) {
      bytes[place] = static_cast<char>(random.below(256));
    } else {
      bytes.erase(place, 1 + random.below(4));
    }
    scratch.put(bytes);
    try {
      const auto array = io::read_npy<std::int32_t, 2>(scratch.path());
      REQUIRE(array.size() == 6);
      ++taken;
    } catch (const lacuna::file_error&) {
      ++refused;
    }
  }
  CHECK(taken > 50);
  CHECK(refused > 500);
}
