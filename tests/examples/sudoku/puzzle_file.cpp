#include "../../../examples/sudoku/puzzle_file.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>

namespace {

using namespace sudoku;

const std::string puzzle_text = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const std::string solution_text = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

std::vector<puzzle> read(const std::string& text) {
  std::istringstream in(text);
  return read_puzzles(in, "puzzles.csv");
}

/// What reading `text` is refused with.
std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const lacuna::file_error& e) {
    return e.what();
  }
  return "accepted";
}

std::string changed(std::string text, std::size_t at, char to) {
  text[at] = to;
  return text;
}

TEST_CASE("puzzles are read with and without solutions, headers, CRLF, zeros for blanks, and further columns") {
  std::string zeros = puzzle_text;
  for (char& c : zeros) c = c == '.' ? '0' : c;
  for (const std::string& text : {
           puzzle_text,
           puzzle_text + "\n",
           puzzle_text + "\n\n\n",
           puzzle_text + "\r\n",
           zeros + "\n",
           "puzzle\n" + puzzle_text + "\n",
           "Puzzle,Solution,\r\n" + puzzle_text + "," + solution_text + ",\r\n\r\n",
           "quizzes,solutions\n" + puzzle_text + "," + solution_text + "\n",
           puzzle_text + "," + solution_text + ",27,expert,,x\n",
           puzzle_text + ",\n",
           "id,puzzle,clues,solution\n1," + puzzle_text + ",30," + solution_text + "\n",
           "puzzle,difficulty\n" + puzzle_text + ",3.5\n",
           "\xEF\xBB\xBFpuzzle\n" + puzzle_text + "\n",
           " " + puzzle_text + " , " + solution_text + " \n",
       }) {
    CAPTURE(text);
    const std::vector<puzzle> puzzles = read(text);
    REQUIRE(puzzles.size() == 1);
    CHECK(puzzles[0].givens == from_line(puzzle_text));
    CHECK(puzzles[0].solution.has_value() == (text.find(solution_text) != std::string::npos));
    if (puzzles[0].solution) CHECK(*puzzles[0].solution == from_line(solution_text));
  }
}

TEST_CASE("puzzles keep their order") {
  const std::vector<puzzle> puzzles = read(puzzle_text + "\n" + std::string(81, '.') + "\n" + solution_text + "\n");
  REQUIRE(puzzles.size() == 3);
  CHECK(count_blanks(puzzles[0].givens) == 51);
  CHECK(count_blanks(puzzles[1].givens) == 81);
  CHECK(count_blanks(puzzles[2].givens) == 0);
}

TEST_CASE("a wrong length is refused with the line and the length") {
  CHECK(refusal(puzzle_text + "\n" + puzzle_text + ".\n") == "puzzles.csv:2: the puzzle has 82 characters, expected 81");
  CHECK(refusal(puzzle_text.substr(1)) == "puzzles.csv:1: the puzzle has 80 characters, expected 81");
  CHECK(refusal("puzzle\n," + puzzle_text) == "puzzles.csv:2: the puzzle has 0 characters, expected 81");
  CHECK(refusal(puzzle_text + ",12") == "puzzles.csv:1: the solution has 2 characters, expected 81");
}

TEST_CASE("another character is refused with its place") {
  CHECK(refusal(changed(puzzle_text, 2, 'x')) == "puzzles.csv:1: the puzzle has 'x' as character 3, expected a digit or '.'");
  CHECK(refusal(changed(puzzle_text, 80, '\x01')) ==
        "puzzles.csv:1: the puzzle has a byte that is no text as character 81, expected a digit or '.'");
  CHECK(refusal("header\nheader\n" + puzzle_text) ==
        "puzzles.csv:2: the puzzle has 'h' as character 1, expected a digit or '.'");
  CHECK(refusal(puzzle_text + "," + changed(solution_text, 0, '-')) ==
        "puzzles.csv:1: the solution has '-' as character 1, expected a digit or '.'");
}

TEST_CASE("givens that conflict are refused with the unit") {
  CHECK(refusal(changed(puzzle_text, 8, '5')) == "puzzles.csv:1: the puzzle: row 1 holds 5 twice");
  CHECK(refusal(changed(puzzle_text, 72, '6')) == "puzzles.csv:1: the puzzle: column 1 holds 6 twice");
  CHECK(refusal(changed(puzzle_text, 2, '9')) == "puzzles.csv:1: the puzzle: box 1 holds 9 twice");
}

TEST_CASE("a solution that is none is refused") {
  CHECK(refusal(puzzle_text + "," + changed(solution_text, 0, '3')) == "puzzles.csv:1: the solution: row 1 holds 3 twice");
  CHECK(refusal(puzzle_text + "," + changed(solution_text, 40, '.')) == "puzzles.csv:1: the solution has 1 blanks");
  std::string other = solution_text;  // valid, with 1 and 2 exchanged
  for (char& c : other) c = c == '1' ? '2' : c == '2' ? '1' : c;
  CHECK(refusal(puzzle_text + "," + other) == "puzzles.csv:1: the solution changes the given in row 2, column 4");
}

TEST_CASE("an empty line in the middle, a line without its column and a file without puzzles are refused") {
  CHECK(refusal(puzzle_text + "\n\n" + puzzle_text) == "puzzles.csv:2: the line is empty, expected a puzzle");
  CHECK(refusal("id,puzzle\n7\n") == "puzzles.csv:2: the line has no puzzle column");
  for (const char* text : {"", "\n", "\r\n\r\n", "puzzle,solution\n"}) CHECK(refusal(text) == "puzzles.csv: holds no puzzle");
}

TEST_CASE("a file that is not there, and a folder, are refused by name") {
  CHECK_THROWS_WITH_AS(read_puzzles(std::string{"no/such/file.csv"}), "no/such/file.csv: cannot be opened", lacuna::file_error);
  CHECK_THROWS_AS(read_puzzles(std::string{"/"}), lacuna::file_error);
}

}  // namespace
