#include "lacuna/io/safetensors.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "scratch_file.hpp"

namespace io = lacuna::io;
using lacuna_test::scratch_file;
using shape = std::vector<std::size_t>;

namespace {

template <class T>
std::string raw(std::initializer_list<T> values) {
  std::string text(values.size() * sizeof(T), '\0');
  std::memcpy(text.data(), values.begin(), text.size());
  return text;
}

/// A file by the description of the format: length, header, data.
std::string file_of(const std::string& header, const std::string& data) {
  return raw<std::uint64_t>({header.size()}) + header + data;
}

std::string entry(const std::string& name, const std::string& type, const std::string& shape_text, std::size_t begin,
                  std::size_t end) {
  return "\"" + name + "\":{\"dtype\":\"" + type + "\",\"shape\":" + shape_text + ",\"data_offsets\":[" +
         std::to_string(begin) + "," + std::to_string(end) + "]}";
}

/// The message with which a file of these bytes is refused; empty if it is taken.
std::string refusal(const std::string& bytes) {
  const scratch_file scratch{"hostile.safetensors", bytes};
  try {
    const io::safetensors_file file{scratch.path()};
    return "";
  } catch (const lacuna::file_error& e) {
    const std::string what = e.what();
    CHECK(what.find("hostile.safetensors") != std::string::npos);
    return what;
  }
}

bool contains(const std::string& text, const std::string& part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) MESSAGE("in: " << text);
  return found;
}

}  // namespace

TEST_CASE("a file written here is, byte for byte, what the description of the format says") {
  const scratch_file scratch{"bytes.safetensors"};
  const std::vector<float> values{1.5F, -2.0F};
  const std::vector<io::output_tensor> tensors{{"b", {2}, values, io::element_type::f32},
                                               {"a", {1, 2}, values, io::element_type::f16}};
  io::write_safetensors(scratch.path(), tensors, {{"k", "v"}});
  std::string header =
      R"({"__metadata__":{"k":"v"},"b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"a":{"dtype":"F16","shape":[1,2],"data_offsets":[8,12]}})";
  header.append((8 - header.size() % 8) % 8, ' ');
  CHECK(scratch.get() == file_of(header, raw<float>({1.5F, -2.0F}) + raw<std::uint16_t>({0x3e00, 0xc000})));
}

TEST_CASE("what is written is read back: exactly in float32, rounded in the shorter types") {
  const scratch_file scratch{"trip.safetensors"};
  const std::vector<float> values{0.1F, -3.25F, 1e-3F, 7.0F, 0.0F, -0.0F};
  std::vector<io::output_tensor> tensors;
  for (const auto type : {io::element_type::f32, io::element_type::f16, io::element_type::bf16, io::element_type::f64}) {
    tensors.push_back({std::string{io::name_of(type)}, {2, 3}, values, type});
  }
  io::write_safetensors(scratch.path(), tensors, {{"depth", "4"}});
  const io::safetensors_file file{scratch.path()};
  CHECK(file.metadata_at("depth") == "4");
  CHECK_THROWS_WITH_AS(static_cast<void>(file.metadata_at("width")), doctest::Contains("no \"width\""), lacuna::file_error);
  CHECK_NOTHROW(file.expect_metadata({}));
  CHECK_NOTHROW(file.expect_metadata({{"depth", "4"}}));
  CHECK_THROWS_WITH_AS(file.expect_metadata({{"depth", "5"}}), doctest::Contains("metadata \"depth\" is \"4\", expected \"5\""),
                       lacuna::file_error);
  CHECK_THROWS_WITH_AS(file.expect_metadata({{"width", "5"}}), doctest::Contains("no \"width\""), lacuna::file_error);
  CHECK(file.entries().size() == 4);
  const std::map<std::string, double> unit{{"F32", 0}, {"F64", 0}, {"F16", std::ldexp(1, -11)}, {"BF16", std::ldexp(1, -8)}};
  for (const auto& [name, relative] : unit) {
    std::vector<float> back(6);
    file.read_finite(name, shape{2, 3}, back);
    for (std::size_t i = 0; i < 6; ++i) CHECK(std::abs(back[i] - values[i]) <= relative * std::abs(values[i]));
  }
  std::vector<float> half(6);
  file.read("F16", shape{2, 3}, half);
  CHECK(half[0] != values[0]);  // negative control: it was rounded
}

TEST_CASE("foreign files load: any order of keys, padding, empty tensors, scalars, integers, unaligned data") {
  const std::string header = "{" + entry("z", "F32", "[]", 3, 7) +
                             ", \"empty\" : {\"data_offsets\":[3,3],\"shape\":[0,5],\"dtype\":\"F64\"}," +
                             entry("flags", "BOOL", "[3]", 0, 3) + "," + entry("ids", "I64", "[1]", 7, 15) + "}   ";
  const scratch_file scratch{"foreign.safetensors"};
  scratch.put(file_of(header, std::string{"\1\0\1", 3} + raw<float>({2.5F}) + raw<std::int64_t>({-9})));
  const io::safetensors_file file{scratch.path()};
  float z = 0;
  file.read_finite("z", {}, std::span{&z, 1});
  CHECK(z == 2.5F);
  file.read_finite("empty", shape{0, 5}, {});
  std::int64_t id = 0;
  REQUIRE(file.bytes(file.at("ids")).size() == 8);
  std::memcpy(&id, file.bytes(file.at("ids")).data(), 8);
  CHECK(id == -9);
  CHECK(file.at("flags").type == io::element_type::boolean);
  CHECK(file.metadata().empty());
}

TEST_CASE("a file without tensors is a file") {
  CHECK(refusal(file_of("{}", "")).empty());
  CHECK(refusal(file_of(R"({"__metadata__":{}})", "")).empty());
}

TEST_CASE("a truncated file is refused wherever it was cut") {
  const std::string whole =
      file_of("{" + entry("a", "F32", "[2]", 0, 8) + "," + entry("b", "F32", "[1]", 8, 12) + "}", std::string(12, '\0'));
  REQUIRE(refusal(whole).empty());
  for (std::size_t size = 0; size < whole.size(); ++size) CHECK_FALSE(refusal(whole.substr(0, size)).empty());
  CHECK(contains(refusal(whole.substr(0, 5)), "5 bytes, expected at least 8"));
  CHECK(contains(refusal(whole.substr(0, 20)), "truncated: header of"));
  CHECK(contains(refusal(whole.substr(0, whole.size() - 1)), "tensor \"b\" ends at byte 12, but the file has 11"));
}

TEST_CASE("a header that is too long, or is not what a header is, is refused") {
  CHECK(contains(refusal(raw<std::uint64_t>({100'000'001}) + "{}"), "100000001 bytes, expected at most 100000000"));
  CHECK(contains(refusal(raw<std::uint64_t>({~std::uint64_t{0}}) + "{}"), "expected at most"));
  CHECK(contains(refusal(file_of("", "")), "expected a JSON object"));
  CHECK(contains(refusal(file_of("[]", "")), "expected a JSON object"));
  CHECK(contains(refusal(file_of(" {}", "")), "expected a JSON object"));
  CHECK(contains(refusal(file_of("{\"a\":", "")), "malformed header"));
  CHECK(contains(refusal(file_of("{}{}", "")), "malformed header"));
  CHECK(contains(refusal(file_of("{\"\xff\":1}", "")), "malformed header"));
  CHECK(contains(refusal(file_of("{\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}", "")),
                 "nested too deeply"));
}

TEST_CASE("an entry that is not a tensor's description is refused by name") {
  const auto with = [](const std::string& description) { return refusal(file_of("{\"w\":" + description + "}", "")); };
  CHECK(contains(with("3"), "tensor \"w\" is not described by an object"));
  CHECK(contains(with(R"({"dtype":"F32","shape":[0]})"), "tensor \"w\" has no \"data_offsets\""));
  CHECK(contains(with(R"({"shape":[0],"data_offsets":[0,0]})"), "tensor \"w\" has no \"dtype\""));
  CHECK(contains(with(R"({"dtype":"F32","shape":[0],"data_offsets":[0,0],"x":1})"), "more than dtype"));
  CHECK(contains(with(R"({"dtype":"F33","shape":[0],"data_offsets":[0,0]})"), "unknown dtype \"F33\""));
  CHECK(contains(with(R"({"dtype":4,"shape":[0],"data_offsets":[0,0]})"), "dtype that is not a string"));
  CHECK(contains(with(R"({"dtype":"F32","shape":0,"data_offsets":[0,0]})"), "shape that is not a list"));
  CHECK(contains(with(R"({"dtype":"F32","shape":[-1],"data_offsets":[0,0]})"), "non-negative integers"));
  CHECK(contains(with(R"({"dtype":"F32","shape":[1.0],"data_offsets":[0,0]})"), "non-negative integers"));
  CHECK(contains(with(R"({"dtype":"F32","shape":[0],"data_offsets":[0]})"), "expected [begin, end]"));
  CHECK(contains(with(R"({"dtype":"F32","shape":[0],"data_offsets":[4,0]})"), "expected [begin, end]"));
  CHECK(contains(refusal(file_of("{" + entry("w", "U8", "[1]", 0, 1) + "," + entry("w", "U8", "[1]", 1, 2) + "}", "ab")),
                 "tensor \"w\" appears twice"));
  CHECK(contains(refusal(file_of(R"({"__metadata__":{"k":1}})", "")), "metadata \"k\" is not a string"));
  CHECK(contains(refusal(file_of(R"({"__metadata__":[]})", "")), "__metadata__ is not an object"));
}

TEST_CASE("a size that is not shape times type is refused, however large the shape") {
  CHECK(contains(refusal(file_of("{" + entry("w", "F32", "[3]", 0, 8) + "}", std::string(8, '\0'))),
                 "has 8 bytes, expected 12 for F32 [3]"));
  CHECK(contains(refusal(file_of("{" + entry("w", "F16", "[3]", 0, 12) + "}", std::string(12, '\0'))),
                 "has 12 bytes, expected 6"));
  // 2^32 * 2^32 elements are 0 modulo 2^64, and 2^62 floats are 0 bytes modulo 2^64.
  CHECK(contains(refusal(file_of("{" + entry("w", "F32", "[4294967296,4294967296]", 0, 0) + "}", "")), "more than fits"));
  CHECK(contains(refusal(file_of("{" + entry("w", "F32", "[4611686018427387904]", 0, 0) + "}", "")), "more than fits"));
  CHECK(contains(refusal(file_of("{" + entry("w", "F32", "[0,4294967296,4294967296]", 0, 0) + "}", "")), "more than fits"));
  CHECK(contains(refusal(file_of("{" + entry("w", "F32", "[18446744073709551616]", 0, 0) + "}", "")), "non-negative integers"));
}

TEST_CASE("tensors that overlap, leave holes, lie outside or leave bytes over are refused") {
  const std::string data(8, '\0');
  const auto pair = [&](std::size_t begin, std::size_t end) {
    return refusal(file_of(
        "{" + entry("a", "U8", "[4]", 0, 4) + "," + entry("b", "U8", "[" + std::to_string(end - begin) + "]", begin, end) + "}",
        data));
  };
  CHECK(pair(4, 8).empty());
  CHECK(contains(pair(3, 8), "tensor \"b\" overlaps"));
  CHECK(contains(pair(0, 8), "overlaps"));
  CHECK(contains(pair(5, 8), "tensor \"b\" begins at byte 5, expected 4: a hole"));
  CHECK(contains(pair(4, 9), "tensor \"b\" ends at byte 9, but the file has 8"));
  CHECK(contains(pair(4, 7), "1 bytes after the last tensor"));
  const std::string top = "18446744073709551615";
  CHECK(contains(refusal(file_of(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[)" + top + "," + top + "]}}", "")),
                 "ends at byte " + top));
  CHECK(contains(refusal(file_of("{}", "x")), "1 bytes after the last tensor"));
}

TEST_CASE("reading names what is missing, unexpected, of another shape or type, or not finite") {
  const scratch_file scratch{"weights.safetensors"};
  const std::vector<float> good{1, 2}, bad{1, std::numeric_limits<float>::quiet_NaN()},
      endless{-std::numeric_limits<float>::infinity(), 2};
  io::write_safetensors(scratch.path(),
                        std::vector<io::output_tensor>{
                            {"good", {2}, good}, {"bad", {2}, bad}, {"endless", {2}, endless, io::element_type::bf16}});
  const io::safetensors_file file{scratch.path()};
  std::vector<float> out(2);
  CHECK_THROWS_WITH_AS(file.read("gone", shape{2}, out), doctest::Contains("tensor \"gone\" is missing"), lacuna::file_error);
  CHECK_THROWS_WITH_AS(file.read("good", shape{1, 2}, out), doctest::Contains("has shape [2], expected [1, 2]"),
                       lacuna::file_error);
  CHECK_THROWS_WITH_AS(file.read_finite("bad", shape{2}, out), doctest::Contains("tensor \"bad\" holds nan at element 1"),
                       lacuna::file_error);
  CHECK_THROWS_WITH_AS(file.read_finite("endless", shape{2}, out), doctest::Contains("-inf at element 0"), lacuna::file_error);
  file.read("bad", shape{2}, out);  // asked for as it is, it is given as it is
  CHECK(std::isnan(out[1]));
  std::vector<float> small(1);
  CHECK_THROWS_AS(file.read("good", shape{2}, small), lacuna::invalid_argument);
  file.expect_only({"good", "bad", "endless", "more"});
  CHECK_THROWS_WITH_AS(file.expect_only({"good", "bad"}), doctest::Contains("unexpected tensor \"endless\""),
                       lacuna::file_error);

  scratch.put(file_of("{" + entry("n", "I32", "[2]", 0, 8) + "}", raw<std::int32_t>({1, 2})));
  const io::safetensors_file integers{scratch.path()};
  CHECK_THROWS_WITH_AS(integers.read("n", shape{2}, out), doctest::Contains("has dtype I32, expected F32"), lacuna::file_error);
}

TEST_CASE("what cannot be written is refused before the old file is touched") {
  const scratch_file scratch{"kept.safetensors", "old"};
  const std::vector<float> two{1, 1e6F};
  const auto refused = [&](std::vector<io::output_tensor> tensors, const std::map<std::string, std::string>& metadata,
                           const char* why) {
    CHECK_THROWS_WITH_AS(io::write_safetensors(scratch.path(), tensors, metadata), doctest::Contains(why),
                         lacuna::invalid_argument);
    CHECK(scratch.get() == "old");
    CHECK(scratch.files_in_folder() == 1);
  };
  refused({{"a", {2}, two}, {"a", {2}, two}}, {}, "tensor \"a\" cannot be written: the name is taken");
  refused({{"__metadata__", {2}, two}}, {}, "the name is taken");
  refused({{"a", {3}, two}}, {}, "has 2 values, expected shape [3]");
  refused({{"a", {2}, two, io::element_type::i32}}, {}, "cannot be written as I32");
  refused({{"a", {2}, two, io::element_type::f16}}, {}, "too large for F16");
  refused({{"a", {2}, two}}, {{"k", "\xff"}}, "not UTF-8");
}

TEST_CASE("a damaged file is refused or read, and never more than that") {
  const scratch_file scratch{"fuzz.safetensors"};
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  io::write_safetensors(scratch.path(),
                        std::vector<io::output_tensor>{{"a", {2, 3}, values},
                                                       {"b", {6}, values, io::element_type::f16},
                                                       {"c", {}, std::span{values}.first(1), io::element_type::f64}},
                        {{"key", "value"}});
  const std::string whole = scratch.get();
  lacuna::random_stream random{20, lacuna::stream_use::other};
  std::size_t taken = 0, refused = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    std::string bytes = whole;
    const std::size_t changes = 1 + random.below(3);
    for (std::size_t k = 0; k < changes; ++k) {
      const std::size_t place = random.below(bytes.size());
      switch (random.below(4)) {
        case 0:
          bytes[place] = static_cast<char>(random.below(256));
          break;
        case 1:
          bytes[place] = static_cast<char>(bytes[place] ^ (1 << random.below(8)));
          break;
        case 2:
          bytes.erase(place, 1 + random.below(8));
          break;
        default:
          bytes.insert(place, 1, "0129[]{},:\""[random.below(11)]);
          break;
      }
      if (bytes.empty()) bytes = whole;
    }
    scratch.put(bytes);
    try {
      const io::safetensors_file file{scratch.path()};
      for (const io::tensor_entry& e : file.entries()) {
        std::size_t size = 1;
        for (const std::size_t extent : e.shape) size *= extent;
        REQUIRE(file.bytes(e).size() == size * io::size_of(e.type));
        std::vector<float> out(size);
        if (io::is_floating(e.type)) file.read(e.name, e.shape, out);
      }
      ++taken;
    } catch (const lacuna::file_error&) {
      ++refused;
    }
  }
  // Damage to the numbers themselves cannot be seen, damage to the rest mostly is: both must have happened.
  CHECK(taken > 100);
  CHECK(refused > 1000);
}
