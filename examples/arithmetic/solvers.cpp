#include "solvers.hpp"

#include <utility>
#include <variant>

#include "lacuna/core/errors.hpp"
#include "lacuna/draw/categorical.hpp"
#include "lacuna/mi/pruned.hpp"
#include "lacuna/order/ancestral.hpp"
#include "lacuna/order/dependence_bound.hpp"
#include "lacuna/order/entropy_bound.hpp"
#include "lacuna/order/guarded.hpp"
#include "lacuna/order/learned.hpp"
#include "lacuna/order/mi_guided.hpp"
#include "lacuna/order/random.hpp"
#include "lacuna/order/threshold.hpp"
#include "lacuna/order/top_k.hpp"
#include "lacuna/rank/confidence.hpp"
#include "lacuna/rank/entropy.hpp"
#include "lacuna/rank/left_to_right.hpp"
#include "lacuna/rank/margin.hpp"
#include "lacuna/sample/compose.hpp"
#include "rows.hpp"

namespace arithmetic {

using namespace common;

namespace {

using namespace lacuna;

/// choice
struct chosen_choice {
  std::variant<order::by_chance, order::at_least> chosen;

  [[nodiscard]] bool reveals(double logit, const random_stream& rng) const {
    return std::visit([&](const auto& choice) { return choice.reveals(logit, rng); }, chosen);
  }
  void validate() const {
    std::visit([](const auto& choice) { choice.validate(); }, chosen);
  }
};

template <class Order>
solver made_of(parameter_reader& p, const Order& order, std::size_t budget = 0) {
  const auto sampler = compose(order, draw::categorical{p.number("temperature", 0)});
  p.finish();
  const tokeniser words;
  try {
    sampler.validate(model_facts{words.vocabulary_size(), words.mask(), {words.mask()}, {}, {}, 0});
  } catch (const invalid_argument& e) {
    p.refuse(e.what());
  }
  std::string text = p.name();
  for (const parameter& one : p.all()) text += (text == p.name() ? ":" : ",") + one.key + "=" + one.text();
  return {std::move(text), budget, sample::any_hidden_sampler{sampler}, nullptr};
}

solver in_steps(parameter_reader& p, const auto& rank) {
  const std::size_t steps = p.count("steps", 5);
  return made_of(p, order::top_k{rank, pace::linear{steps, {}}}, steps);
}

/// The head and the choice of a learned order.
struct learned_parts {
  learned_order found;
  std::size_t steps;
  chosen_choice choice;
};
learned_parts learned_of(parameter_reader& p, std::size_t threads) {
  const std::string file = p.text("order", data_folder() + "/order.safetensors");
  const std::size_t steps = p.count("steps", 5);
  const std::string how = p.word("choice", "at_least", {"at_least", "chance"});
  const chosen_choice choice = how == "chance" ? chosen_choice{order::by_chance{p.number("pi", 1)}}
                                               : chosen_choice{order::at_least{p.number("pi", 0.5)}};
  return {load_order(file, threads), steps, choice};
}

/// A head that is shared, as a value.
struct shared_head {
  std::shared_ptr<nn::order_head> head;
  using scratch = nn::order_head::scratch;
  [[nodiscard]] std::size_t hidden_size() const { return head->hidden_size(); }
  void reserve(scratch& s, std::size_t n) const { head->reserve(s, n); }
  void operator()(const reveal_context& c, scratch& s, std::span<double> logits) const { (*head)(c, s, logits); }
};
static_assert(reveal_head<shared_head>);

solver learned(parameter_reader& p, std::size_t threads) {
  const learned_parts parts = learned_of(p, threads);
  solver s = made_of(p, order::learned{shared_head{parts.found.head}, parts.steps, parts.choice}, parts.steps);
  s.trunk = parts.found.trunk;
  return s;
}

solver guarded(parameter_reader& p, std::size_t threads) {
  const learned_parts parts = learned_of(p, threads);
  const double gamma = p.number("gamma", 0.1);
  const double epsilon = p.number("epsilon", 1e-3);
  solver s = made_of(
      p, order::guarded{order::learned{shared_head{parts.found.head}, parts.steps, parts.choice}, mi::pruned{epsilon}, gamma});
  s.trunk = parts.found.trunk;
  return s;
}

struct entry {
  const char* name;
  solver (*make)(parameter_reader&, std::size_t);
  const char* what;
};
constexpr entry entries[] = {
    {"learned", learned,
     "what the head of a file says, in so many steps at most; choice=at_least: pi >= pi, chance: pi a temperature"},
    {"guarded", guarded, "the same, together only what is nearly independent by exact information (probes)"},
    {"iid",
     [](parameter_reader& p, std::size_t) {
       const std::size_t steps = p.count("steps", 5);
       return made_of(p, order::ancestral{steps}, steps);
     },
     "each position in a step of its own choice"},
    {"confidence", [](parameter_reader& p, std::size_t) { return in_steps(p, rank::confidence{}); },
     "the most probable first, in so many steps"},
    {"margin", [](parameter_reader& p, std::size_t) { return in_steps(p, rank::margin{}); },
     "the largest margin first, in so many steps"},
    {"entropy", [](parameter_reader& p, std::size_t) { return in_steps(p, rank::entropy{}); },
     "the least entropy first, in so many steps"},
    {"left_to_right", [](parameter_reader& p, std::size_t) { return in_steps(p, rank::left_to_right{}); },
     "blocks from left to right, one a step"},
    {"threshold", [](parameter_reader& p, std::size_t) { return made_of(p, order::threshold{p.number("tau", 0.9)}); },
     "all that are confident enough"},
    {"entropy_bound", [](parameter_reader& p, std::size_t) { return made_of(p, order::entropy_bound{p.number("gamma", 0.1)}); },
     "together what has little entropy in sum"},
    {"mi_guided",
     [](parameter_reader& p, std::size_t) {
       const double gamma = p.number("gamma", 0.3);
       return made_of(p, order::mi_guided{mi::pruned{1e-3}, gamma});
     },
     "the same, dependence added to entropy, by exact information (probes)"},
    {"dependence_bound",
     [](parameter_reader& p, std::size_t) {
       const double gamma = p.number("gamma", 0.05);
       return made_of(p, order::dependence_bound{mi::pruned{1e-3}, gamma});
     },
     "together what is nearly independent, by exact information (probes)"}};

}  // namespace

solver make_solver(std::string_view text, std::size_t threads) {
  parameter_reader p{parse_spec(text)};
  std::string names;
  for (const entry& e : entries) {
    if (p.name() == e.name) return e.make(p, threads);
    names += (names.empty() ? "" : ", ") + std::string(e.name);
  }
  throw invalid_argument("sampler \"" + p.name() + "\": no such name, expected one of " + names);
}

std::string list_solvers() {
  std::string all;
  for (const entry& e : entries) {
    const bool reads = e.make == learned || e.make == guarded;
    all += (reads ? std::string(e.name) + ":order=FILE,steps=5,choice=at_least,pi=0.5" +
                        (e.make == guarded ? ",gamma=0.1,epsilon=0.001" : "")
                  : make_solver(e.name, 1).text) +
           "\n    " + e.what + "\n";
  }
  return all;
}

}  // namespace arithmetic
