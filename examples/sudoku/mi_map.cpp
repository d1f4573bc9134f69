#include "mi_map.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <utility>
#include <vector>

#include "../common/number_check.hpp"
#include "../common/text_table.hpp"
#include "grid.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/draw/argmax.hpp"
#include "lacuna/io/npy.hpp"
#include "lacuna/mi/estimate.hpp"
#include "lacuna/mi/matrix_picture.hpp"
#include "lacuna/mi/pruned.hpp"
#include "lacuna/order/top_k.hpp"
#include "lacuna/rank/entropy.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/run.hpp"
#include "puzzle_file.hpp"

namespace sudoku {

using namespace common;
namespace {

using matrix = lacuna::tensor<double, 2>;

std::string name_of(std::size_t cell) {
  return "r" + std::to_string(row_of(cell) + 1) + "c" + std::to_string(column_of(cell) + 1);
}

/// One way to estimate, over all 81 cells.
struct side {
  std::string name;
  lacuna::mi::information found;
  lacuna::nfe::count network;
  matrix cleaned;  // [81, 81]
};

side side_of(std::string name, lacuna::mi::estimates&& estimated) {
  lacuna::mi::information found = std::move(estimated.of.front());
  matrix cleaned = lacuna::mi::over_sequence(found.cleaned(), found.positions, cell_count);
  return {std::move(name), std::move(found), estimated.network, std::move(cleaned)};
}

/// R,C as the number of a cell.
std::size_t cell_of(const std::string& text) {
  const std::size_t comma = text.find(',');
  std::array<std::size_t, 2> at{};
  if (comma == std::string::npos || !lacuna::read_number(std::string_view{text}.substr(0, comma), at[0]) ||
      !lacuna::read_number(std::string_view{text}.substr(comma + 1), at[1]) || at[0] < 1 || at[0] > 9 || at[1] < 1 || at[1] > 9)
    throw lacuna::invalid_argument("--cell: " + text + ", expected row,column, each from 1 to 9");
  return 9 * (at[0] - 1) + at[1] - 1;
}

/// The board that is asked about, and what it is called.
std::pair<grid, std::string> board_of(const mi_map_arguments& arguments, std::istream& in) {
  if (arguments.empty) return {grid{}, "an empty board"};
  const std::vector<puzzle> puzzles = read_puzzles(arguments.file, in);
  const std::string name = arguments.file == "-" ? "standard input" : arguments.file;
  if (arguments.puzzle < 1 || arguments.puzzle > puzzles.size())
    throw lacuna::invalid_argument("--puzzle: " + std::to_string(arguments.puzzle) + ", expected one of the " +
                                   std::to_string(puzzles.size()) + " of " + name);
  return {puzzles[arguments.puzzle - 1].givens, "puzzle " + std::to_string(arguments.puzzle) + " of " + name};
}

/// Fills in one cell a pass with its likeliest digit, the surest cell first.
lacuna::canvas filled_in(model& m, const lacuna::canvas& start, std::size_t cells) {
  auto run = lacuna::start(m, lacuna::compose(lacuna::order::top_k{lacuna::rank::entropy{}}, lacuna::draw::argmax{}), start);
  for (std::size_t k = 0; k < cells; ++k) run.step();
  return run.sequence();
}

/// The blank whose information about the others is the largest in sum, and that sum.
std::pair<std::size_t, double> most_telling(const side& s) {
  std::pair<std::size_t, double> best{cell_count, -1};
  for (const std::size_t a : s.found.positions) {
    double sum = 0;
    for (const std::size_t b : s.found.positions) sum += s.cleaned(a, b);
    if (sum > best.second) best = {a, sum};
  }
  return best;
}

/// The known digits, and for a blank what it shares with the chosen one.
lacuna::mi::panel grid_of(const side& s, const lacuna::canvas& board, std::size_t chosen) {
  std::vector<double> row(&s.cleaned(chosen, 0), &s.cleaned(chosen, 0) + cell_count);
  std::vector<std::string> labels;
  for (std::size_t cell = 0; cell < cell_count; ++cell)
    labels.push_back(cell == chosen          ? name_of(cell)
                     : board.is_masked(cell) ? row[cell] < 0.0005 ? "<.001" : format("%.3f", row[cell])
                                             : std::to_string(board[cell]));
  for (std::size_t cell = 0; cell < cell_count; ++cell)
    if (!board.is_masked(cell)) row[cell] = std::nan("");
  return lacuna::mi::grid_panel(s.name + ": what " + name_of(chosen) + " shares with the others", row, 9, chosen,
                                std::move(labels));
}

void draw(const mi_map_arguments& arguments, const std::vector<side>& sides, const lacuna::canvas& board,
          std::optional<std::size_t> chosen) {
  std::vector<std::string> names;
  for (std::size_t cell = 0; cell < cell_count; ++cell) names.push_back(name_of(cell));
  std::vector<lacuna::mi::panel> panels;
  for (const side& s : sides) {
    matrix shown = s.cleaned;
    for (std::size_t a = 0; a < cell_count; ++a)
      for (std::size_t b = 0; b < cell_count; ++b)
        if (!board.is_masked(a) || !board.is_masked(b)) shown(a, b) = std::nan("");  // not that they share nothing
    panels.push_back(lacuna::mi::matrix_panel(s.name + ": mutual information of the cells", shown, names));
  }
  if (chosen)
    for (const side& s : sides) panels.push_back(grid_of(s, board, *chosen));
  std::ofstream file(arguments.out);
  if (file) lacuna::mi::matrix_picture{arguments.log_from, 9, sides.size(), "nats", "known digits"}.write(file, panels);
  file.close();
  if (!file) throw lacuna::file_error(arguments.out + ": cannot be written");
}

void list_pairs(std::ostream& out, const std::vector<side>& sides, std::size_t count) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  const auto& positions = sides.front().found.positions;
  for (std::size_t a = 0; a < positions.size(); ++a)
    for (std::size_t b = a + 1; b < positions.size(); ++b) pairs.emplace_back(positions[a], positions[b]);
  count = std::min(count, pairs.size());
  if (count == 0) return;
  const auto more = [&](const auto& a, const auto& b) {
    const double x = sides.front().cleaned(a.first, a.second);
    const double y = sides.front().cleaned(b.first, b.second);
    return x != y ? x > y : a < b;
  };
  std::partial_sort(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(count), pairs.end(), more);
  out << "\nlargest (nats)";
  for (const side& s : sides) out << format("%10s", s.name.c_str());
  out << '\n';
  for (std::size_t k = 0; k < count; ++k) {
    const auto& [a, b] = pairs[k];
    out << "  " << name_of(a) << "  " << name_of(b) << "  ";
    for (const side& s : sides) out << format("%10.4f", s.cleaned(a, b));
    out << '\n';
  }
}

}  // namespace

void mi_map(const mi_map_arguments& arguments, const streams& io,
            const std::function<model(const std::string&, std::size_t)>& load, const estimator_slot::loading& load_estimator) {
  const lacuna::mi::pruned exact{arguments.epsilon};
  lacuna::validate(exact);
  std::optional<std::size_t> chosen;
  if (!arguments.cell.empty()) chosen = cell_of(arguments.cell);
  const auto [givens, name] = board_of(arguments, io.in);
  const std::size_t blanks = count_blanks(givens);
  if (arguments.filled > blanks)
    throw lacuna::invalid_argument("--filled: " + std::to_string(arguments.filled) + ", expected at most the " +
                                   std::to_string(blanks) + " blanks of " + name);

  model m = load(arguments.weights, arguments.threads);
  const std::optional<pair_estimator> estimator = find_estimator(arguments.estimator, arguments.weights, m, load_estimator);
  if (arguments.estimator.empty() && !arguments.npy_neural.empty() && !estimator)
    throw lacuna::file_error(estimator_beside(arguments.weights) + ": not there, expected an estimator for --npy-neural");
  const lacuna::canvas board =
      filled_in(m, lacuna::canvas::infill_where({givens.begin(), givens.end()}, blank), arguments.filled);
  if (chosen && !board.is_masked(*chosen))
    throw lacuna::invalid_argument("--cell: " + arguments.cell + " holds " + std::to_string(board[*chosen]) +
                                   ", expected a blank cell");

  const std::vector<lacuna::mi::question> questions = questions_of({&board, 1});
  const lacuna::mi::estimate_options options{arguments.batch};
  std::vector<side> sides;
  sides.push_back(side_of(arguments.epsilon == 0 ? "exact" : "pruned", lacuna::mi::estimate(m, questions, exact, options)));
  if (estimator) sides.push_back(side_of("neural", lacuna::mi::estimate(m, questions, *estimator, options)));

  io.out << name << ": " << blanks << " blanks";
  if (arguments.filled > 0) io.out << ", of which the network filled in " << arguments.filled;
  io.out << "; a network of " << m.parameter_count() << " parameters";
  if (estimator) io.out << ", an estimator of " << estimator->parameter_count();
  io.out << '\n';
  for (const side& s : sides) io.out << s.name << ": " << s.network.calls << " passes, " << s.network.rows << " rows\n";
  list_pairs(io.out, sides, arguments.pairs);
  const auto [telling, sum] = most_telling(sides.front());
  if (telling < cell_count) {
    io.out << "\n" << name_of(telling) << format(" shares most with the others: %.4f nats in sum\n", sum);
    if (!chosen) chosen = telling;
  }

  draw(arguments, sides, board, chosen);
  if (!arguments.npy.empty()) lacuna::io::write_npy(arguments.npy, sides.front().cleaned);
  if (!arguments.npy_neural.empty()) lacuna::io::write_npy(arguments.npy_neural, sides.back().cleaned);
  io.out << "drawn in " << arguments.out << '\n';
}

void add_mi_map_command(CLI::App& app, const streams& io) {
  const auto arguments = std::make_shared<mi_map_arguments>();
  mi_map_arguments& o = *arguments;
  CLI::App* command = app.add_subcommand("mi-map", "Draws which cells the network believes depend on which");
  command->footer(
      "The picture shows the mutual information of all pairs of cells, and what one cell shares with each other one, laid out\n"
      "as the board is: exactly, by putting every digit into every blank, and beside it as a trained estimator reads it off\n"
      "the network's hidden states in a single pass, if there is one.\n"
      "Examples:\n"
      "  sudoku mi-map --puzzle 7 --filled 20\n"
      "  sudoku mi-map --empty --filled 30 --cell 5,5 --out board.svg --npy board.npy");
  CLI::Option* file = command
                          ->add_option("FILE", o.file,
                                       "Puzzles, one a line: 81 characters, . or 0 for a blank, then optionally ,solution; - "
                                       "reads standard input")
                          ->type_name("")
                          ->capture_default_str();
  const auto path = [&](const char* name, std::string& value, const char* what) {
    return command->add_option(name, value, what)->type_name("FILE");
  };
  add_number(*command, "--puzzle", o.puzzle, "Which of the puzzles")->transform(whole(1));
  command->add_flag("--empty", o.empty, "An empty board instead of a puzzle")->excludes(file);
  add_number(*command, "--filled", o.filled, "Blanks that the network fills in first, one a pass, the surest first")
      ->transform(whole(0, 81));
  command->add_option("--cell", o.cell, "The cell to compare with all others; without, the one that shares most")
      ->type_name("R,C");
  command
      ->add_option(
          "--epsilon", o.epsilon,
          "Leave out rare digits, of this mass at a cell at most: fewer rows, numbers that may be too large; 0 is exact")
      ->check(between(0, 0.999))
      ->type_name("X")
      ->capture_default_str();
  command->add_option("--log-from", o.log_from, "Nats where the scale of colours begins, in logarithms; 0 for a linear scale")
      ->check(between(0, 1))
      ->type_name("X")
      ->capture_default_str();
  add_number(*command, "--pairs", o.pairs, "Largest pairs to list")->transform(whole(0));
  path("--weights", o.weights, "Network, as written by sudoku train")->capture_default_str();
  path("--estimator", o.estimator, "Trained estimator; without, NAME-mi.safetensors beside the weights, if it is there");
  path("--out", o.out, "The picture, as SVG")->capture_default_str();
  path("--npy", o.npy, "Write the exact matrix [81, 81] as well, for NumPy");
  path("--npy-neural", o.npy_neural, "Write the estimator's matrix [81, 81] as well, for NumPy");
  add_number(*command, "--batch", o.batch, "Most rows in one call of the network; changes no result")->transform(whole(1));
  add_number(*command, "--threads", o.threads, "Threads of the network; changes no result")->transform(whole(1, 1024));
  command->callback([arguments, io] { mi_map(*arguments, io); });
}

}  // namespace sudoku
