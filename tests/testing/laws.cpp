#include "lacuna/testing/laws.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/problems/joint_table.hpp"
#include "lacuna/problems/latin_square.hpp"
#include "lacuna/problems/markov_chain.hpp"
#include "lacuna/problems/permutation.hpp"
#include "lacuna/problems/potts_lattice.hpp"
#include "lacuna/testing/function_model.hpp"
#include "lacuna/testing/recording.hpp"
#include "lacuna/testing/rungs.hpp"

using namespace lacuna;
using namespace lacuna::testing;
using problems::markov_chain;

namespace {

void expect_lawful(const law_report& report) {
  INFO(report);
  CHECK(report.holds());
  CHECK(report["facts"].result == outcome::holds);
  CHECK(report["shape"].result == outcome::holds);
  CHECK(report["known tokens"].result == outcome::holds);
  CHECK(report["finite"].result == outcome::holds);
  CHECK(report["deterministic"].result == outcome::holds);
  CHECK(report["batch"].result == outcome::holds);
}

/// Exactly one law is broken, and its message contains the words.
template <class M>
void expect_broken(M&& model, const std::string& name, const std::string& words) {
  const law_report report = check_laws(model);
  INFO(report);
  REQUIRE(report.broken() == std::vector<std::string>{name});
  CHECK(report[name].message.find(words) != std::string::npos);
}

markov_chain honest() { return markov_chain::random(3, 1); }

// The models below take std::function, so that the checks are compiled once for each kind of model and not for each lie.

/// Any masked_model.
struct any_model {
  template <masked_model M>
  explicit any_model(M model)
      : facts{facts_of(model)}, call{[model](const token_batch& x) mutable -> tensor<float, 3> { return model(x); }} {}
  std::size_t vocabulary_size() const { return facts.vocabulary; }
  token mask_token() const { return facts.mask; }
  std::size_t max_length() const { return facts.max_length.value_or(1000); }
  tensor<float, 3> operator()(const token_batch& x) { return call(x); }
  model_facts facts;
  std::function<tensor<float, 3>(const token_batch&)> call;
};

/// A function_model of one type.
using scorer_function = std::function<void(std::span<const token>, std::size_t, std::span<float>)>;
function_model<scorer_function> from(model_facts facts, scorer_function f) { return {std::move(facts), std::move(f)}; }

/// The honest model with its logits changed.
struct liar : wrapped<markov_chain> {
  explicit liar(std::function<void(const token_batch&, tensor<float, 3>&)> c)
      : wrapped<markov_chain>(honest()), change{std::move(c)} {}
  tensor<float, 3> operator()(const token_batch& x) {
    tensor<float, 3> out = model()(x);
    change(x, out);
    return out;
  }
  std::function<void(const token_batch&, tensor<float, 3>&)> change;
};

/// The honest model, whose deliveries go through a function.
struct selective_liar : wrapped<markov_chain> {
  explicit selective_liar(std::function<void(row_sink, std::size_t, std::span<const float>)> t)
      : wrapped<markov_chain>(honest()), through{std::move(t)} {}
  tensor<float, 3> operator()(const token_batch& x) { return model()(x); }
  void operator()(const token_batch& x, std::span<const std::size_t> wanted, row_sink sink) {
    const tensor<float, 3> all = model()(x);
    for (std::size_t k = 0; k < wanted.size(); ++k)
      through(sink, k, std::span<const float>(all.data() + wanted[k] * vocabulary_size(), vocabulary_size()));
  }
  std::function<void(row_sink, std::size_t, std::span<const float>)> through;
};

/// The honest model, with what comes with hidden states changed.
struct hidden_liar : as_hidden<markov_chain> {
  explicit hidden_liar(std::function<void(const token_batch&, logits_and_hidden&)> c)
      : as_hidden<markov_chain>(honest()), change{std::move(c)} {}
  logits_and_hidden with_hidden(const token_batch& x) {
    logits_and_hidden both = as_hidden<markov_chain>::with_hidden(x);
    change(x, both);
    return both;
  }
  std::function<void(const token_batch&, logits_and_hidden&)> change;
};

/// The honest model with a ragged call whose result is changed.
struct ragged_liar : wrapped<markov_chain> {
  explicit ragged_liar(std::function<void(const ragged_batch&, tensor<float, 2>&)> c)
      : wrapped<markov_chain>(honest()), change{std::move(c)} {}
  tensor<float, 3> operator()(const token_batch& x) { return model()(x); }
  tensor<float, 2> operator()(const ragged_batch& x) {
    tensor<float, 2> out = testing::detail::score_each(model(), x);
    change(x, out);
    return out;
  }
  std::function<void(const ragged_batch&, tensor<float, 2>&)> change;
};

}  // namespace

TEST_CASE("every problem keeps the laws") {
  for (const any_model& problem :
       {any_model{problems::joint_table::random(4, 3, 1)}, any_model{markov_chain::random(3, 1)},
        any_model{markov_chain::sticky(3, 1)}, any_model{problems::potts_lattice({.rows = 3, .columns = 3})},
        any_model{problems::permutation(8)}, any_model{problems::latin_square(3)}})
    expect_lawful(check_laws(any_model{problem}));
  const problems::latin_square shared(4);
  expect_lawful(check_laws(shared));
}

TEST_CASE("every rung of a lawful model is lawful, and its own laws are checked") {
  const auto holds = [](const law_report& report, const char* name) {
    INFO(report);
    CHECK(report[name].result == outcome::holds);
  };
  const law_report selective = check_laws(as_selective{honest()});
  expect_lawful(selective);
  holds(selective, "delivery");
  holds(selective, "selective");
  const law_report ragged = check_laws(as_ragged{honest()});
  expect_lawful(ragged);
  holds(ragged, "ragged");
  const law_report both = check_laws(as_selective_ragged{honest()});
  expect_lawful(both);
  holds(both, "delivery");
  holds(both, "selective");
  holds(both, "ragged");
  const law_report hidden = check_laws(as_hidden{honest()});
  expect_lawful(hidden);
  holds(hidden, "hidden");
  const law_report selective_hidden = check_laws(as_selective_hidden{honest()});
  expect_lawful(selective_hidden);
  holds(selective_hidden, "delivery");
  holds(selective_hidden, "hidden");
  expect_lawful(check_laws(recording{as_selective_hidden{honest()}}));
}

TEST_CASE("a law that does not apply is not checked, and does not count as broken") {
  const law_report report = check_laws(honest());
  for (const char* name : {"delivery", "selective", "ragged", "hidden"}) CHECK(report[name].result == outcome::not_checked);
  CHECK(report.holds());
  CHECK_THROWS_AS((void)report["no such law"], invalid_argument);
}

TEST_CASE("a model with shifted logits is examined at the shifted rows") {
  // Row i scores position i + 1; row 0 scores positions 0 and 1. The last row is never used and may hold anything.
  auto model = from({.vocabulary = 4, .mask = 3, .logits_shift = 1},
                    [](std::span<const token> row, std::size_t i, std::span<float> logits) {
                      if (i + 1 == row.size() && i > 0) logits[0] = std::numeric_limits<float>::quiet_NaN();
                      logits[1] = static_cast<float>(i);
                    });
  expect_lawful(check_laws(model));
  auto unshifted = from({.vocabulary = 4, .mask = 3}, [](std::span<const token> row, std::size_t i, std::span<float> logits) {
    if (i + 1 == row.size() && i > 0) logits[0] = std::numeric_limits<float>::quiet_NaN();
  });
  expect_broken(unshifted, "finite", "nan");
}

TEST_CASE("contradicting facts are reported, and nothing else is asked") {
  const auto nothing = [](std::span<const token>, std::size_t, std::span<float>) {};
  expect_broken(from({.vocabulary = 4, .mask = 4}, nothing), "facts", "mask_token() is 4");
  expect_broken(from({.vocabulary = 2, .mask = 1, .forbidden = {0}}, nothing), "facts", "forbidden");
  expect_broken(from({.vocabulary = 3, .mask = 1, .end = 1}, nothing), "facts", "end_token()");
  expect_broken(from({.vocabulary = 3, .mask = 1, .max_length = 0}, nothing), "facts", "max_length()");
}

TEST_CASE("a wrong shape is reported with what was got and expected") {
  struct transposed : wrapped<markov_chain> {
    transposed() : wrapped<markov_chain>(honest()) {}
    tensor<float, 3> operator()(const token_batch& x) {
      tensor<float, 3> out({x.shape(1), x.shape(0), vocabulary_size()});
      std::fill(out.begin(), out.end(), 0.0F);
      return out;
    }
  };
  expect_broken(transposed{}, "shape", "[1, 2, 4], expected [2, 1, 4]");
  expect_broken(selective_liar{[](row_sink sink, std::size_t k, std::span<const float> row) { sink(k, row.first(3)); }},
                "shape", "a row of 3 numbers, expected 4");
  expect_broken(hidden_liar{[](const token_batch& x, logits_and_hidden& both) {
                  both.hidden.resize({x.shape(0), x.shape(1), 2});
                }},
                "shape", "hidden states of shape [1, 1, 2], expected [1, 1, 6]");
  expect_broken(ragged_liar{[](const ragged_batch& x, tensor<float, 2>& out) {
                  out.resize({x.rows(), 4});
                }},
                "shape", "expected [26, 4]");
}

TEST_CASE("a row that is wanted and not delivered, or delivered twice, or not wanted, is reported") {
  const std::string once = "expected once";
  const auto omits = [](row_sink sink, std::size_t k, std::span<const float> row) {
    if (k != 2) sink(k, row);
  };
  const auto repeats = [](row_sink sink, std::size_t k, std::span<const float> row) {
    sink(k, row);
    if (k == 1) sink(k, row);
  };
  const auto invents = [](row_sink sink, std::size_t k, std::span<const float> row) {
    sink(k, row);
    if (k == 0) sink(1000, row);
  };
  expect_broken(selective_liar{omits}, "delivery", "delivered 0 times, expected once");
  expect_broken(selective_liar{repeats}, "delivery", "delivered 2 times, expected once");
  expect_broken(selective_liar{invents}, "delivery", "row 1000 was delivered");
}

TEST_CASE("a model that cannot bear a special token or a row without masks is reported") {
  const auto no_masks = [](const token_batch& x, tensor<float, 3>&) {
    if (std::find(x.data(), x.data() + x.size(), 3) == x.data() + x.size()) throw std::runtime_error("where are the masks?");
  };
  expect_broken(liar{no_masks}, "known tokens", "threw: where are the masks?");
  auto no_end = from({.vocabulary = 6, .mask = 5, .forbidden = {4}, .end = 3},
                     [](std::span<const token> row, std::size_t, std::span<float>) {
                       if (std::count(row.begin(), row.end(), 4) > 0) throw std::out_of_range("token 4");
                     });
  expect_broken(no_end, "known tokens", "token 4");
}

TEST_CASE("NaN, +infinity and rows that leave nothing to generate are reported") {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
    expect_broken(liar{[bad](const token_batch& x, tensor<float, 3>& out) {
                    if (x.shape(1) == 7)
                      for (std::size_t b = 0; b < x.shape(0); ++b) out(b, 3, 2) = bad;
                  }},
                  "finite", "the logit of token 2");
  expect_broken(liar{[](const token_batch&, tensor<float, 3>& out) {
                  std::fill(out.begin(), out.end(), -std::numeric_limits<float>::infinity());
                  for (std::size_t i = 3; i < out.size(); i += 4) out.data()[i] = 1;  // all mass on the mask
                }},
                "finite", "no token that may be generated");
}

TEST_CASE("a model that answers differently each time is reported") {
  int calls = 0;
  expect_broken(liar{[&calls](const token_batch&, tensor<float, 3>& out) { out.data()[0] += static_cast<float>(++calls); }},
                "deterministic", "in an earlier call");
}

TEST_CASE("a model whose rows see each other, or know their place, is reported") {
  const auto sees_first = [](const token_batch& x, tensor<float, 3>& out) {
    for (std::size_t b = 1; b < x.shape(0); ++b)
      for (std::size_t i = 0; i < x.shape(1); ++i) out(b, i, 0) += static_cast<float>(x(0, 0));
  };
  expect_broken(liar{sees_first}, "batch", "scored alone");
  const auto knows_place = [](const token_batch& x, tensor<float, 3>& out) {
    for (std::size_t b = 1; b < x.shape(0); ++b)
      for (std::size_t i = 0; i < x.shape(1); ++i) out(b, i, 1) += 1e-6F;
  };
  expect_broken(liar{knows_place}, "batch", "scored alone");
  const auto knows_size = [](const token_batch& x, tensor<float, 3>& out) {
    for (std::size_t i = 0; i < out.size(); i += 4) out.data()[i] += x.shape(0) > 4 ? 1.0F : 0.0F;
  };
  expect_broken(liar{knows_size}, "batch", "scored alone");
}

TEST_CASE("a tolerance forgives small differences and no large ones") {
  const auto rounds = [](const token_batch& x, tensor<float, 3>& out) {
    for (float& v : out) v += 1e-5F * static_cast<float>(x.shape(0));
  };
  CHECK_FALSE(check_laws(liar{rounds}).holds());
  CHECK(check_laws(liar{rounds}, {.tolerance = 1e-3}).holds());
  CHECK_FALSE(check_laws(liar{rounds}, {.tolerance = 1e-6}).holds());
}

TEST_CASE("a selective call that delivers other rows than the whole one is reported") {
  expect_broken(selective_liar{[](row_sink sink, std::size_t k, std::span<const float> row) {
                  std::vector<float> other(row.begin(), row.end());
                  if (k == 3) other[1] += 1;
                  sink(k, other);
                }},
                "selective", "wanted row 3");
}

TEST_CASE("a ragged call that mixes its rows is reported") {
  expect_broken(ragged_liar{[](const ragged_batch& x, tensor<float, 2>& out) {
                  if (x.rows() > 1)
                    for (std::size_t i = x.offsets[1]; i < x.tokens.size(); ++i) out(i, 0) += 1;
                }},
                "ragged", "scored alone");
}

TEST_CASE("hidden states that are random, mixed, not finite, or come with other logits are reported") {
  int calls = 0;
  expect_broken(
      hidden_liar{[&](const token_batch&, logits_and_hidden& both) { both.hidden.data()[0] = static_cast<float>(++calls); }},
      "hidden", "in an earlier call");
  expect_broken(hidden_liar{[](const token_batch& x, logits_and_hidden& both) {
                  for (float& v : both.hidden) v += static_cast<float>(x.shape(0));
                }},
                "hidden", "scored alone");
  expect_broken(hidden_liar{[](const token_batch&, logits_and_hidden& both) {
                  both.hidden.data()[1] = std::numeric_limits<float>::infinity();
                }},
                "hidden", "not finite");
  expect_broken(hidden_liar{[](const token_batch&, logits_and_hidden& both) {
                  for (float& v : both.logits) v += 1;
                }},
                "hidden", "logits");
}

TEST_CASE("what rests on a broken law is not checked") {
  int calls = 0;
  const law_report report =
      check_laws(liar{[&calls](const token_batch&, tensor<float, 3>& out) { out.data()[0] += static_cast<float>(++calls); }});
  CHECK(report["batch"].result == outcome::not_checked);
  CHECK(report["batch"].message == "rests on 'deterministic'");
}

TEST_CASE("a report prints one line a law") {
  std::ostringstream out;
  out << check_laws(honest());
  const std::string text = out.str();
  CHECK(std::count(text.begin(), text.end(), '\n') == 10);
  CHECK(text.find("holds        finite\n") != std::string::npos);
  CHECK(text.find("not checked  ragged: the model does not take rows of different lengths\n") != std::string::npos);
}

TEST_CASE("lengths the model does not take are left out") {
  recording model{problems::permutation(2)};
  CHECK(check_laws(model).holds());
  for (const recorded_call& c : model.calls()) CHECK(c.row(0).size() <= 2);
}

TEST_CASE("options with which nothing would be checked are refused with got and expected, before the first call") {
  recording model{honest()};
  const auto refused = [&](const law_options& options) -> std::string {
    try {
      (void)check_laws(model, options);
    } catch (const invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  CHECK(refused({.rows = 0}) == "law_options: rows = 0, expected at least 1");
  CHECK(refused({.lengths = {}}) == "law_options: got no lengths, expected at least one");
  CHECK(refused({.lengths = {3, 0}}) == "law_options: lengths has 0, expected at least 1");
  CHECK(refused({.tolerance = -0.5}) == "law_options: tolerance = -0.5, expected at least 0");
  CHECK(refused({.tolerance = std::numeric_limits<double>::quiet_NaN()}) ==
        "law_options: tolerance = nan, expected at least 0");
  CHECK(model.calls().empty());
  CHECK(check_laws(model, {.lengths = {1}, .rows = 1}).holds());
}
