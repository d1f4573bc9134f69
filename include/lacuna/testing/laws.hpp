/// @file
/// @brief check_laws: holds a model of one's own against what the library relies on and types cannot say.
///
/// ```cpp
/// my_model model;
/// const auto report = lacuna::testing::check_laws(model);
/// std::cout << report;                 // one line a law; what was got and expected where one is broken
/// return report.holds() ? 0 : 1;       // or in a test: CHECK(report.holds())
/// ```
/// | law | says |
/// |---|---|
/// | facts | mask, forbidden and end tokens are inside the vocabulary and do not contradict each other |
/// | shape | logits are [B, L, V], or rows of V, for every B and L tried; hidden states likewise with D |
/// | delivery | a selective model delivers every wanted row exactly once |
/// | known tokens | rows without masks, all masked, or holding special tokens and the mask id as text are scored |
/// | finite | a masked position's logits have no NaN or +infinity, and a finite one for a token that may be generated |
/// | deterministic | the same input has the same logits |
/// | batch | a row's logits do not depend on its neighbours or its place in the batch |
/// | selective | the wanted rows are those of a call that wants everything |
/// | ragged | rows of different lengths in one call have the logits they have alone |
/// | hidden | hidden states come with the same logits, are finite, deterministic and independent of the batch |
///
/// No test framework is needed. The only exceptions are those of options out of range: what a model throws breaks the law under
/// which it was called. A law that does not apply, or rests on a broken one, is `not_checked`. Only rows of masked positions
/// are compared, as rows of known ones may hold anything. Equal means bitwise unless `tolerance` says otherwise; a model whose
/// matrix products take another path for another batch size needs one, and its decoded tokens may then depend on the batch.
/// Some hundred calls of small batches.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/concepts/ragged_model.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/number_text.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/testing/examined.hpp"
#include "lacuna/testing/law_report.hpp"

namespace lacuna::testing {

struct law_options {
  std::vector<std::size_t> lengths = {1, 2, 3, 7};  ///< those above the model's max_length() are left out
  std::size_t rows = 5;                             ///< B goes from 1 to this
  double tolerance = 0;                             ///< largest difference of two logits that counts as equal
  std::uint64_t seed = 0;                           ///< of the random rows of tokens

  /// Throws invalid_argument if there is nothing to check, or a tolerance that is none.
  void validate() const {
    if (lengths.empty()) throw invalid_argument("law_options: got no lengths, expected at least one");
    for (const std::size_t length : lengths)
      if (length == 0) throw invalid_argument("law_options: lengths has 0, expected at least 1");
    if (rows == 0) throw invalid_argument("law_options: rows = 0, expected at least 1");
    if (!(tolerance >= 0))
      throw invalid_argument("law_options: tolerance = " + number_text(tolerance) + ", expected at least 0");
  }
};

namespace detail {

template <class M>
class law_checker {
 public:
  law_checker(M& model, const law_options& options) : model_{model}, options_{options}, rng_(options.seed, stream_use::other) {}

  law_report run() {
    check("facts", {}, [&] { return facts(); });
    check("shape", {"facts"}, [&] { return each_form([](const answer& a) { return a.wrong_shape; }); });
    if constexpr (examined<M>::any_selective)
      check("delivery", {"shape"}, [&] { return each_form([](const answer& a) { return a.wrong_delivery; }); });
    else
      skip("delivery", "the model is not selective");
    // A model that has nothing but selective calls answers all further questions through them.
    const char* base = scores_batches<M> || scores_ragged_batches<M> ? "shape" : "delivery";
    check("known tokens", {base}, [&] { return known_tokens(); });
    check("finite", {base, "known tokens"}, [&] { return finite(); });
    check("deterministic", {base, "known tokens"}, [&] { return deterministic(); });
    check("batch", {"deterministic"}, [&] { return batch(); });
    if constexpr (selective_model<M> || selects_from_ragged_batches<M>)
      check("selective", {"deterministic", "delivery"}, [&] { return selective(); });
    else
      skip("selective", "the model is not selective");
    if constexpr (scores_ragged_batches<M> || selects_from_ragged_batches<M>)
      check("ragged", {"deterministic", "delivery"}, [&] { return ragged(); });
    else
      skip("ragged", "the model does not take rows of different lengths");
    if constexpr (hidden_state_model<M>)
      check("hidden", {"deterministic", "delivery"}, [&] { return hidden(); });
    else
      skip("hidden", "the model shows no hidden states");
    return std::move(report_);
  }

 private:
  using complaint = std::string;  // empty if all is well

  // ---- The laws

  complaint facts() {
    facts_ = facts_of(model_);
    for (std::size_t t = 0; t < facts_.vocabulary; ++t)
      if (!is_forbidden(static_cast<token>(t))) allowed_.push_back(static_cast<token>(t));
    for (const std::size_t length : options_.lengths)
      if (!facts_.max_length || length <= *facts_.max_length) lengths_.push_back(length);
    if (lengths_.empty())
      return "max_length() is " + std::to_string(facts_.max_length.value_or(0)) +
             ", expected room for a length that is checked";
    if constexpr (has_hidden_size<M>)
      if (model_.hidden_size() < 1) return "hidden_size() is 0, expected at least 1";
    return {};
  }

  /// Calls every form of call the model has, for every B and L, and returns the first complaint about an answer.
  template <class Complain>
  complaint each_form(Complain complain) {
    examined<M> m(model_, facts_.vocabulary);
    complaint found;
    const auto look = [&](const char* call, const token_rows& rows, const answer& a) {
      if (found.empty())
        if (const complaint c = complain(a); !c.empty()) found = where(call, rows) + c;
    };
    for (const std::size_t length : lengths_)
      for (std::size_t n = 1; n <= options_.rows; ++n) {
        const token_rows rows = random_rows(n, length);
        const std::vector<std::size_t> wanted = masked_slots(rows);
        if constexpr (scores_batches<M>) look("m(batch)", rows, m.whole(rows));
        if constexpr (selective_model<M>) look("m(batch, wanted, sink)", rows, m.selected(rows, wanted));
        if constexpr (hidden_state_model<M> && returns_hidden<M>) {
          const auto both = m.hidden_whole(rows);
          look("m.with_hidden(batch)", rows, both.logits);
          look("m.with_hidden(batch)", rows, both.hidden);
        }
        if constexpr (hidden_state_model<M> && selects_hidden<M>) {
          const auto both = m.hidden_selected(rows, wanted);
          look("m.with_hidden(batch, wanted, sink, sink)", rows, both.logits);
          look("m.with_hidden(batch, wanted, sink, sink)", rows, both.hidden);
        }
      }
    const token_rows uneven = uneven_rows();
    if constexpr (scores_ragged_batches<M>) look("m(ragged)", uneven, m.ragged(uneven));
    if constexpr (selects_from_ragged_batches<M>)
      look("m(ragged, wanted, sink)", uneven, m.ragged_selected(uneven, masked_slots(uneven)));
    return found;
  }

  complaint known_tokens() {
    examined<M> m(model_, facts_.vocabulary);
    std::vector<token> special = facts_.forbidden;  // the mask id, as text, is among them
    if (facts_.end) special.push_back(*facts_.end);
    special.push_back(allowed_.front());
    special.push_back(allowed_.back());
    for (const std::size_t length : lengths_) {
      m.all({std::vector<token>(length, facts_.mask)});
      for (const token t : special) {
        std::vector<token> row(length, t);
        m.all({row});
        row[0] = facts_.mask;
        m.all({row});
      }
    }
    return {};
  }

  complaint finite() {
    examined<M> m(model_, facts_.vocabulary);
    for (const std::size_t length : lengths_)
      for (int repeat = 0; repeat < 4; ++repeat) {
        const token_rows rows = random_rows(options_.rows, length);
        const answer a = m.all(rows);
        for (const std::size_t k : masked_slots(rows))
          if (const complaint c = unusable(a.row(k)); !c.empty()) return where_row(k, length) + c;
      }
    return {};
  }

  complaint deterministic() {
    examined<M> m(model_, facts_.vocabulary);
    for (const std::size_t length : lengths_) {
      const token_rows rows = random_rows(options_.rows, length);
      const answer first = m.all(rows);
      for (int repeat = 0; repeat < 3; ++repeat) {
        const answer again = m.all(rows);
        for (const std::size_t k : masked_slots(rows))
          if (const complaint c = differ(again.row(k), first.row(k)); !c.empty())
            return where_row(k, length) + c + " in an earlier call with the same input";
      }
    }
    return {};
  }

  complaint batch() {
    examined<M> m(model_, facts_.vocabulary);
    for (const std::size_t length : lengths_) {
      const token_rows rows = random_rows(options_.rows, length);
      std::vector<answer> alone;
      for (const auto& row : rows) alone.push_back(m.all({row}));
      const token_rows reversed(rows.rbegin(), rows.rend());
      const token_rows copies(options_.rows, rows[0]);
      const answer in_order = m.all(rows);
      const answer turned = m.all(reversed);
      const answer repeated = m.all(copies);
      for (std::size_t b = 0; b < rows.size(); ++b)
        for (const std::size_t k : masked_slots({rows[b]})) {
          const std::size_t from_the_back = rows.size() - 1 - b;
          complaint c = differ(in_order.row(b * length + k), alone[b].row(k));
          if (c.empty()) c = differ(turned.row(from_the_back * length + k), alone[b].row(k));
          if (!c.empty()) return where_row(b * length + k, length) + c + " when the row is scored alone";
        }
      for (const std::size_t k : masked_slots(copies))
        if (const complaint c = differ(repeated.row(k), alone[0].row(k % length)); !c.empty())
          return where_row(k, length) + c + " when the row is scored alone, not beside copies of itself";
    }
    return {};
  }

  complaint selective() {
    examined<M> m(model_, facts_.vocabulary);
    complaint found;
    const auto compare = [&](const answer& some, const token_rows& rows, const std::vector<std::size_t>& wanted,
                             const answer& all) {
      for (std::size_t k = 0; k < wanted.size() && found.empty(); ++k)
        if (const complaint c = differ(some.row(k), all.row(wanted[k])); !c.empty())
          found = where("wanted row " + std::to_string(k) + " (flat position " + std::to_string(wanted[k]) + ")", rows) + c +
                  " when everything is wanted";
    };
    for (const std::size_t length : lengths_)
      for (std::size_t n = 1; n <= options_.rows && found.empty(); ++n) {
        const token_rows rows = random_rows(n, length);
        const std::vector<std::size_t> wanted = masked_slots(rows);
        const answer all = m.all(rows);
        if constexpr (selective_model<M>) compare(m.selected(rows, wanted), rows, wanted, all);
        if constexpr (selects_from_ragged_batches<M>) compare(m.ragged_selected(rows, wanted), rows, wanted, all);
      }
    return found;
  }

  complaint ragged() {
    examined<M> m(model_, facts_.vocabulary);
    const token_rows rows = uneven_rows();
    const std::vector<std::size_t> wanted = masked_slots(rows);
    std::vector<std::vector<float>> expected;
    for (const auto& row : rows) {
      const answer alone = m.all({row});
      for (const std::size_t k : masked_slots({row})) expected.emplace_back(alone.row(k).begin(), alone.row(k).end());
    }
    complaint found;
    const auto compare = [&](std::size_t k, std::span<const float> got) {
      if (!found.empty()) return;
      if (const complaint c = differ(got, expected[k]); !c.empty())
        found = "flat position " + std::to_string(wanted[k]) + " of rows of different lengths, " + c +
                " when the row is scored alone";
    };
    if constexpr (scores_ragged_batches<M>) {
      const answer a = m.ragged(rows);
      for (std::size_t k = 0; k < wanted.size(); ++k) compare(k, a.row(wanted[k]));
    }
    if constexpr (selects_from_ragged_batches<M>) {
      const answer a = m.ragged_selected(rows, wanted);
      for (std::size_t k = 0; k < wanted.size(); ++k) compare(k, a.row(k));
    }
    return found;
  }

  complaint hidden() {
    complaint found;
    if constexpr (hidden_state_model<M>) {
      examined<M> m(model_, facts_.vocabulary);
      for (const std::size_t length : lengths_) {
        const token_rows rows = random_rows(options_.rows, length);
        const std::vector<std::size_t> wanted = masked_slots(rows);
        std::optional<answer> all;  // of a model that decodes without hidden states, too
        if constexpr (decodable_model<M>) all = m.all(rows);
        // `at` finds a wanted row in an answer; `ask` is a call of one form.
        const auto examine = [&](auto ask, auto at) {
          const auto both = ask(rows, wanted);
          const auto again = ask(rows, wanted);
          for (std::size_t k = 0; k < wanted.size() && found.empty(); ++k) {
            const std::size_t i = wanted[k];
            const std::size_t b = i / length;
            const token_rows one{rows[b]};
            const std::vector<std::size_t> inside = masked_slots(one);
            const auto alone = ask(one, inside);
            const auto j = static_cast<std::size_t>(std::find(inside.begin(), inside.end(), i % length) - inside.begin());
            const std::span<const float> h = both.hidden.row(at(k, i));
            complaint c;
            if (std::any_of(h.begin(), h.end(), [](float v) { return !std::isfinite(v); })) c = "a number is not finite";
            if (c.empty() && all)
              if (c = differ(both.logits.row(at(k, i)), all->row(i)); !c.empty()) c = "logits: " + c + " without hidden states";
            if (c.empty())
              if (c = differ(h, again.hidden.row(at(k, i))); !c.empty()) c += " in an earlier call with the same input";
            if (c.empty())
              if (c = differ(h, alone.hidden.row(at(j, i % length))); !c.empty()) c += " when the row is scored alone";
            if (!c.empty()) found = where_row(i, length) + c;
          }
        };
        if constexpr (returns_hidden<M>)
          examine([&](const token_rows& r, const std::vector<std::size_t>&) { return m.hidden_whole(r); },
                  [](std::size_t, std::size_t i) { return i; });
        if constexpr (selects_hidden<M>)
          examine([&](const token_rows& r, const std::vector<std::size_t>& w) { return m.hidden_selected(r, w); },
                  [](std::size_t k, std::size_t) { return k; });
      }
    }
    return found;
  }

  // ---- Rows of tokens

  [[nodiscard]] bool is_forbidden(token t) const {
    return std::binary_search(facts_.forbidden.begin(), facts_.forbidden.end(), t);
  }
  /// Random tokens, each position masked with a probability that is itself random; at least one is.
  std::vector<token> random_row(std::size_t length) {
    std::vector<token> row(length);
    const double share = rng_.uniform();
    for (token& t : row) t = rng_.bernoulli(share) ? facts_.mask : allowed_[rng_.below(allowed_.size())];
    row[rng_.below(length)] = facts_.mask;
    return row;
  }
  token_rows random_rows(std::size_t n, std::size_t length) {
    token_rows rows;
    for (std::size_t b = 0; b < n; ++b) rows.push_back(random_row(length));
    return rows;
  }
  token_rows uneven_rows() {
    token_rows rows;
    for (int repeat = 0; repeat < 2; ++repeat)
      for (const std::size_t length : lengths_) rows.push_back(random_row(length));
    return rows;
  }
  /// Where the logits of the masked positions are, as indices into the concatenated rows.
  [[nodiscard]] std::vector<std::size_t> masked_slots(const token_rows& rows) const {
    std::vector<std::size_t> slots;
    std::size_t first = 0;
    for (const auto& row : rows) {
      for (std::size_t i = 0; i < row.size(); ++i)
        if (row[i] == facts_.mask) slots.push_back(first + (i < facts_.logits_shift ? 0 : i - facts_.logits_shift));
      first += row.size();
    }
    return slots;
  }

  // ---- Comparing and complaining

  [[nodiscard]] complaint unusable(std::span<const float> logits) const {
    bool finite = false;
    for (std::size_t v = 0; v < logits.size(); ++v) {
      if (std::isnan(logits[v]) || (std::isinf(logits[v]) && logits[v] > 0))
        return "the logit of token " + std::to_string(v) + " is " + text(logits[v]) + ", expected no NaN or +infinity";
      finite = finite || (std::isfinite(logits[v]) && !is_forbidden(static_cast<token>(v)));
    }
    return finite ? complaint{} : "no token that may be generated has a finite logit";
  }
  [[nodiscard]] complaint differ(std::span<const float> got, std::span<const float> expected) const {
    for (std::size_t v = 0; v < got.size(); ++v) {
      const bool same = got[v] == expected[v] || (std::isnan(got[v]) && std::isnan(expected[v])) ||
                        std::abs(static_cast<double>(got[v]) - static_cast<double>(expected[v])) <= options_.tolerance;
      if (!same) return "number " + std::to_string(v) + " is " + text(got[v]) + ", expected " + text(expected[v]) + " as";
    }
    return {};
  }
  static std::string text(float v) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.9g", static_cast<double>(v));
    return digits;
  }
  static std::string where(const std::string& what, const token_rows& rows) {
    return what + ", " + std::to_string(rows.size()) + " rows of length " + std::to_string(rows[0].size()) + ": ";
  }
  static std::string where_row(std::size_t slot, std::size_t length) {
    return "row " + std::to_string(slot / length) + ", position " + std::to_string(slot % length) + " of " +
           std::to_string(length) + ": ";
  }

  // ---- The report

  [[nodiscard]] bool is_broken(const std::string& name) const {
    return std::any_of(report_.laws.begin(), report_.laws.end(),
                       [&](const law& l) { return l.name == name && l.result == outcome::broken; });
  }
  /// Checks a law unless one of those it rests on is broken, or could not be checked because of a broken one.
  template <class Law>
  void check(const std::string& name, const std::vector<std::string>& rests_on, Law law_of) {
    for (const std::string& other : rests_on)
      if (is_broken(other) || std::find(blocked_.begin(), blocked_.end(), other) != blocked_.end()) {
        blocked_.push_back(name);
        return skip(name, "rests on '" + other + "'");
      }
    complaint c;
    try {
      c = law_of();
    } catch (const std::exception& e) {
      c = std::string("the model threw: ") + e.what();
    } catch (...) {
      c = "the model threw something that is not a std::exception";
    }
    const outcome result = c.empty() ? outcome::holds : outcome::broken;
    report_.laws.push_back({name, result, std::move(c)});
  }
  void skip(const std::string& name, std::string why) { report_.laws.push_back({name, outcome::not_checked, std::move(why)}); }

  M& model_;
  const law_options& options_;
  random_stream rng_;
  model_facts facts_;
  std::vector<token> allowed_;        // tokens that may be generated
  std::vector<std::size_t> lengths_;  // lengths the model takes
  std::vector<std::string> blocked_;  // laws that rest on a broken one
  law_report report_;
};

}  // namespace detail

/// Checks all laws that apply to the model. Throws invalid_argument for options that are out of range, nothing else.
template <class M>
requires has_vocabulary<M> && has_mask_token<M> &&
    (decodable_model<std::remove_reference_t<M>> || hidden_state_model<std::remove_reference_t<M>>)law_report
    check_laws(M&& model, const law_options& options = {}) {
  options.validate();
  return detail::law_checker<std::remove_reference_t<M>>(model, options).run();
}

}  // namespace lacuna::testing
