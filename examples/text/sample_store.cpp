#include "sample_store.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "lacuna/core/errors.hpp"

namespace text {

namespace {
/// How a line begins that `add` writes.
constexpr std::string_view line_start = "{\"network\":";
}  // namespace

sample_store::sample_store(std::string path, std::uint64_t seed, std::size_t piece_size)
    : path_{std::move(path)}, seed_{seed}, piece_size_{piece_size} {
  if (path_.empty() || !std::filesystem::exists(path_)) return;
  std::ifstream in(path_, std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw lacuna::file_error(path_ + ": cannot be read");
  std::size_t begin = 0;
  for (std::size_t number = 1; begin < all.size(); ++number) {
    const std::size_t end = all.find('\n', begin);
    if (end == std::string::npos) {
      const std::string_view rest = std::string_view{all}.substr(begin);
      if (!rest.starts_with(line_start) && !line_start.starts_with(rest))
        throw lacuna::file_error(path_ + ":" + std::to_string(number) +
                                 ": no piece of text table, expected a line that begins with " + std::string(line_start));
      std::filesystem::resize_file(path_, begin);  // a run was stopped while it wrote
      return;
    }
    read_line(all.substr(begin, end - begin), number);
    begin = end + 1;
  }
}

void sample_store::read_line(const std::string& line, std::size_t line_number) {
  try {
    const auto json = nlohmann::json::parse(line);
    piece p{json.at("texts"), json.at("passes"), json.at("seconds")};
    if (p.passes.size() != p.texts.size()) throw lacuna::file_error("texts and passes of different number");
    if (json.at("seed") == seed_ && p.texts.size() == piece_size_)
      kept_.insert_or_assign(
          {json.at("network").get<std::string>(), json.at("sampler").get<std::string>(), json.at("piece").get<std::size_t>()},
          std::move(p));
  } catch (const std::exception& e) {
    throw lacuna::file_error(path_ + ":" + std::to_string(line_number) + ": no piece of text table: " + e.what());
  }
}

const piece* sample_store::find(const std::string& network, const std::string& sampler, std::size_t number) const {
  const auto at = kept_.find({network, sampler, number});
  return at == kept_.end() ? nullptr : &at->second;
}

const piece& sample_store::add(const std::string& network, const std::string& sampler, std::size_t number, piece p) {
  if (!path_.empty()) {
    nlohmann::ordered_json line;
    line["network"] = network;
    line["seed"] = seed_;
    line["sampler"] = sampler;
    line["piece"] = number;
    line["texts"] = p.texts;
    line["passes"] = p.passes;
    line["seconds"] = p.seconds;
    std::ofstream out(path_, std::ios::app);
    out << line.dump() + "\n" << std::flush;
    if (!out) throw lacuna::file_error(path_ + ": cannot be written");
  }
  return kept_.insert_or_assign({network, sampler, number}, std::move(p)).first->second;
}

}  // namespace text
