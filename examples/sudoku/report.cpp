#include "report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>
#include <variant>
#include <vector>

#include "../common/text_table.hpp"
#include "lacuna/sample/sampler.hpp"

namespace sudoku {

using namespace common;
namespace {

/// A grid in eleven lines of equal length, with lines between its boxes.
std::array<std::string, 11> lines_of(const std::array<std::string, cell_count>& cells) {
  std::size_t width = 1;
  for (const std::string& cell : cells) width = std::max(width, cell.size());
  std::array<std::string, 11> lines;
  std::size_t at = 0;
  for (std::size_t row = 0; row < 9; ++row) {
    if (row == 3 || row == 6) {
      const std::string box(3 * (width + 1) + 1, '-');
      lines[at++] = box + '+' + box + '+' + box.substr(1);
    }
    std::string& line = lines[at++];
    for (std::size_t column = 0; column < 9; ++column) {
      const std::string& cell = cells[9 * row + column];
      line += (column % 3 == 0 && column > 0 ? " |" : "") + std::string(width + 1 - cell.size(), ' ') + cell;
    }
  }
  return lines;
}

std::array<std::string, cell_count> digits_of(const grid& g) {
  std::array<std::string, cell_count> cells;
  for (std::size_t cell = 0; cell < cell_count; ++cell) cells[cell] = g[cell] == blank ? "." : std::to_string(g[cell]);
  return cells;
}

}  // namespace

void show_filling(std::ostream& out, const puzzle& p, const lacuna::decode_result& result) {
  std::array<std::string, cell_count> passes;
  for (std::size_t cell = 0; cell < cell_count; ++cell)
    passes[cell] = result.step[cell] == lacuna::never ? "." : std::to_string(result.step[cell] + 1);
  const grid answer = grid_of(result);
  const std::array grids{lines_of(digits_of(p.givens)), lines_of(passes), lines_of(digits_of(answer))};
  const std::array<std::string, 3> titles{" the puzzle", " filled in pass number",
                                          solves(p, answer) ? " the result: solved" : " the result: wrong"};
  for (std::size_t line = 0; line < 12; ++line) {
    std::string text;
    for (std::size_t k = 0; k < 3; ++k)
      text += std::string(k == 0 ? "" : "    ") + padded(line == 0 ? titles[k] : grids[k][line - 1], grids[k][0].size());
    text.resize(text.find_last_not_of(' ') + 1);
    out << text << '\n';
  }
}

sampler_table::sampler_table(std::ostream& out, std::span<const named_sampler> samplers) : out_{&out}, width_{7} {
  for (const named_sampler& s : samplers) width_ = std::max(width_, s.text().size());
  out << padded("sampler", width_)
      << format("%17s%17s%10s%10s%13s%12s\n", "passes", "solved", "valid", "seconds", "probe calls", "probe rows")
      << std::flush;
}

void sampler_table::row(const named_sampler& sampler, const decoded_puzzles& decoded) {
  const auto n = static_cast<double>(decoded.grids.size());
  const double solved = static_cast<double>(decoded.solved) / n;
  const double valid = static_cast<double>(decoded.valid) / n;
  *out_ << padded(sampler.text(), width_)
        << with_error(format("%.2f", mean(decoded.passes)), format("%.2f", standard_error(decoded.passes)), 17)
        << with_error(format("%.1f %%", 100 * solved), format("%.1f", 100 * std::sqrt(solved * (1 - solved) / n)), 17)
        << format("%8.1f %%%10.2f%13.2f%12.1f\n", 100 * valid, decoded.seconds, mean(decoded.probe_calls),
                  mean(decoded.probe_rows))
        << std::flush;
}

void write_json_line(std::ostream& out, const named_sampler& sampler, const decoded_puzzles& decoded) {
  nlohmann::ordered_json line;
  line["sampler"] = sampler.name;
  for (const parameter& p : sampler.parameters) std::visit([&](const auto& value) { line[p.key] = value; }, p.value);
  line["puzzles"] = decoded.grids.size();
  line["passes"] = mean(decoded.passes);
  line["solved"] = decoded.solved;
  line["valid"] = decoded.valid;
  line["seconds"] = decoded.seconds;
  line["probe_calls"] = mean(decoded.probe_calls);
  line["probe_rows"] = mean(decoded.probe_rows);
  line["network_seconds"] = decoded.network_seconds;
  line["estimator_seconds"] = decoded.estimator_seconds;
  out << line.dump() << std::endl;
}

}  // namespace sudoku
