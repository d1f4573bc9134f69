/// @file
/// @brief Batches of pairs that are labelled on the fly: no context is seen twice, nothing is kept.
///
/// ```cpp
/// lacuna::train::fresh_pairs source{model, lacuna::mi::pruned{1e-4}, contexts, 4};   // a step is a chunk of contexts
/// lacuna::train::run(trainable, source, options);
/// ```
/// Choose it where labels are cheap beside training; where they are not, label once (train/labelling.hpp) and see each context
/// many times. A batch depends on the step's number and random stream alone. Cost of a step: that of the chunk's labels.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "lacuna/concepts/mi_estimator.hpp"
#include "lacuna/core/canvas.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/train/labelling.hpp"
#include "lacuna/train/pair_examples.hpp"

namespace lacuna::train {

/// Refers to the model.
template <hidden_state_model M, mi_estimator_for<M> E, context_source Source>
class fresh_pairs {
 public:
  using batch = pair_batch;

  /// `rows` positions of each context are probed; 0: all.
  fresh_pairs(M& model, E estimator, Source source, std::size_t rows)
      : model_{&model}, estimator_{std::move(estimator)}, source_{std::move(source)}, rows_{rows} {}

  void operator()(std::size_t step, pair_batch& out, random_stream& random) {
    examples_.clear();
    const std::vector<canvas> contexts = source_(step, random);
    examples_.add(*model_, label_contexts(*model_, estimator_, contexts, rows_, random));
    for (std::size_t e = 0; e < examples_.size(); ++e) out.add(examples_[e]);
  }

 private:
  M* model_;
  E estimator_;
  Source source_;
  std::size_t rows_;
  pair_examples examples_;
};

}  // namespace lacuna::train
