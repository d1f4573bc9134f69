#include "samplers.hpp"

#include <utility>

#include "lacuna/lacuna.hpp"

namespace sudoku {
namespace {

using namespace lacuna;

/// What runs a composition. All draws are draw::categorical: at temperature 0, the default, that is argmax.
template <class... Policies>
named_sampler made_of(parameters& p, const Policies&... order_and_remask) {
  const auto sampler = [&](auto draw) {
    const auto with = [&](const auto& order, const auto&... remask) { return compose(order, draw, remask...); };
    return with(order_and_remask...);
  }(draw::categorical{p.number("temperature", 0)});
  p.finish();
  sampler.validate(model_facts{vocabulary_size, blank, {blank}, {}, {}, 0});
  return {p.name(), p.all(),
          [sampler](model& m, std::span<const job> jobs, const decode_options& options) {
            return lacuna::decode(m, jobs, sampler, options);
          },
          [sampler](model& m, const canvas& start, std::uint64_t seed, sample::trace_recorder& recorder) {
            return lacuna::decode(m, start, sampler, seed, recorder);
          }};
}

/// Calls `use` with the rank that the parameter `rank` names.
template <class Use>
named_sampler by_rank(parameters& p, std::string_view fallback, Use use) {
  const std::string name = p.word("rank", fallback, {"entropy", "confidence", "margin"});
  if (name == "confidence") return use(rank::confidence{});
  if (name == "margin") return use(rank::margin{});
  return use(rank::entropy{});
}

/// Calls `use` with a pace: `k` positions a step, or all of them in `steps`.
template <class Use>
named_sampler by_pace(parameters& p, std::size_t k, Use use) {
  if (!p.has("steps")) return use(pace::constant{p.count("k", k)});
  const std::size_t steps = p.count("steps", 1);
  if (p.word("pace", "linear", {"linear", "cosine"}) == "cosine") return use(pace::cosine{steps});
  return use(pace::linear{steps});
}

struct kind {
  const char* name;
  const char* about;
  named_sampler (*make)(parameters&);
};

constexpr kind kinds[] = {
    {"sequential", "one cell a pass, the surest by rank",
     [](parameters& p) {
       return by_rank(p, "entropy", [&](auto by) { return made_of(p, order::top_k{by, pace::constant{1}}); });
     }},
    {"top_k", "the k surest cells a pass, or all in steps=S with pace=linear|cosine",
     [](parameters& p) {
       return by_rank(p, "confidence", [&](auto by) {
         return by_pace(p, 4, [&](auto at) { return made_of(p, order::top_k{by, at}); });
       });
     }},
    {"maskgit", "cosine pace, confidence of the drawn digits with Gumbel noise",
     [](parameters& p) {
       const std::size_t steps = p.count("steps", 12);
       const double noise = p.number("noise", 1);
       return made_of(p, order::top_k{rank::gumbel{noise}, pace::cosine{steps}});
     }},
    {"random", "random cells, k a pass, or all in steps=S with pace=linear|cosine",
     [](parameters& p) { return by_pace(p, 1, [&](auto at) { return made_of(p, order::random{at}); }); }},
    {"ancestral", "each cell with the probability of the reverse process, on a grid of steps",
     [](parameters& p) {
       const std::size_t steps = p.count("steps", 16);
       if (p.word("curve", "linear", {"linear", "cosine"}) == "cosine")
         return made_of(p, order::ancestral{steps, pace::cosine_curve{}});
       return made_of(p, order::ancestral{steps});
     }},
    {"threshold", "every cell with confidence (or margin) of at least tau, and the best one",
     [](parameters& p) {
       const double tau = p.number("tau", 0.9);
       if (p.word("rank", "confidence", {"confidence", "margin"}) == "margin")
         return made_of(p, order::threshold{tau, rank::margin{}});
       return made_of(p, order::threshold{tau});
     }},
    {"factor", "the more cells at once, the surer each has to be",
     [](parameters& p) { return made_of(p, order::factor{p.number("f", 1)}); }},
    {"entropy_bound", "cells by rank until their entropies add up to gamma nats",
     [](parameters& p) {
       const double gamma = p.number("gamma", 0.1);
       return by_rank(p, "entropy", [&](auto by) { return made_of(p, order::entropy_bound{gamma, by}); });
     }},
    {"left_to_right", "the first k blanks a pass",
     [](parameters& p) { return made_of(p, order::left_to_right{p.count("k", 1)}); }},
    {"blocks", "blocks of size cells one after the other, inside each the k surest a pass",
     [](parameters& p) {
       const std::size_t size = p.count("size", 27);
       const std::size_t k = p.count("k", 1);
       return by_rank(p, "entropy", [&](auto by) {
         return made_of(p, order::blocks{size, order::top_k{by, pace::constant{k}}});
       });
     }},
    {"dilated", "rounds of cells far apart, ever closer, in blocks",
     [](parameters& p) {
       const std::size_t block = p.count("block", 81);
       const std::size_t base = p.count("base", 2);
       return made_of(p, order::dilated{block, base});
     }},
    {"klass", "cells surer than tau whose rows moved less than epsilon nats in the last history passes",
     [](parameters& p) {
       const double tau = p.number("tau", 0.9);
       const double epsilon = p.number("epsilon", 0.01);
       const std::size_t history = p.count("history", 1);
       return made_of(p, order::klass<>{tau, epsilon, history, {}});
     }},
};

const kind* find(std::string_view name) {
  for (const kind& k : kinds)
    if (name == k.name) return &k;
  return nullptr;
}

}  // namespace

named_sampler make_sampler(std::string_view text) {
  parameters p(parse_spec(text));
  const kind* k = find(p.name());
  if (k == nullptr) {
    std::string names;
    for (const kind& other : kinds) names += (names.empty() ? "" : ", ") + std::string(other.name);
    throw invalid_argument("sampler \"" + std::string(text) + "\": no sampler of that name, expected one of " + names);
  }
  return k->make(p);
}

std::string list_samplers() {
  std::string list;
  for (const kind& k : kinds) list += make_sampler(k.name).text() + "\n    " + k.about + "\n";
  return list;
}

}  // namespace sudoku
