// `decode` rebuilt from public pieces only: what one needs for a driver of one's own.
#include <doctest/doctest.h>

#include <vector>

#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/policies.hpp"
#include "tests/sample/results.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

/// All rows of a batch, a shared call (or one for each length) a round.
template <decodable_model Model, sampler_for<Model> Sampler>
std::vector<decode_result> decode_by_hand(Model& model, const std::vector<canvas>& starts, const Sampler& sampler,
                                          std::uint64_t seed) {
  const model_facts facts = facts_of(model);
  sampler.validate(facts);
  std::vector<typename Sampler::state> states;
  for (std::size_t r = 0; r < starts.size(); ++r) {
    check_canvas(starts[r], facts, "row " + std::to_string(r));
    states.push_back(sampler.init(row_context{&facts, seed, r, hidden_width(model)}, starts[r]));
  }
  std::vector<nfe> cost(states.size());
  scorer<Model> score(model, facts);
  scoring_queue queue;
  row_scratch scratch;
  for (;;) {
    queue.clear();
    bool any = false;
    for (std::size_t r = 0; r < states.size(); ++r) {
      if (sampler.done(states[r])) continue;
      any = true;
      const std::size_t first = queue.rows();
      sampler.request(states[r], queue, r);
      cost[r] += cost_of(queue, first, queue.rows());
    }
    if (!any) break;
    score_round(
        sampler, score, queue, scratch, [&](std::size_t r) -> auto& { return states[r]; });
    for (auto& state : states)
      if (!sampler.done(state)) sampler.advance(state);
  }
  std::vector<decode_result> results;
  for (std::size_t r = 0; r < states.size(); ++r)
    results.push_back(result_of(states[r], facts.mask, cost[r], stop_reason::complete));
  return results;
}

template <class Model, class Sampler>
void check(const Sampler& sampler) {
  std::vector<canvas> starts;
  for (const std::size_t length : {3U, 8U, 3U, 1U, 6U}) starts.push_back(canvas::blank(length));
  starts[1].fix(4, 2);
  starts[3].fix(0, 1);
  Model model;
  CHECK(same(decode_by_hand(model, starts, sampler, 9), decode(model, std::span{starts}, sampler, {.seed = 9}).rows));
}

}  // namespace

TEST_CASE("decode can be rebuilt from public pieces") {
  check<whole>(compose(order::random{pace::constant{2}}, draw::categorical{}));
  check<ragged_selective>(compose(order::random{pace::constant{2}}, draw::categorical{}));
  check<selective>(compose(timed{7, 2}, draw::categorical{}, doubtful{0.2}));
}
