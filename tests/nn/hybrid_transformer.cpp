#include "lacuna/nn/hybrid_transformer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "comparing.hpp"
#include "lacuna/concepts/draft_verify_model.hpp"
#include "lacuna/concepts/selective_model.hpp"
#include "lacuna/nn/reference_hybrid.hpp"
#include "lacuna/nn/transformer.hpp"
#include "lacuna/testing/draft_verify_laws.hpp"
#include "lacuna/testing/laws.hpp"
#include "small_hybrids.hpp"
#include "tests/allocation_count.hpp"

namespace {

using namespace lacuna;

static_assert(draft_verify_model<nn::hybrid_transformer>);
static_assert(masked_model<nn::hybrid_transformer> && selective_model<nn::hybrid_transformer>);

using floats = std::vector<float>;

/// A row that is being decoded: its text, an order, how much is revealed.
struct state {
  std::vector<token> tokens;  ///< everything, as drafted
  std::vector<std::size_t> order;
  std::size_t revealed = 0;

  [[nodiscard]] std::vector<token> masked(token mask) const {
    std::vector<token> out(tokens.size(), mask);
    for (std::size_t t = 0; t < revealed; ++t) out[order[t]] = tokens[order[t]];
    return out;
  }
};
state random_state(const nn::hybrid_config& c, std::size_t length, std::size_t revealed, std::uint64_t seed) {
  const auto e = small_hybrids::random_examples(c, {{length, revealed}}, seed);
  return {e.tokens, e.orders, revealed};
}

/// Draft logits of every position of rows of the same length.
std::vector<floats> draft(nn::hybrid_transformer& net, const std::vector<state>& rows, const std::vector<std::size_t>& slots) {
  std::vector<token> tokens;
  for (const state& s : rows)
    for (const token t : s.masked(net.mask_token())) tokens.push_back(t);
  const std::size_t length = tokens.size() / rows.size();
  std::vector<std::size_t> wanted(tokens.size());
  std::iota(wanted.begin(), wanted.end(), std::size_t{0});
  std::vector<floats> out(tokens.size());
  const auto sink = [&](std::size_t k, std::span<const float> row) { out.at(k).assign(row.begin(), row.end()); };
  net.draft(view_as_tensor(std::as_const(tokens).data(), std::array<std::size_t, 2>{rows.size(), length}), slots, wanted, sink);
  return out;
}

/// Target logits of the tracks [first, last) of rows of the same length, row after row.
std::vector<floats> verify(nn::hybrid_transformer& net, const std::vector<state>& rows, const std::vector<std::size_t>& slots,
                           const std::vector<std::size_t>& first, const std::vector<std::size_t>& last) {
  std::vector<token> tokens;
  std::vector<std::size_t> orders;
  std::size_t count = 0;
  for (std::size_t b = 0; b < rows.size(); ++b) {
    tokens.insert(tokens.end(), rows[b].tokens.begin(), rows[b].tokens.end());
    orders.insert(orders.end(), rows[b].order.begin(), rows[b].order.end());
    count += last[b] - first[b];
  }
  std::vector<floats> out(count);
  const auto sink = [&](std::size_t k, std::span<const float> row) {
    CHECK(out.at(k).empty());
    out[k].assign(row.begin(), row.end());
  };
  const std::size_t passes = net.verify({slots, orders, tokens, first, last}, sink);
  CHECK(passes == rows.size());
  return out;
}

/// Draft and targets of all tracks of one row.
std::vector<floats> targets_of(nn::hybrid_transformer& net, const state& s) {
  draft(net, {s}, {0});
  return verify(net, {s}, {0}, {0}, {s.tokens.size()});
}

nn::hybrid_transformer shaken(const nn::hybrid_config& c, std::size_t threads = 1) {
  return {c, small_hybrids::shaken(c, 3), threads};
}

template <class F>
std::string message(const F& f) {
  try {
    f();
  } catch (const invalid_argument& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("at the start the target is the draft bit for bit, unless there is no output residual") {
  for (const small_hybrids::named_config& small : small_hybrids::all()) {
    CAPTURE(small.name);
    nn::hybrid_transformer net{small.config, 11};
    for (const std::size_t revealed : {0U, 4U, 8U}) {
      const state s = random_state(small.config, 9, revealed, 5);
      const std::vector<floats> drafts = draft(net, {s}, {0});
      const std::vector<floats> targets = verify(net, {s}, {0}, {0}, {9});
      std::size_t same = 0;
      for (std::size_t t = 0; t < 9; ++t) same += targets[t] == drafts[s.order[t]] ? 1 : 0;
      CHECK(same == (small.config.residual == nn::output_residual::on ? 9 : 0));
    }
  }
}

TEST_CASE("drafts and targets equal those of the plain loops in double, whatever the options") {
  for (const small_hybrids::named_config& small : small_hybrids::all()) {
    CAPTURE(small.name);
    nn::hybrid_transformer net = shaken(small.config);
    const nn::reference::hybrid<double> reference{small.config, net.parameters().values()};
    for (const std::size_t length : {21U, 1U, 8U}) {
      const state s = random_state(small.config, length, length / 3, length);
      const std::vector<floats> drafts = draft(net, {s}, {0});
      const std::vector<floats> targets = verify(net, {s}, {0}, {0}, {length});
      const auto expected = reference(s.tokens, s.order, s.revealed);
      floats got_drafts, got_targets;
      for (std::size_t t = 0; t < length; ++t) {
        got_drafts.insert(got_drafts.end(), drafts[s.order[t]].begin(), drafts[s.order[t]].end());
        got_targets.insert(got_targets.end(), targets[t].begin(), targets[t].end());
      }
      CHECK(comparing::difference(got_drafts, expected.drafts) < 1e-5);
      CHECK(comparing::difference(got_targets, expected.targets) < 1e-5);
      CHECK(comparing::difference(got_targets, expected.drafts) > 1e-3);  // the two are not the same thing
    }
  }
}

TEST_CASE("drafts are those of the trunk as a plain transformer, with and without a slot") {
  for (const small_hybrids::named_config& small : small_hybrids::all()) {
    CAPTURE(small.name);
    nn::hybrid_transformer net = shaken(small.config);
    nn::transformer trunk{small.config.trunk, 0};
    const auto all = net.parameters().values();
    std::copy_n(all.begin(), trunk.parameters().values().size(), trunk.parameters().values().begin());
    const std::vector<state> rows{random_state(small.config, 13, 4, 1), random_state(small.config, 13, 0, 2)};
    std::vector<token> tokens;
    for (const state& s : rows)
      for (const token t : s.masked(net.mask_token())) tokens.push_back(t);
    const token_batch batch = view_as_tensor(std::as_const(tokens).data(), std::array<std::size_t, 2>{2, 13});
    const tensor<float, 3> expected = trunk(batch);
    CHECK(net(batch) == expected);
    const std::vector<floats> drafts = draft(net, rows, {0, 1});
    for (std::size_t k = 0; k < 26; ++k)
      CHECK(std::equal(drafts[k].begin(), drafts[k].end(), expected.data() + k * net.vocabulary_size()));
  }
}

TEST_CASE("the token at a track changes the targets of later tracks and leaves the others as they are bit for bit") {
  for (const small_hybrids::named_config& small : small_hybrids::all()) {
    CAPTURE(small.name);
    nn::hybrid_transformer net = shaken(small.config);
    const state s = random_state(small.config, 17, 5, 7);
    const std::vector<floats> before = targets_of(net, s);
    for (std::size_t d = 5; d < 17; ++d) {
      state changed = s;
      token& t = changed.tokens[s.order[d]];
      t = t == 1 ? 2 : 1;
      const std::vector<floats> after = targets_of(net, changed);
      for (std::size_t other = 0; other < 17; ++other) CHECK((after[other] == before[other]) == (other <= d));
    }
  }
}

TEST_CASE("targets do not depend on the positions of later tracks nor on tokens that are not to be looked at") {
  for (const small_hybrids::named_config& small : small_hybrids::all()) {
    CAPTURE(small.name);
    nn::hybrid_transformer net = shaken(small.config);
    const state s = random_state(small.config, 17, 5, 7);
    const std::vector<floats> before = targets_of(net, s);
    state changed = s;
    std::swap(changed.order[12], changed.order[15]);
    for (std::size_t t = 11; t < 17; ++t) changed.tokens[changed.order[t]] = -5;
    const std::vector<floats> after = verify(net, {changed}, {0}, {3}, {12});
    for (std::size_t t = 3; t < 12; ++t) CHECK(after[t - 3] == before[t]);
  }
}

TEST_CASE("incremental verification gives the same bits as one that computes everything again, whatever changed between") {
  for (const small_hybrids::named_config& small : small_hybrids::all()) {
    CAPTURE(small.name);
    nn::hybrid_transformer kept = shaken(small.config);
    nn::hybrid_transformer again = shaken(small.config);
    again.set_verified_tracks(nn::verified_tracks::recomputed);
    random_stream random{9, stream_use::other};
    for (int round = 0; round < 3; ++round) {
      state s = random_state(small.config, 20, 3, static_cast<std::uint64_t>(round));
      CHECK(draft(kept, {s}, {2}) == draft(again, {s}, {2}));
      for (int call = 0; call < 12; ++call) {
        const std::size_t first = random.below(20);
        const std::size_t last = first + 1 + random.below(20 - first);
        CHECK(verify(kept, {s}, {2}, {first}, {last}) == verify(again, {s}, {2}, {first}, {last}));
        // A redrawn token, or two tracks that change places.
        if (call % 3 != 2)
          s.tokens[random.below(20)] = static_cast<token>(random.below(small.config.trunk.vocabulary));
        else
          std::swap(s.order[random.below(20)], s.order[random.below(20)]);
      }
    }
  }
}

TEST_CASE("verified tracks are really not computed again: parameters that change meanwhile reach new tracks only") {
  const nn::hybrid_config config = small_hybrids::rotary();
  nn::hybrid_transformer kept = shaken(config);
  nn::hybrid_transformer again = shaken(config);
  again.set_verified_tracks(nn::verified_tracks::recomputed);
  const state s = random_state(config, 20, 3, 1);
  nn::parameters places;
  const nn::parameter start = nn::hybrid_layout::add_to(places, config).verify.start;
  std::vector<floats> before, after;
  for (nn::hybrid_transformer* net : {&kept, &again}) {
    before = targets_of(*net, s);
    for (float& v : net->parameters().of(start)) v += 1;
    after = verify(*net, {s}, {0}, {10}, {20});
    CHECK((after == std::vector<floats>(before.begin() + 10, before.end())) == (net == &kept));
  }
  kept.forget();
  draft(kept, {s}, {0});
  CHECK(verify(kept, {s}, {0}, {10}, {20}) == after);
}

TEST_CASE("a slot that is drafted again forgets what was verified, and one that is not keeps its draft") {
  const nn::hybrid_config config = small_hybrids::rotary();
  nn::hybrid_transformer net = shaken(config);
  state s = random_state(config, 12, 2, 1);
  const state other = random_state(config, 12, 2, 2);
  const std::vector<floats> early = targets_of(net, s);
  draft(net, {other}, {1});
  CHECK(verify(net, {s}, {0}, {0}, {12}) == early);
  s.revealed = 6;  // the trunk sees more: the same order and tokens have other targets
  const std::vector<floats> late = targets_of(net, s);
  CHECK(late != early);
  nn::hybrid_transformer fresh = shaken(config);
  CHECK(targets_of(fresh, s) == late);
}

TEST_CASE("a row's drafts and targets do not depend on its neighbours, its slot, the split into calls or the threads") {
  for (const small_hybrids::named_config& small : small_hybrids::all()) {
    CAPTURE(small.name);
    std::vector<state> rows;
    std::vector<std::size_t> slots, first, last;
    for (std::size_t b = 0; b < 60; ++b) {  // more tracks than a group takes
      rows.push_back(random_state(small.config, 21, b % 20, b));
      slots.push_back(59 - b);
      first.push_back(b % 20);
      last.push_back(b % 20 + 1 + (b * 7) % (21 - b % 20));
    }
    nn::hybrid_transformer alone = shaken(small.config);
    std::vector<floats> drafts, targets;
    for (std::size_t b = 0; b < rows.size(); ++b) {
      for (floats& row : draft(alone, {rows[b]}, {3})) drafts.push_back(std::move(row));
      for (std::size_t t = first[b]; t < last[b]; ++t) targets.push_back(verify(alone, {rows[b]}, {3}, {t}, {t + 1}).front());
    }
    for (const std::size_t threads : {1U, 2U, 3U}) {
      nn::hybrid_transformer net = shaken(small.config, threads);
      CHECK(draft(net, rows, slots) == drafts);
      CHECK(verify(net, rows, slots, first, last) == targets);
      CHECK(verify(net, rows, slots, first, last) == targets);
    }
  }
}

TEST_CASE("a row longer than a tile of queries is verified the same in one call and in many") {
  nn::hybrid_config config = small_hybrids::learned();
  config.trunk.max_length = 150;
  nn::hybrid_transformer net = shaken(config, 2);
  const state s = random_state(config, 150, 20, 1);
  const std::vector<floats> whole = targets_of(net, s);
  draft(net, {s}, {0});
  for (const std::size_t t : {149U, 106U, 63U, 20U}) {
    const std::size_t end = std::min<std::size_t>(150, t + 43);
    const std::vector<floats> part = verify(net, {s}, {0}, {t}, {end});
    for (std::size_t k = t; k < end; ++k) CHECK(part[k - t] == whole[k]);
  }
}

TEST_CASE("the hybrid transformer obeys the laws of a model") {
  for (const small_hybrids::named_config& small : small_hybrids::all()) {
    CAPTURE(small.name);
    nn::hybrid_transformer net = shaken(small.config, 2);
    const auto report = testing::check_laws(net);
    CAPTURE(report);
    CHECK(report.holds());
  }
}

TEST_CASE("the shares of the two passes go by the number of blocks") {
  nn::hybrid_config config = small_hybrids::rotary();
  config.trunk.depth = 11;
  const nn::hybrid_transformer net{config, 1};
  CHECK(net.draft_share() == doctest::Approx(11.0 / 12));
  CHECK(net.verify_share() == doctest::Approx(1.0 / 12));
}

TEST_CASE("after the first round drafts and verifications of no larger size allocate nothing") {
  for (const std::size_t threads : {1U, 2U}) {
    nn::hybrid_transformer net = shaken(small_hybrids::learned(), threads);
    const std::vector<token> tokens(2 * 20, net.mask_token()), text(2 * 20, 1);
    const token_batch batch = view_as_tensor(tokens.data(), std::array<std::size_t, 2>{2, 20});
    const std::vector<std::size_t> slots{0, 1}, wanted{0, 7, 30}, first{0, 5}, last{20, 9}, later{8, 6};
    std::vector<std::size_t> orders;
    for (std::size_t k = 0; k < 40; ++k) orders.push_back(k % 20);
    std::size_t rows = 0;
    const auto sink = [&](std::size_t, std::span<const float>) { ++rows; };
    const auto round = [&] {
      net.draft(batch, slots, wanted, sink);
      net.verify({slots, orders, text, first, last}, sink);
      net.verify({slots, orders, text, later, last}, sink);
    };
    round();
    const std::size_t before = tests::allocations();
    round();
    CHECK(tests::allocations() == before);
    CHECK(rows == 2 * (3 + 24 + 15));
    const std::vector<int> something(rows);
    CHECK(tests::allocations() > before);  // the counter works
  }
}

TEST_CASE("NaN in a row's numbers reaches the sink and stays in its row") {
  const nn::hybrid_config config = small_hybrids::rotary();
  nn::hybrid_transformer net = shaken(config);
  nn::parameters broken = small_hybrids::shaken(config, 3);
  nn::parameters places;
  const nn::hybrid_layout layout = nn::hybrid_layout::add_to(places, config);
  broken.values()[layout.trunk.token_embedding.offset + 2 * config.trunk.width] = std::numeric_limits<float>::quiet_NaN();
  nn::hybrid_transformer sick{config, std::move(broken)};
  std::vector<state> rows{random_state(config, 6, 0, 1), random_state(config, 6, 0, 2)};
  for (token& t : rows[0].tokens) t = 1;
  for (token& t : rows[1].tokens) t = 1;
  rows[0].tokens[rows[0].order[2]] = 2;
  draft(sick, rows, {0, 1});
  const std::vector<floats> targets = verify(sick, rows, {0, 1}, {0, 0}, {6, 6});
  const auto sound = [](const floats& row) { return std::isfinite(row[0]); };
  for (std::size_t t = 3; t < 6; ++t) CHECK(!sound(targets[t]));
  for (std::size_t t = 6; t < 12; ++t) CHECK(sound(targets[t]));
}

TEST_CASE("wrong calls of a hybrid transformer are refused with what was got and what was expected") {
  const nn::hybrid_config config = small_hybrids::rotary();
  nn::hybrid_transformer net = shaken(config);
  const state s = random_state(config, 5, 1, 1);
  const std::vector<std::size_t> none{}, zero{0}, one{1}, five{5};
  const auto sink = [](std::size_t, std::span<const float>) {};
  const auto verifying = [&](const state& row, std::size_t slot, std::size_t first, std::size_t last) {
    return message([&] { verify(net, {row}, {slot}, {first}, {last}); });
  };
  CHECK(verifying(s, 0, 0, 5) == "hybrid_transformer: got slot 0 in row 0 without a draft, expected one that was drafted");
  draft(net, {s}, {0});
  CHECK(verifying(s, 0, 0, 5).empty());
  CHECK(verifying(s, 7, 0, 5) == "hybrid_transformer: got slot 7 in row 0 without a draft, expected one that was drafted");
  CHECK(verifying(random_state(config, 4, 1, 1), 0, 0, 4) ==
        "hybrid_transformer: got a length of 4 in row 0, expected 5 as in the draft of slot 0");
  CHECK(verifying(s, 0, 3, 3) == "hybrid_transformer: got tracks [3, 3) in row 0, expected at least one and none beyond 5");
  CHECK(verifying(s, 0, 3, 6) == "hybrid_transformer: got tracks [3, 6) in row 0, expected at least one and none beyond 5");
  state bad = s;
  bad.order = {0, 1, 2, 3, 3};
  CHECK(verifying(bad, 0, 0, 5) ==
        "hybrid_transformer: got position 3 twice in the order of row 0, expected a permutation of 0..4");
  bad.order = {0, 1, 2, 3, 5};
  CHECK(verifying(bad, 0, 0, 5) == "hybrid_transformer: got position 5 in the order of row 0, expected a permutation of 0..4");
  bad = s;
  bad.tokens[s.order[3]] = 9;
  CHECK(verifying(bad, 0, 0, 4).empty());
  CHECK(verifying(bad, 0, 0, 5) ==
        "hybrid_transformer: got token 9 at position " + std::to_string(s.order[3]) + " in row 0, expected 0..6");
  CHECK(message([&] {
          verify(net, {s, s}, {0, 0}, {0, 0}, {1, 1});
        }) == "hybrid_transformer: got slot 0 twice in a call, expected different slots");
  CHECK(message([&] {
          net.verify({zero, s.order, std::span{s.tokens}.first(4), zero, five}, sink);
        }) == "hybrid_transformer: got 4 tokens, expected 5");
  CHECK(message([&] {
          net.verify({zero, s.order, s.tokens, none, five}, sink);
        }) == "hybrid_transformer: got 0 first tracks, expected 1");

  CHECK(message([&] { draft(net, {s, s}, {0}); }) == "hybrid_transformer: got 1 slots, expected 2, one a row");
  CHECK(message([&] {
          draft(net, {s, s}, {4, 4});
        }) == "hybrid_transformer: got slot 4 twice in a call, expected different slots");
  CHECK(message([&] { draft(net, {s}, {std::size_t{1} << 40U}); }) ==
        "hybrid_transformer: got slot 1099511627776, expected less than 1048576");
  CHECK(message([&] { draft(net, {random_state(config, 22, 0, 1)}, {0}); }) ==
        "hybrid_transformer: row 0 runs from 0 to 22, expected a length of at most 21");
  bad = s;
  bad.revealed = 5;
  bad.tokens[2] = 7;
  CHECK(message([&] { draft(net, {bad}, {0}); }) == "hybrid_transformer: token 2 is 7, expected 0..6");
  const token_batch batch = view_as_tensor(s.tokens.data(), std::array<std::size_t, 2>{1, 5});
  CHECK(message([&] { net.draft(batch, zero, five, sink); }) ==
        "hybrid_transformer: wanted position 0 is 5, expected ascending positions below 5");
  net.forget();
  CHECK(verifying(s, 0, 0, 5) == "hybrid_transformer: got slot 0 in row 0 without a draft, expected one that was drafted");
  CHECK_THROWS_AS((nn::hybrid_transformer{config, 1, 0}), invalid_argument);
  CHECK_THROWS_AS((nn::hybrid_transformer{config, nn::parameters{}}), invalid_argument);
}

TEST_CASE("a hybrid transformer keeps every law of drafting and verifying") {
  for (const small_hybrids::named_config& small : small_hybrids::all()) {
    CAPTURE(small.name);
    nn::hybrid_transformer net{small.config, 5};
    nn::fill_normal(net.parameters().values(), 0.2, 6, 0);
    const auto report = testing::check_draft_verify_laws(net);
    for (const auto& law : report.laws) {
      CAPTURE(law.name);
      CAPTURE(law.message);
      CHECK(law.result == testing::outcome::holds);
    }
  }
}
