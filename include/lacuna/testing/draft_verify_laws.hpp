/// @file
/// @brief check_draft_verify_laws: holds a model that drafts and verifies against what sample::speculative relies on.
///
/// ```cpp
/// const auto report = lacuna::testing::check_draft_verify_laws(model);
/// std::cout << report;                 // one line a law; what was got and expected where one is broken
/// ```
/// | law | says |
/// |---|---|
/// | shares | draft_share() and verify_share() are finite and not negative, and one of them is more than 0 |
/// | delivery | both passes deliver every wanted row once, with V numbers, and charge B rows or the wanted tracks |
/// | finite | rows have no NaN or +infinity, and a finite logit for a token that may be generated |
/// | deterministic | the same input has the same logits |
/// | redraft | a slot that is drafted again keeps nothing of what it had |
/// | batch | a row's drafts and targets do not depend on its neighbours, its place or its slot |
/// | causal | a target does not depend on the tokens at its track and behind it |
/// | order | nor on the order of what is behind it |
/// | incremental | the targets of some tracks are the same when those before them were verified in a call of their own |
///
/// No test framework is needed. What a model throws breaks the law under which it was called; laws behind one that is broken
/// are `not_checked`. Equal means bitwise unless `tolerance` says otherwise. Some fifty calls of small batches. Errors:
/// invalid_argument for options out of range.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/concepts/draft_verify_model.hpp"
#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/verify_batch.hpp"
#include "lacuna/testing/law_report.hpp"

namespace lacuna::testing {

struct draft_verify_law_options {
  std::size_t length = 5;  ///< L, at most the model's max_length()
  std::size_t rows = 3;    ///< B
  double tolerance = 0;    ///< largest difference of two logits that counts as equal
  std::uint64_t seed = 0;  ///< of the random tokens and orders

  void validate() const {
    if (length < 3)
      throw invalid_argument("draft_verify_law_options: length = " + std::to_string(length) + ", expected at least 3");
    if (rows < 2) throw invalid_argument("draft_verify_law_options: rows = " + std::to_string(rows) + ", expected at least 2");
    if (!(tolerance >= 0)) throw invalid_argument("draft_verify_law_options: a tolerance that is none");
  }
};

namespace detail {

template <draft_verify_model M>
class draft_verify_checker {
 public:
  draft_verify_checker(M& model, const draft_verify_law_options& options)
      : model_{model}, options_{options}, facts_{facts_of(model)}, random_{options.seed, stream_use::other} {
    if (facts_.max_length) options_.length = std::min(options_.length, *facts_.max_length);
    for (token t = 0; static_cast<std::size_t>(t) < facts_.vocabulary; ++t)
      if (t != facts_.mask && !std::binary_search(facts_.forbidden.begin(), facts_.forbidden.end(), t)) usable_.push_back(t);
    for (std::size_t b = 0; b < options_.rows; ++b) rows_.push_back(random_row());
  }

  law_report run() {
    check("shares", [&] { shares(); });
    check("delivery", [&] { delivery(); });
    check("finite", [&] { finite(); });
    check("deterministic", [&] { same(all_of(rows_, slots_from(0)), all_of(rows_, slots_from(0)), "a second time"); });
    check("redraft", [&] { redraft(); });
    check("batch", [&] { batch(); });
    check("causal", [&] { causal(); });
    check("order", [&] { order(); });
    check("incremental", [&] { incremental(); });
    return std::move(report_);
  }

 private:
  /// A row: tokens, an order, and how many tracks of it are known; the others are masked when it is drafted.
  struct row {
    std::vector<token> tokens;
    std::vector<std::size_t> order;
    std::size_t known = 0;
  };
  using numbers = std::vector<std::vector<float>>;  // rows of logits
  struct broken {
    std::string why;
  };

  row random_row() {
    row r;
    r.order.resize(options_.length);
    std::iota(r.order.begin(), r.order.end(), std::size_t{0});
    random_.shuffle(std::span{r.order});
    for (std::size_t i = 0; i < options_.length; ++i) r.tokens.push_back(usable_[random_.below(usable_.size())]);
    r.known = random_.below(options_.length - 1);
    return r;
  }
  [[nodiscard]] std::vector<std::size_t> slots_from(std::size_t first) const {
    std::vector<std::size_t> slots(options_.rows);
    std::iota(slots.begin(), slots.end(), first);
    return slots;
  }

  /// Drafts of all masked positions.
  numbers draft(std::span<const row> rows, std::span<const std::size_t> slots) {
    std::vector<token> tokens;
    std::vector<std::size_t> wanted;
    for (const row& r : rows) {
      const std::size_t begin = tokens.size();
      tokens.insert(tokens.end(), r.tokens.begin(), r.tokens.end());
      for (std::size_t d = r.known; d < r.order.size(); ++d) tokens[begin + r.order[d]] = facts_.mask;
      for (std::size_t i = 0; i < r.order.size(); ++i)
        if (tokens[begin + i] == facts_.mask) wanted.push_back(begin + i);
    }
    return collect(wanted.size(), "draft", [&](row_sink sink) {
      model_.draft(view_as_tensor<const token, 2>(tokens.data(), {rows.size(), options_.length}), slots, wanted, sink);
    });
  }
  /// Targets of tracks [first, last) of each row, those from `known` on if nothing is said.
  numbers verify(std::span<const row> rows, std::span<const std::size_t> slots, std::size_t skip = 0,
                 std::size_t most = static_cast<std::size_t>(-1)) {
    std::vector<std::size_t> orders, first, last;
    std::vector<token> tokens;
    std::size_t count = 0;
    for (const row& r : rows) {
      orders.insert(orders.end(), r.order.begin(), r.order.end());
      tokens.insert(tokens.end(), r.tokens.begin(), r.tokens.end());
      first.push_back(r.known + skip);
      last.push_back(r.known + std::min(most, r.order.size() - r.known));
      count += last.back() - first.back();
    }
    return collect(count, "verify", [&](row_sink sink) {
      const std::size_t charged = model_.verify(verify_batch{slots, orders, tokens, first, last}, sink);
      if (charged != rows.size() && charged != count)
        throw broken{"verify charged " + std::to_string(charged) + " rows, expected " + std::to_string(rows.size()) +
                     " rows or " + std::to_string(count) + " tracks"};
    });
  }
  template <class Call>
  numbers collect(std::size_t count, const std::string& what, const Call& call) {
    numbers got(count);
    call([&](std::size_t k, std::span<const float> logits) {
      if (k >= count) throw broken{what + " delivered row " + std::to_string(k) + " of " + std::to_string(count)};
      if (!got[k].empty()) throw broken{what + " delivered row " + std::to_string(k) + " twice"};
      if (logits.size() != facts_.vocabulary)
        throw broken{what + " delivered " + std::to_string(logits.size()) +
                     " logits, expected V = " + std::to_string(facts_.vocabulary)};
      got[k].assign(logits.begin(), logits.end());
    });
    for (std::size_t k = 0; k < count; ++k)
      if (got[k].empty()) throw broken{what + " did not deliver row " + std::to_string(k) + " of " + std::to_string(count)};
    return got;
  }
  numbers all_of(std::span<const row> rows, std::span<const std::size_t> slots) {
    numbers all = draft(rows, slots);
    for (auto& target : verify(rows, slots)) all.push_back(std::move(target));
    return all;
  }

  void same(const numbers& expected, const numbers& got, const std::string& when) const {
    if (expected.size() != got.size()) throw broken{"another number of rows " + when};
    for (std::size_t k = 0; k < got.size(); ++k)
      for (std::size_t v = 0; v < got[k].size(); ++v) {
        const double a = static_cast<double>(expected[k][v]), b = static_cast<double>(got[k][v]);
        if (a == b || std::abs(a - b) <= options_.tolerance) continue;
        throw broken{"row " + std::to_string(k) + ", token " + std::to_string(v) + ": " + std::to_string(b) + " " + when +
                     ", expected " + std::to_string(a)};
      }
  }

  // ---- The laws
  void shares() const {
    const double draft = model_.draft_share(), verify = model_.verify_share();
    if (!(draft >= 0 && verify >= 0 && draft + verify > 0 && std::isfinite(draft + verify)))
      throw broken{"shares " + std::to_string(draft) + " and " + std::to_string(verify)};
  }
  void delivery() { all_of(rows_, slots_from(0)); }
  void finite() {
    for (const auto& logits : all_of(rows_, slots_from(0))) {
      for (const float l : logits)
        if (std::isnan(l) || l == HUGE_VALF) throw broken{"a logit of " + std::to_string(l)};
      if (std::none_of(usable_.begin(), usable_.end(),
                       [&](token t) { return std::isfinite(logits[static_cast<std::size_t>(t)]); }))
        throw broken{"no finite logit for a token that may be generated"};
    }
  }
  void batch() {
    const numbers drafts = draft(rows_, slots_from(0)), targets = verify(rows_, slots_from(0));
    std::size_t at = 0;
    for (std::size_t b = 0; b < rows_.size(); ++b) {
      const std::span<const row> one = std::span{rows_}.subspan(b, 1);
      const std::vector<std::size_t> slot{2 * rows_.size() - b};
      const std::size_t n = options_.length - rows_[b].known;
      const auto part = [&](const numbers& all) {
        return numbers(all.begin() + static_cast<std::ptrdiff_t>(at), all.begin() + static_cast<std::ptrdiff_t>(at + n));
      };
      same(part(drafts), draft(one, slot), "drafted alone");
      same(part(targets), verify(one, slot), "verified alone");
      at += n;
    }
  }
  /// What comes of a row's targets when it is changed behind a track.
  template <class Change>
  void changed_behind(const Change& change, const std::string& when) {
    for (const row& original : rows_) {
      const std::vector<std::size_t> slot{0};
      for (std::size_t d = original.known; d + 1 < options_.length; ++d) {
        row other = original;
        change(other, d);
        draft({&original, 1}, slot);  // the same hidden states: only the verification differs
        const numbers before = verify({&original, 1}, slot);
        draft({&original, 1}, slot);
        numbers after = verify({&other, 1}, slot);
        const std::size_t kept = d - original.known + 1;
        after.resize(kept);
        same(numbers(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(kept)), after,
             when + " track " + std::to_string(d));
      }
    }
  }
  void causal() {
    changed_behind(
        [&](row& r, std::size_t d) {
          for (std::size_t e = d; e < r.order.size(); ++e) {
            token& t = r.tokens[r.order[e]];
            t = *std::find_if(usable_.begin(), usable_.end(), [&](token other) { return usable_.size() == 1 || other != t; });
          }
        },
        "with other tokens from");
  }
  void order() {
    changed_behind(
        [](row& r, std::size_t d) { std::reverse(r.order.begin() + static_cast<std::ptrdiff_t>(d + 1), r.order.end()); },
        "with another order behind");
  }
  void incremental() {
    draft(rows_, slots_from(0));
    const numbers whole = verify(rows_, slots_from(0));
    draft(rows_, slots_from(0));
    verify(rows_, slots_from(0), 0, 1);
    const numbers rest = verify(rows_, slots_from(0), 1);
    numbers expected;
    std::size_t at = 0;
    for (const row& r : rows_) {
      const std::size_t n = options_.length - r.known;
      for (std::size_t k = 1; k < n; ++k) expected.push_back(whole[at + k]);
      at += n;
    }
    same(expected, rest, "after a verification of the first track");
  }
  void redraft() {
    std::vector<row> others;
    for (std::size_t b = 0; b < rows_.size(); ++b) others.push_back(random_row());
    const numbers fresh = all_of(rows_, slots_from(0));
    all_of(others, slots_from(0));
    same(fresh, all_of(rows_, slots_from(0)), "in a slot that held another row");
  }

  void check(const std::string& name, const std::function<void()>& holds) {
    if (failed_) {
      report_.laws.push_back({name, outcome::not_checked, "rests on a law that is broken"});
      return;
    }
    try {
      holds();
      report_.laws.push_back({name, outcome::holds, {}});
    } catch (const broken& b) {
      report_.laws.push_back({name, outcome::broken, b.why});
      failed_ = true;
    } catch (const std::exception& e) {
      report_.laws.push_back({name, outcome::broken, std::string("the model threw: ") + e.what()});
      failed_ = true;
    }
  }

  M& model_;
  draft_verify_law_options options_;
  model_facts facts_;
  random_stream random_;
  std::vector<token> usable_;
  std::vector<row> rows_;
  bool failed_ = false;
  law_report report_;
};

}  // namespace detail

template <class M>
requires draft_verify_model<std::remove_reference_t<M>> law_report
check_draft_verify_laws(M&& model, const draft_verify_law_options& options = {}) {
  options.validate();
  return detail::draft_verify_checker<std::remove_reference_t<M>>{model, options}.run();
}

}  // namespace lacuna::testing
