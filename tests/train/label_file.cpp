#include "lacuna/train/label_file.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "tests/io/scratch_file.hpp"

using namespace lacuna;
using lacuna_test::scratch_file;
using train::labelled_context;

namespace {

using metadata = std::map<std::string, std::string>;
constexpr token masked = labelled_context::masked;

/// Of different lengths; one with nothing probed, one with nothing masked, one empty.
std::vector<labelled_context> some_contexts() {
  return {{{masked, 5, masked, masked}, {0, 3}, {0, 0.25F, -1e-9F, 0.125F, 3, 0}},
          {{masked, 0, 16777216}, {}, {}},
          {{1, 2}, {}, {}},
          {{}, {}, {}},
          {{masked}, {0}, {0}}};
}

/// The parts of a file, to be spoilt one at a time.
struct parts {
  std::map<std::string, std::vector<float>> tensors{
      {"length", {2, 1}}, {"tokens", {masked, masked, 7}}, {"probes", {1, 0}}, {"probed", {1}}, {"information", {0.5F, 0}}};
  std::map<std::string, std::vector<std::size_t>> shapes;  // where they are not lists

  void write(const scratch_file& file) const {
    std::vector<io::output_tensor> all;
    for (const auto& entry : tensors) {
      const auto shape = shapes.find(entry.first);
      all.push_back(
          {entry.first, shape == shapes.end() ? std::vector<std::size_t>{entry.second.size()} : shape->second, entry.second});
    }
    io::write_safetensors(file.path(), all, {});
  }
};

/// The message with which the file is refused; empty if it is read.
std::string refusal(const scratch_file& file, const metadata& expected = {}) {
  try {
    (void)train::read_labels(file.path(), expected);
    return "";
  } catch (const file_error& e) {
    const std::string what = e.what();
    CHECK(what.find(file.path().string()) != std::string::npos);
    return what;
  }
}

bool has(const std::string& text, const std::string& part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) MESSAGE("in: " << text);
  return found;
}

TEST_CASE("labels come back as they were written, with their metadata") {
  const scratch_file file{"some.safetensors"};
  train::write_labels(file.path(), some_contexts(), {{"network", "a"}, {"seed", "1"}});
  CHECK(train::read_labels(file.path()) == some_contexts());
  CHECK(train::read_labels(file.path(), {{"seed", "1"}}) == some_contexts());
  CHECK(file.files_in_folder() == 1);
  train::write_labels(file.path(), {});
  CHECK(train::read_labels(file.path()).empty());
}

TEST_CASE("metadata that are missing or different are named, with got and expected") {
  const scratch_file file{"some.safetensors"};
  train::write_labels(file.path(), some_contexts(), {{"network", "a"}});
  CHECK(has(refusal(file, {{"network", "b"}}), R"(metadata "network" is "a", expected "b")"));
  CHECK(has(refusal(file, {{"network", "a"}, {"seed", "1"}}), R"(the metadata has no "seed")"));
}

TEST_CASE("a context that could not be read again is not written") {
  const auto refuse = [](const labelled_context& bad, const std::string& message) {
    const scratch_file file{"some.safetensors"};
    const std::vector<labelled_context> contexts{{{masked}, {0}, {0}}, bad};
    CHECK_THROWS_WITH_AS(train::write_labels(file.path(), contexts), ("labels: context 1 has " + message).c_str(),
                         invalid_argument);
    CHECK(file.files_in_folder() == 0);
  };
  refuse({{masked, masked}, {0}, {0}}, "1 numbers, expected 1 probed times 2 masked positions");
  refuse({{masked, 3}, {1}, {0}}, "position 1 probed, expected masked ones, ascending");
  refuse({{masked, 3}, {2}, {0}}, "position 2 probed, expected masked ones, ascending");
  refuse({{masked, masked}, {1, 0}, {0, 0, 0, 0}}, "position 0 probed, expected masked ones, ascending");
  refuse({{masked, masked}, {1, 1}, {0, 0, 0, 0}}, "position 1 probed, expected masked ones, ascending");
  refuse({{masked, -2}, {}, {}}, "token -2, expected -1 for a masked position, or 0 to 2^24");
  refuse({{16777217}, {}, {}}, "token 16777217, expected -1 for a masked position, or 0 to 2^24");
  refuse({{masked}, {0}, {std::numeric_limits<float>::infinity()}}, "information of inf, expected finite numbers");
}

TEST_CASE("a file whose parts do not fit together is refused, and the first thing that is wrong is named") {
  const scratch_file file{"hostile.safetensors"};
  parts{}.write(file);
  REQUIRE(refusal(file).empty());  // what is spoilt below is sound
  const auto refuse = [&](const std::function<void(parts&)>& spoil, const std::string& message) {
    parts p;
    spoil(p);
    p.write(file);
    CHECK(has(refusal(file), message));
  };
  for (const std::string name : {"length", "tokens", "probes", "probed", "information"}) {
    refuse([&](parts& p) { p.tensors.erase(name); }, "\"" + name + "\" is missing");
    refuse([&](parts& p) { p.tensors[name].push_back(1); }, ": ");
    refuse([&](parts& p) { p.tensors[name].pop_back(); }, ": ");
    refuse([&](parts& p) { p.tensors[name][0] = std::nanf(""); }, "nan at element 0");
    refuse([&](parts& p) { p.shapes[name] = {1, p.tensors[name].size()}; }, "\"" + name + "\" is not a list");
  }
  for (const std::string name : {"length", "probes", "probed"})
    for (const float x : {-1.0F, 0.5F, 16777218.0F, 1e30F, -1e30F})
      refuse([&](parts& p) { p.tensors[name][0] = x; }, "\"" + name + "\" holds " + std::to_string(x));
  for (const float x : {-2.0F, 6.5F, 1e30F}) refuse([&](parts& p) { p.tensors["tokens"][2] = x; }, R"("tokens" holds)");
  refuse([](parts& p) { p.tensors["more"] = {1}; }, R"(unexpected tensor "more")");
  refuse([](parts& p) { p.tensors["probes"] = {1, 0, 0}; }, "different numbers of contexts");
  refuse([](parts& p) { p.tensors["length"][0] = 9; }, R"("tokens" ends early)");
  refuse([](parts& p) { p.tensors["probes"][0] = 9; }, R"("probed" ends early)");
  refuse([](parts& p) { p.tensors["information"].pop_back(); }, R"("information" ends early)");
  refuse([](parts& p) { p.tensors["information"].push_back(0); }, "holds more than its contexts account for");
  refuse([](parts& p) { p.tensors["probed"] = {2}; }, "context 0 has position 2 probed");
  refuse([](parts& p) { p.tensors["tokens"] = {4, 4, 7}; }, "context 0 has position 1 probed");
  refuse(
      [](parts& p) {
        p.tensors["probes"] = {2, 0};
        p.tensors["probed"] = {1, 0};
        p.tensors["information"] = {0, 0, 0, 0};
      },
      "context 0 has position 0 probed, expected masked ones, ascending");
}

TEST_CASE("a file that is cut short anywhere is refused") {
  const scratch_file file{"cut.safetensors"};
  train::write_labels(file.path(), some_contexts(), {{"network", "a"}});
  const std::string whole = file.get();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    file.put(whole.substr(0, size));
    CHECK_MESSAGE(!refusal(file).empty(), size << " of " << whole.size() << " bytes");
  }
  file.put(whole + '\0');
  CHECK_FALSE(refusal(file).empty());
  file.put(whole);
  CHECK(refusal(file).empty());
}

TEST_CASE("a file that is not there is named") {
  const scratch_file file{"none.safetensors"};
  CHECK(has(refusal(file), "cannot open"));
}

}  // namespace
