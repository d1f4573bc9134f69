#include "table_report.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "../common/text_table.hpp"
#include "lacuna/core/number_text.hpp"

namespace sudoku {

using namespace common;
namespace {

constexpr std::size_t name_width = 86;

std::string points(const difference& d) { return format("%+.1f ± %.1f points", 100 * d.mean, 100 * d.error); }
std::string of_passes(const difference& d) { return format("%+.2f ± %.2f", d.mean, d.error); }
const char* noise(const difference& d) { return d.beyond_noise() ? "beyond" : "within"; }

std::string draws(double temperature) {
  return temperature == 0 ? "the likeliest digits" : "digits drawn at temperature " + lacuna::number_text(temperature);
}

}  // namespace

compared compare(const measurement& guided, const measurement& other, const std::string& what) {
  return {guided.sampler,
          other.sampler,
          what,
          paired_difference(guided.solved, other.solved),
          paired_difference(guided.passes, other.passes),
          std::min(guided.size(), other.size())};
}

void table_report::head(double temperature) {
  temperature_ = temperature;
  compared_.clear();
  if (json_) return;
  *out_ << "With " << draws(temperature) << ":\n\n"
        << padded("sampler", name_width)
        << format("%8s%17s%17s%12s%10s%11s\n", "puzzles", "passes", "solved", "probe rows", "network", "estimator")
        << std::flush;
}

void table_report::row(const measurement& m, const std::string& family) {
  const double solved = mean(m.solved);
  const double error = std::sqrt(solved * (1 - solved) / static_cast<double>(m.size()));
  if (!family.empty()) {
    const std::string name = family + (temperature_ == 0 ? "" : ", drawn");
    auto at = std::find_if(curves_.begin(), curves_.end(), [&](const auto& c) { return c.name == name; });
    if (at == curves_.end()) at = curves_.insert(curves_.end(), {name, {}});
    if (mean(m.passes) > 0) at->points.push_back({mean(m.passes), 100 * solved, 100 * error, m.sampler});
  }
  if (json_) {
    nlohmann::ordered_json line;
    line["sampler"] = m.sampler;
    line["temperature"] = temperature_;
    line["puzzles"] = m.size();
    line["passes"] = mean(m.passes);
    line["passes_error"] = standard_error(m.passes);
    line["solved"] = solved;
    line["solved_error"] = error;
    line["probe_calls"] = mean(m.probe_calls);
    line["probe_rows"] = mean(m.probe_rows);
    line["seconds"] = m.seconds;
    line["network_seconds"] = m.network_seconds;
    line["estimator_seconds"] = m.estimator_seconds;
    *out_ << line.dump() << std::endl;
    return;
  }
  *out_ << padded(m.sampler, name_width) << format("%8zu", m.size())
        << with_error(format("%.2f", mean(m.passes)), format("%.2f", standard_error(m.passes)), 17)
        << with_error(format("%.1f %%", 100 * solved), format("%.1f", 100 * error), 17)
        << format("%12.1f%8.1f s%9.1f s\n", mean(m.probe_rows), m.network_seconds, m.estimator_seconds) << std::flush;
}

void table_report::row(const compared& c) {
  compared_.push_back(c);
  if (json_) {
    nlohmann::ordered_json line;
    line["sampler"] = c.sampler;
    line["less"] = c.other;
    line["equal"] = c.what == "lambda" ? "budget" : "passes";
    line["puzzles"] = c.puzzles;
    line["passes"] = c.passes.mean;
    line["passes_error"] = c.passes.error;
    line["solved"] = c.solved.mean;
    line["solved_error"] = c.solved.error;
    *out_ << line.dump() << std::endl;
    return;
  }
  *out_ << "    " << (c.what == "lambda" ? "with information less without" : "guided less entropy bound")
        << ", the same puzzles: passes " << of_passes(c.passes) << ", solved " << points(c.solved) << " (" << noise(c.solved)
        << " two standard errors)\n"
        << std::flush;
}

void table_report::verdict() {
  if (json_ || compared_.empty()) return;
  *out_ << "\nWhat is due to the information, with " << draws(temperature_) << ":\n";
  std::size_t lines = 0, better = 0, worse = 0;
  for (const compared& c : compared_) {
    if (c.what != "lambda") continue;
    ++lines;
    if (c.solved.beyond_noise()) ++(c.solved.mean > 0 ? better : worse);
    *out_ << "  " << c.sampler << ", " << c.puzzles
          << " puzzles:\n    the information itself (lambda against 0, same budget): " << points(c.solved) << " for "
          << of_passes(c.passes) << " passes\n";
    for (const compared& e : compared_)
      if (e.what != "lambda" && e.sampler == c.sampler)
        *out_ << "    budget and information together (against an entropy bound, " << of_passes(e.passes)
              << " passes): " << points(e.solved) << "\n";
  }
  *out_ << "In " << better << " of " << lines << " lines the information solves more, in " << worse
        << " fewer, beyond two standard errors";
  *out_ << (better + worse == 0 ? ": what it does here cannot be told from noise.\n" : ".\n") << std::flush;
}

}  // namespace sudoku
