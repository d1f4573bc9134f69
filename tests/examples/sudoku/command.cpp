#include "../../../examples/sudoku/command.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "../../../examples/sudoku/check.hpp"
#include "fixtures.hpp"

namespace {

using namespace sudoku;
using namespace sudoku_test;

/// The decode command with a network that has learned nothing.
ran decode_with(std::vector<std::string> arguments, const std::string& input = {}) {
  arguments.insert(arguments.begin(), {"decode", "--weights", untrained_weights()});
  return run(arguments, input);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string puzzles_as_text(std::size_t count = 9) {
  std::string text;
  for (const puzzle& p : some_puzzles(count)) text += to_line(p.givens) + "," + to_line(*p.solution) + "\n";
  return text;
}

TEST_CASE("decode shows a grid filling in and a table, with a row for each sampler") {
  const ran r = decode_with({"-", "--sampler", "top_k:k=9", "--sampler", "random:k=27"}, puzzles_as_text());
  CHECK(r.code == 0);
  CHECK(r.err.empty());
  const std::vector<std::string> lines = lines_of(r.out);
  REQUIRE(lines.size() == 2 + 2 + 12 + 1 + 3);
  CHECK(lines[0].starts_with("9 puzzles of standard input, a network of "));
  CHECK(lines[2].starts_with("The first puzzle under top_k:rank=confidence,k=9, "));
  CHECK(lines[4].find("the result: wrong") != std::string::npos);
  CHECK(lines[17].starts_with("sampler "));
  CHECK(lines[18].starts_with("top_k:rank=confidence,k=9 "));
  CHECK(lines[19].starts_with("random:k=27 "));
}

TEST_CASE("grids come out one a line, identical for every batch size, number of threads and order of puzzles") {
  const std::string text = puzzles_as_text(3);
  const std::vector<std::string> puzzles = lines_of(text);
  for (const char* sampler : {"sequential", "entropy_bound:gamma=0.5,temperature=1"}) {
    const ran first = decode_with({"-", "--sampler", sampler, "--grids"}, text);
    const std::vector<std::string> grids = lines_of(first.out);
    REQUIRE(grids.size() == puzzles.size());
    for (std::size_t k = 0; k < grids.size(); ++k) {
      REQUIRE(grids[k].size() == cell_count);
      CHECK(grids[k].find_first_not_of("123456789") == std::string::npos);
      CHECK(keeps_givens(from_line(puzzles[k].substr(0, 81)), from_line(grids[k])));
    }
    for (const char* batch : {"1", "2", "64"})
      for (const char* threads : {"1", "2"}) {
        const ran r = decode_with({"-", "--sampler", sampler, "--grids", "--batch", batch, "--threads", threads}, text);
        CHECK(r.out == first.out);
        CHECK(r.code == 0);
      }
    std::string reversed;
    for (std::size_t k = puzzles.size(); k-- > 0;) reversed += puzzles[k] + "\n";
    const std::vector<std::string> backwards = lines_of(decode_with({"-", "--sampler", sampler, "--grids"}, reversed).out);
    CHECK(std::vector<std::string>(backwards.rbegin(), backwards.rend()) == grids);
  }
  CHECK(decode_with({"-", "--sampler", "random:temperature=1", "--grids"}, text).out !=
        decode_with({"-", "--sampler", "random:temperature=1", "--grids", "--seed", "1"}, text).out);
}

TEST_CASE("grids of several samplers follow each other, and without a sampler there is one") {
  const std::string text = puzzle_text + "\n";
  const std::string a = decode_with({"-", "--sampler", "sequential", "--grids"}, text).out;
  const std::string b = decode_with({"-", "--sampler", "left_to_right", "--grids"}, text).out;
  CHECK(decode_with({"-", "--sampler", "sequential", "--sampler", "left_to_right", "--grids"}, text).out == a + b);
  CHECK(decode_with({"-", "--grids"}, text).out == a);
}

TEST_CASE("JSON lines are one for each sampler, with counts that agree with the grids") {
  const ran r = decode_with({"-", "--json", "--sampler", "top_k:k=2", "--sampler", "threshold:tau=0.5"}, puzzles_as_text());
  CHECK(r.code == 0);
  const std::vector<std::string> lines = lines_of(r.out);
  REQUIRE(lines.size() == 2);
  for (const std::string& line : lines) {
    const auto json = nlohmann::json::parse(line);
    CHECK(json["sampler"].is_string());
    CHECK(json["temperature"] == 0);
    CHECK(json["puzzles"] == 9);
    CHECK(json["passes"].is_number_float());
    CHECK(json["solved"] == 0);
    CHECK(json["valid"] == 0);
    CHECK(json["seconds"].get<double>() > 0);
  }
  CHECK(nlohmann::json::parse(lines[0])["k"] == 2);
  CHECK(nlohmann::json::parse(lines[1])["tau"] == 0.5);
}

TEST_CASE("a solved puzzle is counted as such") {
  // All given: nothing is left to get wrong.
  const ran r = decode_with({"-", "--json", "--sampler", "sequential"}, solution_text + "\n" + puzzle_text + "\n");
  const auto json = nlohmann::json::parse(r.out);
  CHECK(json["puzzles"] == 2);
  CHECK(json["solved"] == 1);
  CHECK(json["valid"] == 1);
}

TEST_CASE("count takes the first puzzles, and says so where there are fewer") {
  const std::string text = puzzles_as_text();
  const std::string all = decode_with({"-", "--grids"}, text).out;
  const ran three = decode_with({"-", "--grids", "--count", "3"}, text);
  CHECK(three.out == all.substr(0, 3 * 82));
  CHECK(three.err.empty());
  CHECK(decode_with({"-", "--grids", "--count", "010"}, text).out == all);  // ten and not eight: all nine
  const ran many = decode_with({"-", "--grids", "--count", "10"}, text);
  CHECK(many.out == all);
  CHECK(many.code == 0);
  CHECK(many.err == "sudoku: standard input holds 9 puzzles, fewer than --count 10: decoding these\n");
}

TEST_CASE("puzzles may come with a header, CRLF, further columns and from a file") {
  const std::string plain = decode_with({"-", "--grids"}, puzzle_text + "\n").out;
  REQUIRE(plain.size() == 82);
  CHECK(decode_with({"-", "--grids"}, "puzzle,solution,clues\r\n" + puzzle_text + "," + solution_text + ",30\r\n").out ==
        plain);
  const lacuna_test::scratch_file file{"mine.csv", puzzle_text + "\n"};
  CHECK(decode_with({file.path().string(), "--grids"}).out == plain);
  CHECK(decode_with({"--sampler", "sequential", file.path().string(), "--grids"}).out == plain);
}

TEST_CASE("a picture and a trace are written in every mode") {
  const lacuna_test::scratch_file picture{"first.svg"}, trace{"first.json"};
  for (const std::vector<std::string>& mode : {std::vector<std::string>{}, {"--grids"}, {"--json"}}) {
    picture.put("");
    trace.put("");
    std::vector<std::string> arguments{"-",       "--sampler",          "top_k:k=9", "--picture", picture.path().string(),
                                       "--trace", trace.path().string()};
    arguments.insert(arguments.end(), mode.begin(), mode.end());
    CHECK(decode_with(arguments, puzzle_text + "\n").code == 0);
    CHECK(picture.get().find("<svg") != std::string::npos);
    CHECK_FALSE(nlohmann::json::parse(trace.get()).empty());
  }
  const ran r = decode_with({"-", "--picture", (picture.folder() / "no" / "such").string()}, puzzle_text + "\n");
  CHECK(r.code == 1);
  CHECK(r.err == "sudoku: " + (picture.folder() / "no" / "such").string() + ": cannot be written\n");
}

TEST_CASE("files that are not as they should be end with 1 and a message, and print nothing") {
  const auto refused = [](const ran& r, const std::string& message) {
    CHECK(r.code == 1);
    CHECK(r.out.empty());
    CHECK(r.err == "sudoku: " + message + "\n");
  };
  refused(decode_with({"no/such.csv"}), "no/such.csv: cannot be opened");
  refused(decode_with({"-"}), "standard input: holds no puzzle");
  refused(decode_with({"-"}, puzzle_text + "\n" + puzzle_text + ".\n"),
          "standard input:2: the puzzle has 82 characters, expected 81");
  refused(decode_with({"-"}, "x" + puzzle_text.substr(1) + "\n"),
          "standard input:1: the puzzle has 'x' as character 1, expected a digit or '.'");
  const ran r = run({"decode", "-", "--weights", "no/such.safetensors"}, puzzle_text + "\n");
  CHECK(r.code == 1);
  CHECK(r.out.empty());
  CHECK(r.err == "sudoku: cannot open \"no/such.safetensors\": No such file or directory\n");
}

TEST_CASE("wrong arguments end with 2 and a message, before any file is read") {
  for (const auto& [arguments, part] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{}, "no subcommand, expected decode, train, mi-map or mi-check"},
           {{"solve"}, "solve"},
           {{"decode", "--batch", "0"}, "--batch: 0, expected a whole number from 1 (--help tells more)"},
           {{"decode", "--batch", "-3"}, "--batch"},
           {{"decode", "--threads", "0"}, "--threads"},
           {{"decode", "--threads", "100000"}, "--threads: 100000, expected a whole number from 1 to 1024"},
           {{"decode", "--count", "0"}, "--count"},
           {{"decode", "--count", "few"}, "--count"},
           {{"decode", "--seed", "x"}, "--seed"},
           {{"decode", "--seed", "-1"}, "--seed: -1, expected a whole number from 0"},
           {{"decode", "--seed", "18446744073709551616"}, "--seed: 18446744073709551616, expected a whole number from 0"},
           {{"decode", "--count", "0x10"}, "--count: 0x10, expected a whole number from 1"},
           {{"decode", "--grids", "--json"}, "--grids"},
           {{"decode", "--colour"}, "--colour"},
           {{"decode", "a", "b"}, "b"},
           {{"decode", "no/such.csv", "--sampler", "best"}, "no sampler of that name"},
           {{"decode", "no/such.csv", "--sampler", "top_k:k=0"}, "sampler top_k: "},
           {{"decode", "--sampler"}, "--sampler"},
           {{"train"}, "--steps"},
           {{"train", "--steps", "0"}, "--steps: 0, expected a whole number from 1"},
           {{"train", "--minutes", "-1"}, "--minutes: -1, expected a number more than 0"},
           {{"train", "--steps", "1", "--full-grids", "2"}, "--full-grids: 2, expected a number from 0 to 1"},
           {{"train", "--steps", "1", "--hold", "nan"}, "--hold: nan, expected a number from 0 to 1"},
           {{"train", "--steps", "1", "--ema", "nan"}, "--ema: nan, expected a number from 0 to 0.999999"},
           {{"train", "--steps", "1", "--rate", "inf"}, "--rate: inf, expected a number more than 0"},
           {{"train", "--steps", "1", "--evaluate-count", "-1"}, "--evaluate-count: -1, expected a whole number from 0"},
           {{"train", "--steps", "1", "--heads", "5"}, "width 64 is not a multiple of heads 5"},
           {{"train", "--steps", "1", "--dtype", "f8"}, "f8"},
       }) {
    const ran r = run(arguments);
    CAPTURE(r.err);
    CHECK(r.code == 2);
    CHECK(r.out.empty());
    CHECK(r.err.starts_with("sudoku: "));
    CHECK(r.err.find(part) != std::string::npos);
  }
}

TEST_CASE("help and list go to the output and end with 0") {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--help"}, {"decode", "--help"}, {"train", "--help"}, {"decode", "--list"}}) {
    const ran r = run(arguments);
    CHECK(r.code == 0);
    CHECK(r.err.empty());
    CHECK(r.out.size() > 200);
  }
  CHECK(run({"decode", "--list"}).out.find("entropy_bound:gamma=0.1,rank=entropy,temperature=0\n") != std::string::npos);
}

TEST_CASE("an output that cannot be written to is an error") {
  std::istringstream in(puzzle_text + "\n");
  std::ostringstream err;
  std::ostream nowhere(nullptr);
  const std::string& weights = untrained_weights();
  const std::array arguments{"sudoku", "decode", "-", "--grids", "--weights", weights.c_str()};
  CHECK(run_command(static_cast<int>(arguments.size()), arguments.data(), {in, nowhere, err}) == 1);
  CHECK(err.str() == "sudoku: the output cannot be written\n");
}

/// Presses Ctrl-C when the first progress line is written.
class interrupting_log : public std::stringbuf {
  int sync() override {
    if (!pressed_ && str().find("step ") != std::string::npos) {
      pressed_ = true;
      std::raise(SIGINT);
    }
    return 0;
  }
  bool pressed_ = false;
};

TEST_CASE("Ctrl-C in training keeps a checkpoint, and the same command then ends as if nothing had happened") {
  const lacuna_test::scratch_file file{"interrupted"};
  const auto at = [&](const char* name) { return (file.folder() / name).string(); };
  small_run(file.folder());
  const auto arguments = [&](const std::string& out, const std::string& checkpoint) {
    return std::vector<std::string>{"train",
                                    "--steps",
                                    "5",
                                    "--batch",
                                    "4",
                                    "--width",
                                    "8",
                                    "--depth",
                                    "1",
                                    "--puzzles",
                                    "20",
                                    "--evaluate",
                                    at("evaluation.csv"),
                                    "--out",
                                    at(out.c_str()),
                                    "--checkpoint",
                                    at(checkpoint.c_str())};
  };
  CHECK(run(arguments("whole.safetensors", "whole.checkpoint")).code == 0);

  const std::vector<std::string> words = arguments("stopped.safetensors", "stopped.checkpoint");
  std::vector<const char*> argv{"sudoku"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  std::istringstream in;
  std::ostringstream out;
  interrupting_log buffer;
  std::ostream log(&buffer);
  CHECK(run_command(static_cast<int>(argv.size()), argv.data(), {in, out, log}) == 130);
  CHECK(buffer.str().ends_with("interrupted; the same command goes on from " + at("stopped.checkpoint") + "\n"));
  CHECK(std::filesystem::exists(at("stopped.checkpoint")));
  const std::string whole = text_of(at("whole.safetensors"));
  const auto tensors_of = [](const std::string& bytes) { return bytes.substr(bytes.size() - 4 * 500); };
  CHECK(tensors_of(text_of(at("stopped.safetensors"))) != tensors_of(whole));

  CHECK(run(words).code == 0);
  CHECK(tensors_of(text_of(at("stopped.safetensors"))) == tensors_of(whole));
}

}  // namespace
