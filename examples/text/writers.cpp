#include "writers.hpp"

#include <memory>
#include <utility>
#include <variant>

#include "alphabet.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/draw/categorical.hpp"
#include "lacuna/order/ancestral.hpp"
#include "lacuna/order/entropy_bound.hpp"
#include "lacuna/order/top_k.hpp"
#include "lacuna/rank/confidence.hpp"
#include "lacuna/rank/entropy.hpp"
#include "lacuna/rank/left_to_right.hpp"
#include "lacuna/rank/margin.hpp"
#include "lacuna/rank/random.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/full_passes.hpp"
#include "lacuna/sample/speculative.hpp"
#include "lacuna/window/constant.hpp"
#include "lacuna/window/cosine.hpp"
#include "lacuna/window/linear.hpp"
#include "lacuna/window/none.hpp"

namespace text {

using namespace common;

namespace {

std::string text_of(const parameter_reader& p) {
  std::string text = p.name();
  for (const parameter& one : p.all()) text += (text == p.name() ? ":" : ",") + one.key + "=" + one.text();
  return text;
}

written texts_of(const lacuna::batch_result& result, const auto& passes) {
  written w;
  for (const lacuna::decode_result& row : result.rows) {
    if (row.reason == lacuna::stop_reason::error) throw lacuna::model_error(row.error);
    w.texts.push_back(string_of(row.tokens));
    w.passes.push_back(passes(row.cost));
  }
  return w;
}

/// A sampler that makes whole passes, on the masked network or by the drafts of the hybrid one.
template <class Sampler>
writer plain(parameter_reader& p, const Sampler& sampler) {
  const std::string on = p.word("on", "masked", {"masked", "hybrid"});
  p.finish();
  const lacuna::model_facts facts{vocabulary_size, mask, {mask}, {}, {}, 0};
  try {
    sampler.validate(facts);
  } catch (const lacuna::invalid_argument& e) {
    p.refuse(e.what());
  }
  return {text_of(p), on,
          [sampler, on](const networks& all, std::span<const lacuna::job> jobs, const lacuna::decode_options& options) {
            const auto rows = [](const lacuna::nfe& cost) { return static_cast<double>(cost.rows()); };
            return on == "masked" ? texts_of(lacuna::decode(*all.masked, jobs, sampler, options), rows)
                                  : texts_of(lacuna::decode(*all.hybrid, jobs, sampler, options), rows);
          }};
}

template <class Rank, class Window>
writer speculative(parameter_reader& p, Rank rank, Window window, std::size_t verifications, double temperature) {
  p.finish();
  lacuna::sample::speculative<Rank, Window> sampler;
  sampler.order = rank;
  sampler.window = window;
  sampler.verifications = verifications;
  sampler.temperature = temperature;
  try {
    sampler.validate(lacuna::model_facts{vocabulary_size, mask, {mask}, {}, {}, 0});
  } catch (const lacuna::invalid_argument& e) {
    p.refuse(e.what());
  }
  return {text_of(p), "hybrid",
          [sampler](const networks& all, std::span<const lacuna::job> jobs, const lacuna::decode_options& options) {
            lacuna::nn::hybrid_transformer& net = *all.hybrid;
            return texts_of(lacuna::decode(net, jobs, sampler, options),
                            [&](const lacuna::nfe& cost) { return lacuna::full_passes(cost, net); });
          }};
}

template <class Rank>
writer speculative_by(parameter_reader& p, Rank rank, std::size_t verifications, double temperature) {
  const std::string window = p.word("window", "cosine", {"none", "constant", "linear", "cosine"});
  if (window == "none") return speculative(p, rank, lacuna::window::none{}, verifications, temperature);
  if (window == "constant") return speculative(p, rank, lacuna::window::constant{p.count("k", 8)}, verifications, temperature);
  const double delta = p.number("delta", 0.05);
  if (window == "linear") return speculative(p, rank, lacuna::window::linear{delta}, verifications, temperature);
  return speculative(p, rank, lacuna::window::cosine{delta}, verifications, temperature);
}

writer make_speculative(parameter_reader& p) {
  const std::size_t verifications = p.count("n", 3);
  const double temperature = p.number("temperature", 1);
  const std::string order = p.word("order", "random", {"random", "confidence", "entropy", "margin", "left_to_right"});
  if (order == "confidence") return speculative_by(p, lacuna::rank::confidence{}, verifications, temperature);
  if (order == "entropy") return speculative_by(p, lacuna::rank::entropy{}, verifications, temperature);
  if (order == "margin") return speculative_by(p, lacuna::rank::margin{}, verifications, temperature);
  if (order == "left_to_right") return speculative_by(p, lacuna::rank::left_to_right{}, verifications, temperature);
  return speculative_by(p, lacuna::rank::random{}, verifications, temperature);
}

writer make_ancestral(parameter_reader& p) {
  const std::size_t steps = p.count("steps", 32);
  const lacuna::draw::categorical draw{p.number("temperature", 1)};
  if (p.word("grid", "cosine", {"cosine", "linear"}) == "linear")
    return plain(p, lacuna::compose(lacuna::order::ancestral{steps}, draw));
  return plain(p, lacuna::compose(lacuna::order::ancestral{steps, lacuna::pace::cosine_curve{}}, draw));
}

writer make_confidence(parameter_reader& p) {
  const std::size_t steps = p.count("steps", 32);
  const lacuna::draw::categorical draw{p.number("temperature", 1)};
  return plain(p, lacuna::compose(lacuna::order::top_k{lacuna::rank::confidence{}, lacuna::pace::cosine{steps}}, draw));
}

writer make_entropy_bound(parameter_reader& p) {
  const double gamma = p.number("gamma", 0.1);
  const lacuna::draw::categorical draw{p.number("temperature", 1)};
  return plain(p, lacuna::compose(lacuna::order::entropy_bound{gamma}, draw));
}

struct entry {
  const char* name;
  writer (*make)(parameter_reader&);
  const char* what;
};
constexpr entry entries[] = {
    {"speculative", make_speculative, "drafts a window of positions in an order and verifies it up to n times"},
    {"ancestral", make_ancestral, "reveals each position as the reverse diffusion process does, on a grid of steps"},
    {"confidence", make_confidence, "draws the most confident positions first, in so many passes"},
    {"entropy_bound", make_entropy_bound, "draws together what has little entropy in sum"}};

}  // namespace

writer make_writer(std::string_view text) {
  parameter_reader p{parse_spec(text)};
  std::string names;
  for (const entry& e : entries) {
    if (p.name() == e.name) return e.make(p);
    names += (names.empty() ? "" : ", ") + std::string(e.name);
  }
  throw lacuna::invalid_argument("sampler \"" + p.name() + "\": no such name, expected one of " + names);
}

std::string list_writers() {
  std::string all;
  for (const entry& e : entries) all += make_writer(e.name).text + "\n    " + e.what + "\n";
  return all;
}

}  // namespace text
