#include "results_file.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "../common/fingerprint.hpp"
#include "grid.hpp"
#include "lacuna/core/errors.hpp"

namespace sudoku {

using namespace common;
namespace {

std::string hash_text(std::string_view bytes) {
  fingerprint f;
  for (const char c : bytes) f.add(static_cast<unsigned char>(c));
  return f.text();
}

/// How a line begins that `add` writes.
constexpr std::string_view line_start = "{\"network\":";

std::string contents_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw lacuna::file_error(path + ": cannot be opened");
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::string fingerprint_of(const std::string& file) {
  return std::filesystem::is_regular_file(file) ? hash_text(contents_of(file)) : "none";
}

std::string fingerprint_of(std::span<const puzzle> puzzles) {
  std::string lines;
  for (const puzzle& p : puzzles) lines += to_line(p.givens) + (p.solution ? to_line(*p.solution) : "") + "\n";
  return hash_text(lines);
}

results_file::results_file(std::string path, measured_on on) : path_{std::move(path)}, on_{std::move(on)} {
  if (path_.empty() || !std::filesystem::exists(path_)) return;
  const std::string text = contents_of(path_);
  std::size_t begin = 0;
  for (std::size_t number = 1; begin < text.size(); ++number) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) {
      const std::string_view rest = std::string_view{text}.substr(begin);
      if (!rest.starts_with(line_start) && !line_start.starts_with(rest))
        throw lacuna::file_error(path_ + ":" + std::to_string(number) + ": no result of sudoku table: \"" +
                                 std::string(rest.substr(0, 40)) + "\", expected a line that begins with " +
                                 std::string(line_start));
      std::filesystem::resize_file(path_, begin);  // a run was stopped while it wrote
      return;
    }
    read_line(text.substr(begin, end - begin), number);
    begin = end + 1;
  }
}

std::string results_file::estimator_of(const std::string& sampler) const {
  return sampler.find("mi=neural") == std::string::npos ? "" : on_.estimator;
}

void results_file::read_line(const std::string& line, std::size_t number) {
  try {
    const auto json = nlohmann::json::parse(line);
    measurement m{json.at("sampler"),         {},
                  json.at("passes"),          json.at("probe_calls"),
                  json.at("probe_rows"),      json.at("seconds"),
                  json.at("network_seconds"), json.at("estimator_seconds")};
    for (const char c : json.at("solved").get<std::string>()) m.solved.push_back(c == '1' ? 1 : 0);
    if (m.size() == 0 || m.passes.size() != m.size() || m.probe_calls.size() != m.size() || m.probe_rows.size() != m.size())
      throw lacuna::file_error("lists of different lengths or empty ones, expected a number for each puzzle");
    if (json.at("network") == on_.network && json.at("estimator") == estimator_of(m.sampler) &&
        json.at("puzzles") == on_.puzzles && json.at("seed") == on_.seed)
      keep(std::move(m));
  } catch (const std::exception& e) {
    throw lacuna::file_error(path_ + ":" + std::to_string(number) + ": no result of sudoku table: " + e.what());
  }
}

const measurement* results_file::find(const std::string& sampler, std::size_t count) const {
  const auto at = kept_.find(sampler);
  return at == kept_.end() || at->second.size() < count ? nullptr : &at->second;
}

const measurement& results_file::keep(measurement m) {
  measurement& at = kept_[m.sampler];
  if (at.size() <= m.size()) at = std::move(m);
  return at;
}

const measurement& results_file::add(measurement m) {
  if (!path_.empty()) {
    nlohmann::ordered_json line;
    line["network"] = on_.network;
    line["estimator"] = estimator_of(m.sampler);
    line["puzzles"] = on_.puzzles;
    line["seed"] = on_.seed;
    line["sampler"] = m.sampler;
    std::string solved;
    for (const double s : m.solved) solved += s > 0 ? '1' : '0';
    line["solved"] = solved;
    line["passes"] = m.passes;
    line["probe_calls"] = m.probe_calls;
    line["probe_rows"] = m.probe_rows;
    line["seconds"] = m.seconds;
    line["network_seconds"] = m.network_seconds;
    line["estimator_seconds"] = m.estimator_seconds;
    std::ofstream out(path_, std::ios::app);
    out << line.dump() + "\n" << std::flush;
    if (!out) throw lacuna::file_error(path_ + ": cannot be written");
  }
  return keep(std::move(m));
}

}  // namespace sudoku
