#include "samplers.hpp"

#include <cstddef>
#include <utility>
#include <variant>

#include "lacuna/lacuna.hpp"
#include "sampler_parts.hpp"
#include "samplers_information.hpp"

namespace sudoku {
namespace {

using namespace lacuna;

// Policies compose at compile time; every composition is code of its own. What the command line chooses between without
// another composition are policies that hold one of several of the library's: these, and sampler_parts.hpp's.

/// pace
struct chosen_pace {
  std::variant<pace::constant, pace::linear, pace::cosine> chosen;

  [[nodiscard]] std::size_t target(std::size_t step, std::size_t masks) const {
    return std::visit([&](const auto& pace) { return pace.target(step, masks); }, chosen);
  }
  void validate() const {
    std::visit([](const auto& pace) { pace.validate(); }, chosen);
  }
};

/// curve
struct chosen_curve {
  std::variant<pace::linear_curve, pace::cosine_curve> chosen;

  [[nodiscard]] double revealed(double u) const {
    return std::visit([&](const auto& curve) { return curve.revealed(u); }, chosen);
  }
};

chosen_pace pace_of(parameter_reader& p, std::size_t k) {
  if (!p.has("steps")) {
    if (p.has("pace")) p.refuse("pace goes with steps=S, which is not given");
    return {pace::constant{p.count("k", k)}};
  }
  if (p.has("k")) p.refuse("k and steps are both given, expected one of them");
  const std::size_t steps = p.count("steps", 1);
  if (p.word("pace", "linear", {"linear", "cosine"}) == "cosine") return {pace::cosine{steps, {}}};
  return {pace::linear{steps, {}}};
}

chosen_curve curve_of(parameter_reader& p) {
  if (p.word("curve", "linear", {"linear", "cosine"}) == "cosine") return {pace::cosine_curve{}};
  return {pace::linear_curve{}};
}

order::ancestral<chosen_curve> ancestral_of(parameter_reader& p, std::size_t fallback) {
  const std::size_t steps = p.count("steps", fallback);
  return {steps, curve_of(p)};
}

struct kind {
  const char* name;
  const char* about;
  named_sampler (*make)(parameter_reader&);
};

constexpr kind kinds[] = {
    {"sequential", "one cell a pass, the surest by rank=entropy|confidence|margin",
     [](parameter_reader& p) {
       return made_of(p, order::top_k{rank_of(p, "entropy"), chosen_pace{pace::constant{1}}});
     }},
    {"lookahead", "sequential, with the next cells guessed and width grids scored a pass: the same grids in fewer passes",
     [](parameter_reader& p) {
       const order::top_k one{rank_of(p, "entropy"), chosen_pace{pace::constant{1}}};
       const std::size_t width = p.count("width", 8);
       return named(p, sample::lookahead{one, draw_of(p), width});
     }},
    {"top_k", "the k surest cells a pass, or all in steps=S with pace=linear|cosine",
     [](parameter_reader& p) {
       const chosen_rank by = rank_of(p, "confidence");
       return made_of(p, order::top_k{by, pace_of(p, 4)});
     }},
    {"maskgit", "all in steps with a cosine pace, by the probability of the drawn digits with Gumbel noise",
     [](parameter_reader& p) {
       const std::size_t steps = p.count("steps", 12);
       return made_of(p, order::top_k{rank::gumbel{p.number("noise", 1)}, pace::cosine{steps, {}}});
     }},
    {"random", "k random cells a pass, or all in steps=S with pace=linear|cosine",
     [](parameter_reader& p) { return made_of(p, order::random{pace_of(p, 1)}); }},
    {"ancestral", "each cell with the probability of the reverse process, on a grid of steps with curve=linear|cosine",
     [](parameter_reader& p) { return made_of(p, ancestral_of(p, 16)); }},
    {"threshold", "every cell whose rank (confidence, margin, or minus the entropy) is at least tau, and the best one",
     [](parameter_reader& p) {
       const double tau = p.number("tau", 0.9);
       return made_of(p, order::threshold{tau, rank_of(p, "confidence")});
     }},
    {"factor", "the more cells at once, the surer each has to be: n cells while (n + 1)(1 - confidence) < f",
     [](parameter_reader& p) { return made_of(p, order::factor{p.number("f", 1)}); }},
    {"entropy_bound", "cells by rank until their entropies, but for the largest, add up to gamma nats",
     [](parameter_reader& p) {
       const double gamma = p.number("gamma", 0.1);
       return made_of(p, order::entropy_bound{gamma, rank_of(p, "entropy")});
     }},
    {"left_to_right", "the first k blanks a pass",
     [](parameter_reader& p) { return made_of(p, order::left_to_right{p.count("k", 1)}); }},
    {"blocks", "size cells after size cells, of these the k surest by rank a pass",
     [](parameter_reader& p) {
       const std::size_t size = p.count("size", 27);
       const std::size_t k = p.count("k", 1);
       return made_of(p, order::blocks{size, order::top_k{rank_of(p, "entropy"), chosen_pace{pace::constant{k}}}});
     }},
    {"dilated", "block after block, in rounds of cells far apart, ever closer",
     [](parameter_reader& p) {
       const std::size_t block = p.count("block", 81);
       const std::size_t base = p.count("base", 2);
       return made_of(p, order::dilated{block, base});
     }},
    {"klass", "cells surer than tau whose probabilities moved less than epsilon nats in each of the last history passes",
     [](parameter_reader& p) {
       const double tau = p.number("tau", 0.9);
       const double epsilon = p.number("epsilon", 0.01);
       const std::size_t history = p.count("history", 1);
       return made_of(p, order::klass{tau, epsilon, history, order::top_k{}});
     }},
    {"remdm_cap", "ancestral; a filled cell is emptied again with probability eta",
     [](parameter_reader& p) {
       const auto order = ancestral_of(p, 64);
       return made_of(p, order, remask::remdm_cap{p.number("eta", 0.04)});
     }},
    {"remdm_rescale", "ancestral; a filled cell is emptied again with eta times the admissible probability",
     [](parameter_reader& p) {
       const auto order = ancestral_of(p, 64);
       return made_of(p, order, remask::remdm_rescale{p.number("eta", 0.04)});
     }},
    {"remdm_confidence", "as remdm_rescale, but one cell's worth of emptying shared out, unsure cells more often",
     [](parameter_reader& p) {
       const auto order = ancestral_of(p, 64);
       return made_of(p, order, remask::remdm_confidence{remask::remdm_rescale{p.number("eta", 1)}});
     }},
    {"remdm_loop", "fills a share (plateau), empties and fills again with probability eta from t_on to t_off, fills the rest",
     [](parameter_reader& p) {
       const std::size_t steps = p.count("steps", 64);
       pace::loop_curve curve;
       curve.t_on = p.number("t_on", curve.t_on);
       curve.t_off = p.number("t_off", curve.t_off);
       curve.plateau = p.number("plateau", curve.plateau);
       return made_of(p, order::ancestral{steps, curve}, remask::remdm_loop{p.number("eta", 0.04), curve});
     }},
    {"p2", "a growing number of cells is filled, on a grid of steps with curve=linear|cosine; which, is decided anew each pass",
     [](parameter_reader& p) {
       const std::size_t steps = p.count("steps", 32);
       const chosen_curve curve = curve_of(p);
       return made_of(p, order::top_k{rank::drawn{}, pace::in_steps<chosen_curve>{steps, curve}},
                      remask::p2{p.number("eta", 1)});
     }},
};

}  // namespace

std::string named_sampler::text() const {
  std::string t = name;
  for (const parameter& p : parameters)
    if (p.key != "temperature" || p.text() != "0") t += (t == name ? ":" : ",") + p.key + "=" + p.text();
  return t;
}

named_sampler make_sampler(std::string_view text, estimator_slot* slot) {
  parameter_reader p(parse_spec(text));
  for (const kind& k : kinds)
    if (p.name() == k.name) return k.make(p);
  for (const information_kind& k : information_kinds())
    if (p.name() == k.name) return k.make(p, slot);
  std::string names;
  for (const std::string& name : sampler_names()) names += (names.empty() ? "" : ", ") + name;
  throw invalid_argument("sampler \"" + std::string(text) + "\": no sampler of that name, expected one of " + names);
}

std::vector<std::string> sampler_names() {
  std::vector<std::string> names;
  for (const kind& k : kinds) names.emplace_back(k.name);
  for (const information_kind& k : information_kinds()) names.emplace_back(k.name);
  return names;
}

std::string list_samplers() {
  std::string list =
      "Samplers and their parameters without any given. temperature=0 takes the likeliest digit, more draws it.\n\n";
  const auto add = [&](const auto& k) {
    const named_sampler s = make_sampler(k.name);
    list += s.name;
    for (const parameter& p : s.parameters) list += (&p == &s.parameters.front() ? ":" : ",") + p.key + "=" + p.text();
    list += "\n    " + std::string(k.about) + "\n";
  };
  for (const kind& k : kinds) add(k);
  for (const information_kind& k : information_kinds()) add(k);
  return list;
}

}  // namespace sudoku
