/// @file
/// @brief train::trainable_order: a learned order, the scores of its posterior and, if wanted, the network that decodes, as one
/// model that train::run trains.
///
/// The loss of a row is minus the Rao-Blackwellised bound of log p(x) under the order (likelihood/order_elbo.hpp), averaged
/// over K paths drawn from the posterior: all paths first, then every state of all of them in one batched pass of the trunk.
/// The gradients are those of likelihood/order_gradient.hpp: of the scores through the rates and, leaving one out, through the
/// choice of the path; of the head; of the trunk as weighted cross-entropy and through the hidden states that the head reads.
///
/// The scores alpha(x) are those of a transformer of their own on the clean row: the logit of its mask token at each position,
/// which nothing else uses. log p is over all tokens of the vocabulary, as in train::masking, also those that decoding forbids.
/// ```cpp
/// lacuna::nn::order_head head{{trunk.hidden_size()}, 1};
/// lacuna::nn::transformer scores{lacuna::train::score_config(trunk.config(), 64, 2), 2};
/// lacuna::train::trainable_order model{trunk, head, scores, {.paths = 8}};
/// const auto state = lacuna::train::run(model, source, options);        // a source of train::order_batch
/// ```
/// Refers to the three networks, which have the parameters of the last call; after training, `model.take(state.average.values)`
/// gives them the averaged ones. A step costs a forward pass of the scores and three of their training, (rows x K x steps) rows
/// of the trunk forward, and as many times four if it is trained along. Errors: invalid_argument for fewer than 2 paths,
/// networks that do not fit each other, rows that do not fit the trunk; model_error if the trunk gives the true token no
/// probability. Source: learned generation orders by variational inference.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/concepts/reveal_head.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/row.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/likelihood/order_gradient.hpp"
#include "lacuna/likelihood/renormalised.hpp"
#include "lacuna/nn/order_head.hpp"
#include "lacuna/nn/transformer.hpp"
#include "lacuna/train/joined_parameters.hpp"
#include "lacuna/train/order_batch.hpp"

namespace lacuna::train {

/// Whether the network that decodes learns too.
enum class trunk_training { frozen, along };

template <likelihood::reveal_posterior Posterior = likelihood::renormalised>
struct order_options {
  std::size_t paths = 8;  ///< K, of each row
  double beta = 1;        ///< weight of the KL: 1 is the bound; less means more steps
  Posterior posterior{};
  trunk_training trunk = trunk_training::frozen;
  std::size_t rows_per_call = 256;
};

/// What the rows of a step came to, in the mean.
struct order_report {
  double elbo = 0;                ///< nats a row, with beta = 1
  double reconstruction = 0;      ///< what the tokens cost
  double divergence = 0;          ///< KL
  double steps = 0;               ///< of a path
  double first = 0;               ///< share of the masked positions that the first step reveals
  double last = 0;                ///< share that the last step of a whole budget reveals; everything at T = 1
  double advantage_variance = 0;  ///< of G_t - b_t, which the variance of the scores' gradient is proportional to
};

/// A small transformer on the same rows as another one, to be read as scores.
inline nn::transformer_config score_config(const nn::transformer_config& trunk, std::size_t width, std::size_t depth,
                                           std::size_t heads = 4) {
  nn::transformer_config c = trunk;
  c.width = width;
  c.depth = depth;
  c.heads = heads;
  c.feed_forward = 4 * width;
  c.head = nn::head_kind::tied;
  return c;
}

template <likelihood::reveal_posterior Posterior = likelihood::renormalised>
class trainable_order {
 public:
  trainable_order(nn::transformer& trunk, nn::order_head& head, nn::transformer& scores, order_options<Posterior> options = {})
      : trunk_{&trunk}, head_{&head}, scores_{&scores}, options_{std::move(options)} {
    if (options_.paths < 2)
      throw invalid_argument("trainable_order: paths = " + std::to_string(options_.paths) +
                             ", expected at least 2: a path's baseline is the mean of the others");
    if (!(options_.beta >= 0 && std::isfinite(options_.beta)))
      throw invalid_argument("trainable_order: beta = " + std::to_string(options_.beta) + ", expected at least 0");
    if (options_.rows_per_call == 0) throw invalid_argument("trainable_order: rows_per_call = 0, expected at least 1");
    options_.posterior.validate();
    if (head.hidden_size() != trunk.hidden_size())
      throw invalid_argument("trainable_order: a head on " + std::to_string(head.hidden_size()) +
                             " numbers of hidden states, the trunk has " + std::to_string(trunk.hidden_size()));
    if (scores.vocabulary_size() != trunk.vocabulary_size() || scores.max_length() < trunk.max_length())
      throw invalid_argument("trainable_order: scores of a network of " + std::to_string(scores.vocabulary_size()) +
                             " tokens and length " + std::to_string(scores.max_length()) + ", the trunk has " +
                             std::to_string(trunk.vocabulary_size()) + " and " + std::to_string(trunk.max_length()));
    joined_.add("", head.parameters());
    joined_.add("scores.", scores.parameters());
    if (trains_trunk()) joined_.add("trunk.", trunk.parameters());
  }

  [[nodiscard]] nn::parameters& parameters() { return joined_.parameters(); }

  /// Gives the networks these values of all parameters.
  void take(std::span<const float> values) {
    std::copy(values.begin(), values.end(), parameters().values().begin());
    joined_.hand_out();
  }

  /// Sum over rows of minus the bound (with beta); its gradient is added.
  double loss_and_gradient(std::span<const order_example> rows, std::span<float> gradient) { return work(rows, gradient); }
  /// The same without a gradient, for rows to validate with.
  double loss(std::span<const order_example> rows) { return work(rows, {}); }
  /// What the last call found.
  [[nodiscard]] const order_report& last() const { return report_; }

 private:
  /// One state of a path: a row of the trunk.
  struct state {
    std::size_t row, path, step;
  };
  [[nodiscard]] bool trains_trunk() const { return options_.trunk == trunk_training::along; }

  double work(std::span<const order_example> rows, std::span<float> gradient) {
    if (rows.empty()) throw invalid_argument("trainable_order: no rows, expected at least 1");
    if (!gradient.empty() && gradient.size() != parameters().values().size())
      throw invalid_argument("trainable_order: got " + std::to_string(gradient.size()) + " places for the gradient, expected " +
                             std::to_string(parameters().values().size()));
    joined_.hand_out();
    length_ = rows.front().tokens.size();
    score(rows);
    draw_paths(rows);
    look(rows);

    report_ = {};
    double loss = 0;
    score_gradient_.assign(rows.size() * length_, 0.0F);
    gradients_.clear();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      gradients_.push_back(likelihood::gradient_of(options_.posterior, score_of(r), paths_[r], options_.beta));
      const likelihood::order_gradient& g = gradients_.back();
      for (const likelihood::order_bound& b : g.bounds) loss -= b.nats(options_.beta) / static_cast<double>(options_.paths);
      for (std::size_t i = 0; i < length_; ++i) score_gradient_[r * length_ + i] = static_cast<float>(-g.scores[i]);
      tell(g, paths_[r], rows[r], static_cast<double>(rows.size()));
    }
    if (gradient.empty()) return loss;
    head_backward(gradient);
    scores_->loss_and_gradient({clean_, mask_targets_, score_gradient_, offsets_, nn::position_loss::logit},
                               joined_.part(gradient, 1));
    if (trains_trunk()) trunk_backward(rows, joined_.part(gradient, 2));
    return loss;
  }

  [[nodiscard]] std::span<const double> score_of(std::size_t r) const {
    return std::span{score_}.subspan(r * length_, length_);
  }

  void score(std::span<const order_example> rows) {
    clean_.clear();
    offsets_.assign(1, 0);
    for (const order_example& row : rows) {
      if (row.tokens.size() != length_)
        throw invalid_argument("trainable_order: rows of " + std::to_string(row.tokens.size()) + " and " +
                               std::to_string(length_) + " tokens, expected equal lengths");
      clean_.insert(clean_.end(), row.tokens.begin(), row.tokens.end());
      offsets_.push_back(clean_.size());
    }
    mask_targets_.assign(clean_.size(), scores_->mask_token());
    std::vector<std::size_t> wanted(clean_.size());
    std::iota(wanted.begin(), wanted.end(), std::size_t{0});
    score_.assign(clean_.size(), 0.0);
    const auto mask = static_cast<std::size_t>(scores_->mask_token());
    (*scores_)(ragged_batch{clean_, offsets_}, wanted,
               [&](std::size_t k, std::span<const float> logits) { score_[k] = static_cast<double>(logits[mask]); });
  }

  void draw_paths(std::span<const order_example> rows) {
    paths_.assign(rows.size(), {});
    states_.clear();
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (std::size_t k = 0; k < options_.paths; ++k) {
        random_stream rng{rows[r].stream, stream_use::training, k};
        paths_[r].push_back(
            {likelihood::draw_path(options_.posterior, score_of(r), rows[r].masked, rows[r].budget, rng), {}, {}});
        // All paths of a row begin with everything masked: that state is looked at once.
        for (std::size_t t = k == 0 ? 0 : 1; t < paths_[r][k].path.steps(); ++t) states_.push_back({r, k, t});
      }
  }

  [[nodiscard]] std::span<const std::size_t> masked_in(const state& s) const {
    return paths_[s.row][s.path].path.masked(s.step);
  }

  /// The trunk's rows of states [first, last).
  void lay_out(std::span<const order_example> rows, std::size_t first, std::size_t last) {
    tokens_.clear();
    wanted_.clear();
    for (std::size_t n = first; n < last; ++n) {
      const order_example& row = rows[states_[n].row];
      const std::size_t begin = tokens_.size();
      tokens_.insert(tokens_.end(), row.tokens.begin(), row.tokens.end());
      for (const std::size_t i : masked_in(states_[n])) {
        tokens_[begin + i] = trunk_->mask_token();
        wanted_.push_back(begin + i);
      }
    }
  }

  /// Passes of the trunk over all states, then the head's.
  void look(std::span<const order_example> rows) {
    const std::size_t d = trunk_->hidden_size();
    hidden_.clear();
    features_.clear();
    std::vector<double> log_p;
    std::vector<double> true_log_p;
    for (std::size_t first = 0; first < states_.size(); first += options_.rows_per_call) {
      const std::size_t last = std::min(states_.size(), first + options_.rows_per_call);
      lay_out(rows, first, last);
      const std::size_t before = true_log_p.size();
      true_log_p.resize(before + wanted_.size());
      hidden_.resize((before + wanted_.size()) * d);
      features_.resize((before + wanted_.size()) * reveal_feature_count);
      const token_batch batch =
          view_as_tensor(std::as_const(tokens_).data(), std::array<std::size_t, 2>{last - first, length_});
      trunk_->with_hidden(
          batch, wanted_,
          [&](std::size_t k, std::span<const float> logits) {
            log_p.resize(logits.size());
            const std::size_t n = wanted_[k] / length_;
            const token truth = rows[states_[first + n].row].tokens[wanted_[k] % length_];
            if (!log_softmax(logits, {}, log_p) || !std::isfinite(log_p[static_cast<std::size_t>(truth)]))
              throw model_error("trainable_order: the trunk gives token " + std::to_string(truth) + " at position " +
                                std::to_string(wanted_[k] % length_) + " no probability");
            true_log_p[before + k] = log_p[static_cast<std::size_t>(truth)];
            const auto s = statistics_of<statistics::confidence | statistics::entropy | statistics::margin>(log_p);
            const auto f = reveal_features(s.confidence, s.entropy, s.margin);
            std::copy(f.begin(), f.end(), features_.begin() + static_cast<std::ptrdiff_t>((before + k) * reveal_feature_count));
          },
          [&](std::size_t k, std::span<const float> h) {
            std::copy(h.begin(), h.end(), hidden_.begin() + static_cast<std::ptrdiff_t>((before + k) * d));
          });
    }
    std::size_t begin = 0;
    for (const state& s : states_) {
      const std::size_t n = masked_in(s).size();
      logits_.assign(n, 0.0);
      (*head_)(context_of(s, begin), scratch_, logits_);
      for (std::size_t k = s.path; k < (s.step == 0 ? options_.paths : s.path + 1); ++k) {
        likelihood::scored_path& path = paths_[s.row][k];
        path.log_p.insert(path.log_p.end(), true_log_p.begin() + static_cast<std::ptrdiff_t>(begin),
                          true_log_p.begin() + static_cast<std::ptrdiff_t>(begin + n));
        path.logits.insert(path.logits.end(), logits_.begin(), logits_.end());
      }
      begin += n;
    }
  }

  /// What the head is shown of a state whose numbers begin at `begin`.
  [[nodiscard]] reveal_context context_of(const state& s, std::size_t begin) const {
    const std::size_t n = masked_in(s).size(), d = trunk_->hidden_size();
    return {masked_in(s), std::span{hidden_}.subspan(begin * d, n * d),
            std::span{features_}.subspan(begin * reveal_feature_count, n * reveal_feature_count),
            static_cast<double>(s.step) / static_cast<double>(paths_[s.row][s.path].path.budget())};
  }

  /// Of a gradient along the paths of a row what belongs to a state: that of all paths where they begin.
  std::span<const double> at(const std::vector<std::vector<double>>& along, const state& s) {
    const auto of_path = [&](std::size_t k) { return paths_[s.row][k].path.slice(std::span<const double>{along[k]}, s.step); };
    const std::span<const double> own = of_path(s.path);
    if (s.step > 0) return own;
    shared_.assign(own.begin(), own.end());
    for (std::size_t k = 1; k < options_.paths; ++k)
      std::transform(shared_.begin(), shared_.end(), of_path(k).begin(), shared_.begin(), std::plus<>{});
    return shared_;
  }

  void head_backward(std::span<float> gradient) {
    const std::size_t d = trunk_->hidden_size();
    if (trains_trunk()) dhidden_.assign(hidden_.size(), 0.0F);
    std::size_t begin = 0;
    for (const state& s : states_) {
      const std::size_t n = masked_in(s).size();
      const std::span<const double> g = at(gradients_[s.row].logits, s);
      logits_.assign(g.begin(), g.end());
      for (double& one : logits_) one = -one;
      head_->add_gradient(context_of(s, begin), logits_, scratch_, joined_.part(gradient, 0),
                          trains_trunk() ? std::span{dhidden_}.subspan(begin * d, n * d) : std::span<float>{});
      begin += n;
    }
  }

  void trunk_backward(std::span<const order_example> rows, std::span<float> gradient) {
    const std::size_t d = trunk_->hidden_size();
    std::size_t begin = 0;
    for (std::size_t first = 0; first < states_.size(); first += options_.rows_per_call) {
      const std::size_t last = std::min(states_.size(), first + options_.rows_per_call);
      lay_out(rows, first, last);
      std::vector<token> targets;
      std::vector<float> weights(tokens_.size(), 0.0F), more(tokens_.size() * d, 0.0F);
      std::vector<std::size_t> offsets{0};
      for (std::size_t n = first; n < last; ++n) {
        const state& s = states_[n];
        targets.insert(targets.end(), rows[s.row].tokens.begin(), rows[s.row].tokens.end());
        const std::span<const double> rho = at(gradients_[s.row].log_p, s);
        for (std::size_t k = 0; k < rho.size(); ++k, ++begin) {
          const std::size_t place = (n - first) * length_ + masked_in(s)[k];
          weights[place] = static_cast<float>(rho[k]);
          std::copy_n(dhidden_.begin() + static_cast<std::ptrdiff_t>(begin * d), d,
                      more.begin() + static_cast<std::ptrdiff_t>(place * d));
        }
        offsets.push_back(targets.size());
      }
      trunk_->loss_and_gradient({tokens_, targets, weights, offsets, nn::position_loss::cross_entropy, more}, gradient);
    }
  }

  void tell(const likelihood::order_gradient& g, std::span<const likelihood::scored_path> paths, const order_example& row,
            double rows) {
    const auto count = static_cast<double>(paths.size());
    const double each = 1 / (rows * count);
    for (std::size_t k = 0; k < paths.size(); ++k) {
      const likelihood::reveal_path& path = paths[k].path;
      report_.elbo += each * g.bounds[k].nats();
      report_.reconstruction += each * g.bounds[k].reconstruction;
      report_.divergence += each * g.bounds[k].divergence;
      report_.steps += each * static_cast<double>(path.steps());
      const auto share = [&](std::size_t t) {
        const auto now = path.revealed(t);
        return static_cast<double>(std::count(now.begin(), now.end(), std::uint8_t{1})) /
               static_cast<double>(row.masked.size());
      };
      report_.first += each * share(0);
      if (path.steps() == path.budget()) report_.last += each * share(path.budget() - 1);
    }
    report_.advantage_variance += g.advantage_variance / rows;
  }

  nn::transformer* trunk_;
  nn::order_head* head_;
  nn::transformer* scores_;
  order_options<Posterior> options_;
  joined_parameters joined_;
  order_report report_;

  std::size_t length_ = 0;
  std::vector<token> clean_, mask_targets_;
  std::vector<std::size_t> offsets_;
  std::vector<double> score_;  // [B, L]
  std::vector<float> score_gradient_;
  std::vector<std::vector<likelihood::scored_path>> paths_;  // [B][K]
  std::vector<state> states_;
  std::vector<likelihood::order_gradient> gradients_;
  std::vector<token> tokens_;
  std::vector<std::size_t> wanted_;
  std::vector<float> hidden_, features_, dhidden_;  // of all masked positions of all states
  std::vector<double> logits_, shared_;
  nn::order_head::scratch scratch_;
};

}  // namespace lacuna::train
