/// @file
/// @brief What named samplers are put together from: ranks chosen at run time, and a composition with a draw.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "../common/sampler_spec.hpp"
#include "grid.hpp"
#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/draw/categorical.hpp"
#include "lacuna/rank/confidence.hpp"
#include "lacuna/rank/entropy.hpp"
#include "lacuna/rank/margin.hpp"
#include "lacuna/sample/compose.hpp"
#include "samplers.hpp"

namespace sudoku {

using namespace common;

/// rank
struct chosen_rank {
  std::variant<lacuna::rank::entropy, lacuna::rank::confidence, lacuna::rank::margin> chosen;

  static constexpr lacuna::statistics needs = lacuna::needs_of<lacuna::rank::entropy> |
                                              lacuna::needs_of<lacuna::rank::confidence> |
                                              lacuna::needs_of<lacuna::rank::margin>;
  double operator()(const lacuna::step_view& view, std::size_t k) const {
    return std::visit([&](const auto& rank) { return rank(view, k); }, chosen);
  }
};

inline chosen_rank rank_of(parameter_reader& p, std::string_view fallback) {
  const std::string name = p.word("rank", fallback, {"entropy", "confidence", "margin"});
  if (name == "confidence") return {lacuna::rank::confidence{}};
  if (name == "margin") return {lacuna::rank::margin{}};
  return {lacuna::rank::entropy{}};
}

/// The draw of all named samplers: at temperature 0, the default, that is argmax.
inline lacuna::draw::categorical draw_of(parameter_reader& p) { return lacuna::draw::categorical{p.number("temperature", 0)}; }

/// A sampler whose parameters were all read as a named one.
template <class Sampler>
named_sampler named(parameter_reader& p, const Sampler& sampler) {
  p.finish();
  try {
    sampler.validate(lacuna::model_facts{vocabulary_size, blank, {blank}, {}, {}, 0});
  } catch (const lacuna::invalid_argument& e) {
    p.refuse(e.what());
  }
  return {p.name(), p.all(), lacuna::sample::any_hidden_sampler{sampler}};
}

/// Order, the draw and perhaps remasking as a named sampler.
template <class Order, class... Remask>
named_sampler made_of(parameter_reader& p, const Order& order, const Remask&... remask) {
  return named(p, lacuna::compose(order, draw_of(p), remask...));
}

}  // namespace sudoku
