#include "solved_store.hpp"

#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "lacuna/core/errors.hpp"

namespace arithmetic {

namespace {
/// How a line begins that `add` writes.
constexpr std::string_view line_start = "{\"problems\":";
}  // namespace

solved_store::solved_store(std::string path, std::string problems, std::size_t piece_size)
    : path_{std::move(path)}, problems_{std::move(problems)}, piece_size_{piece_size} {
  if (path_.empty() || !std::filesystem::exists(path_)) return;
  std::ifstream in(path_, std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw lacuna::file_error(path_ + ": cannot be read");
  std::size_t begin = 0;
  for (std::size_t number = 1; begin < all.size(); ++number) {
    const std::size_t end = all.find('\n', begin);
    const std::string_view line = std::string_view{all}.substr(begin, std::min(end, all.size()) - begin);
    if (!line.starts_with(line_start) && !line_start.starts_with(line))
      throw lacuna::file_error(path_ + ":" + std::to_string(number) +
                               ": no piece of arithmetic table, expected a line that begins with " + std::string(line_start));
    if (end == std::string::npos) {
      std::filesystem::resize_file(path_, begin);  // a run was stopped while it wrote
      return;
    }
    read_line(std::string{line}, number);
    begin = end + 1;
  }
}

void solved_store::read_line(const std::string& line, std::size_t number) {
  try {
    const auto json = nlohmann::json::parse(line);
    solved_piece p{json.at("steps"), json.at("right"), json.at("chain"), json.at("probes"), json.at("seconds")};
    if (p.right.size() != p.steps.size() || p.chain.size() != p.steps.size())
      throw lacuna::file_error("steps, answers and chains of different number");
    if (json.at("problems") == problems_ && json.at("size") == piece_size_)
      kept_.insert_or_assign({json.at("sampler").get<std::string>(), json.at("piece").get<std::size_t>()}, std::move(p));
  } catch (const std::exception& e) {
    throw lacuna::file_error(path_ + ":" + std::to_string(number) + ": no piece of arithmetic table: " + e.what());
  }
}

const solved_piece* solved_store::find(const std::string& sampler, std::size_t number) const {
  const auto at = kept_.find({sampler, number});
  return at == kept_.end() ? nullptr : &at->second;
}

const solved_piece& solved_store::add(const std::string& sampler, std::size_t number, solved_piece p) {
  if (!path_.empty()) {
    nlohmann::ordered_json line;
    line["problems"] = problems_;
    line["size"] = piece_size_;
    line["sampler"] = sampler;
    line["piece"] = number;
    line["steps"] = p.steps;
    line["right"] = p.right;
    line["chain"] = p.chain;
    line["probes"] = p.probes;
    line["seconds"] = p.seconds;
    std::ofstream out(path_, std::ios::app);
    out << line.dump() + "\n" << std::flush;
    if (!out) throw lacuna::file_error(path_ + ": cannot be written");
  }
  return kept_.insert_or_assign({sampler, number}, std::move(p)).first->second;
}

}  // namespace arithmetic
