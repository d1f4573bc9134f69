#include "writers.hpp"

#include <concepts>
#include <utility>

#include "alphabet.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/draw/categorical.hpp"
#include "lacuna/likelihood/elbo.hpp"
#include "lacuna/likelihood/log_likelihood.hpp"
#include "lacuna/likelihood/masked_elbo.hpp"
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

/// In passes of the whole network.
template <class Net>
double passes_of(const lacuna::nfe& cost, [[maybe_unused]] const Net& net) {
  if constexpr (lacuna::has_pass_shares<Net>)
    return lacuna::full_passes(cost, net);
  else
    return static_cast<double>(cost.rows());
}

/// Writes with a sampler on the network that `net_of` finds.
template <class Sampler, class NetOf>
auto writes(const Sampler& sampler, const NetOf& net_of) {
  return
      [=](const networks& all, std::span<const lacuna::job> jobs, const lacuna::decode_options& options, const watcher& watch) {
        auto& net = net_of(all);
        const auto tell = [&](const lacuna::step_event& e) {
          if (watch) watch(e);
        };
        written w;
        for (const lacuna::decode_result& row : lacuna::decode(net, jobs, sampler, options, tell).rows) {
          if (row.reason == lacuna::stop_reason::error) throw lacuna::model_error(row.error);
          w.texts.push_back(string_of(row.tokens));
          w.passes.push_back(passes_of(row.cost, net));
        }
        return w;
      };
}

template <class NetOf>
auto counts_passes(const NetOf& net_of) {
  return [=](const networks& all, const lacuna::nfe& cost) { return passes_of(cost, net_of(all)); };
}

template <class Sampler>
void check(const parameter_reader& p, const Sampler& sampler) {
  try {
    sampler.validate(lacuna::model_facts{vocabulary_size, mask, {mask}, {}, {}, 0});
  } catch (const lacuna::invalid_argument& e) {
    p.refuse(e.what());
  }
}

/// The positions of a text, in order.
std::vector<std::size_t> positions_of(std::span<const lacuna::token> x) {
  return lacuna::likelihood::positions_from(0, x.size());
}

/// A sampler that makes whole passes, on the masked network or by the drafts of the hybrid one. `diffuses`: it reveals
/// positions in a random order, with what the network says of them; the bound of its likelihood is for one at a time.
template <class Sampler>
writer plain(parameter_reader& p, const Sampler& sampler, bool diffuses = false) {
  const std::string on = p.word("on", "masked", {"masked", "hybrid"});
  p.finish();
  check(p, sampler);
  const auto with = [&](const auto& net_of) {
    writer w{text_of(p), on, writes(sampler, net_of), counts_passes(net_of), {}};
    if (diffuses)
      w.likelihood = [net_of](const networks& all, std::span<const lacuna::token> x, std::uint64_t stream) {
        lacuna::likelihood::masked_elbo_options options;
        options.stream = stream;
        return lacuna::likelihood::masked_elbo(net_of(all), x, positions_of(x), options);
      };
    return w;
  };
  return on == "masked" ? with([](const networks& all) -> lacuna::nn::transformer& { return *all.masked; })
                        : with([](const networks& all) -> lacuna::nn::hybrid_transformer& { return *all.hybrid; });
}

template <class Rank, class Window>
writer speculative(parameter_reader& p, Rank rank, Window window, std::size_t verifications, double temperature) {
  const std::string on = p.word("on", "hybrid", {"hybrid", "causal"});
  p.finish();
  lacuna::sample::speculative<Rank, Window> sampler;
  sampler.order = rank;
  sampler.window = window;
  sampler.verifications = verifications;
  sampler.temperature = temperature;
  check(p, sampler);
  const auto net_of = [on](const networks& all) -> lacuna::nn::hybrid_transformer& { return all.verifying(on); };
  writer w{text_of(p), on, writes(sampler, net_of), counts_passes(net_of), {}};
  if constexpr (lacuna::rank_before_pass<Rank>)
    w.likelihood = [=](const networks& all, std::span<const lacuna::token> x, std::uint64_t stream) {
      const lacuna::likelihood::speculation how{verifications, temperature};
      if constexpr (std::same_as<Rank, lacuna::rank::random>) {
        return lacuna::likelihood::elbo(net_of(all), x, positions_of(x), window, {1, 0, stream, how});
      } else {
        static_assert(std::same_as<Rank, lacuna::rank::left_to_right>);
        return lacuna::likelihood::log_likelihood(net_of(all), x, positions_of(x), window, how);
      }
    };
  return w;
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
    return plain(p, lacuna::compose(lacuna::order::ancestral{steps}, draw), draw.temperature == 1);
  return plain(p, lacuna::compose(lacuna::order::ancestral{steps, lacuna::pace::cosine_curve{}}, draw), draw.temperature == 1);
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
