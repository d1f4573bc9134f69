/// @file
/// @brief The training loop.
///
/// `run(model, source, options, observer)` makes a batch, takes a step, tells the observer, and saves a checkpoint now and
/// then; it ends after `steps` updates or `seconds`, whichever comes first, or when the observer returns false. The schedule's
/// progress is max(step / steps, elapsed / seconds), so a run with a time budget ends at the floor of its learning rate.
///
/// `source(step, batch, random)` fills an empty batch (train/batch_builder.hpp) from (step, random) alone; `random` is keyed by
/// (seed, step). A source that owns its batches is adapted in a line: `batch.add(set(step), 1)`; one of other batches than
/// those of tokens names their type, `using batch = …;`. If a checkpoint is at
/// `options.checkpoint`, the run resumes from it and, when it goes by steps, ends with the same weights bit for bit as a run
/// that was never interrupted. By time it depends on the clock, as it must.
///
/// `observer(report, state)` is called after every step and returns nothing, or false to stop (train/observers.hpp has some).
/// Errors: `model_error` when loss or gradient stop being finite, naming the last checkpoint, which is intact;
/// `file_error` for a checkpoint that does not fit or, before the first step, a place that cannot be written to; whatever the
/// source throws.
/// @code
/// train::options<> options;
/// options.seconds = 600;
/// options.checkpoint = "run.safetensors";
/// const auto state = train::run(net, puzzles, options, train::progress_line{std::cerr});
/// train::save_weights("best.safetensors", net.parameters(), state.average.values, config);
/// @endcode
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/io/atomic_file.hpp"
#include "lacuna/train/batch_builder.hpp"
#include "lacuna/train/checkpoint.hpp"
#include "lacuna/train/schedule.hpp"
#include "lacuna/train/trainable_model.hpp"
#include "lacuna/train/training_batch.hpp"
#include "lacuna/train/training_state.hpp"
#include "lacuna/train/update_rule.hpp"

namespace lacuna::train {

/// What a run is to do.
template <learning_rate_schedule Schedule = warmup_cosine>
struct options {
  std::size_t steps = std::numeric_limits<std::size_t>::max();  ///< updates in all, the resumed ones included
  double seconds = std::numeric_limits<double>::infinity();     ///< wall-clock time in all, the resumed included
  std::uint64_t seed = 0;
  Schedule schedule{};
  update_rule update{};
  std::filesystem::path checkpoint{};  ///< empty: none
  double checkpoint_seconds = 60;      ///< least time between two; there is always one at the end
  std::size_t checkpoint_steps = std::numeric_limits<std::size_t>::max();
  std::map<std::string, std::string> metadata{};  ///< kept in the checkpoint, and compared when it is resumed
};

/// What the observer is told after each step.
struct step_report {
  std::size_t step = 0;      ///< updates done
  double loss = 0;           ///< of this batch, nats per unit
  double mean_loss = 0;      ///< over about the last hundred batches
  double gradient_norm = 0;  ///< before clipping
  double rate = 0;           ///< learning rate
  double rows_per_second = 0;
  double elapsed = 0;  ///< seconds, all sittings
  double seconds_left = 0;
  double progress = 0;  ///< [0, 1], after this step
};

/// The batches of a source: `S::batch`, or those of tokens if it does not say.
template <class S>
struct batch_type_of {
  using type = batch_builder;
};
template <class S>
requires requires { typename S::batch; }
struct batch_type_of<S> {
  using type = typename S::batch;
};
template <class S>
using batch_of = typename batch_type_of<std::remove_cvref_t<S>>::type;

/// Fills a batch for a step.
template <class S>
concept batch_source = training_batch<batch_of<S>> &&
    requires(S& source, std::size_t step, batch_of<S>& batch, random_stream& random) {
  source(step, batch, random);
};

/// Is told of each step, and returns void, or false to stop.
template <class O>
concept training_observer = requires(O& observer, const step_report& report, const training_state& state) {
  requires std::is_void_v<decltype(observer(report, state))> || std::same_as<decltype(observer(report, state)), bool>;
};

/// Does nothing.
struct unobserved {
  void operator()(const step_report&, const training_state&) const {}
};

/// True if the observer wants to go on.
template <training_observer O>
bool notify(O& observer, const step_report& report, const training_state& state) {
  if constexpr (std::is_void_v<decltype(observer(report, state))>) {
    observer(report, state);
    return true;
  } else {
    return observer(report, state);
  }
}

/// Trains until `options.steps` or `options.seconds`; see above. `Clock` is for tests.
template <class Clock = std::chrono::steady_clock, class Model, batch_source Source, learning_rate_schedule Schedule,
          training_observer Observer = unobserved>
requires trainable_model<Model, examples_of<batch_of<Source>>> training_state run(Model& model, Source&& source,
                                                                                  const options<Schedule>& options,
                                                                                  Observer&& observer = {}) {
  if (options.steps == std::numeric_limits<std::size_t>::max() &&
      !(options.seconds < std::numeric_limits<double>::infinity())) {
    throw invalid_argument{"training: neither steps nor seconds are limited, expected at least one"};
  }
  const bool saves = !options.checkpoint.empty();
  if (saves) io::atomic_file{options.checkpoint};  // a place that cannot be written to is better known before than after
  training_state state;
  if (saves && std::filesystem::exists(options.checkpoint)) {
    state = load_checkpoint(options.checkpoint, model.parameters(), options.metadata);
    if (state.seed != options.seed) {
      throw file_error{options.checkpoint.string() + ": a run with seed " + std::to_string(state.seed) + ", expected " +
                       std::to_string(options.seed)};
    }
  } else {
    state = options.update.init(model.parameters(), options.seed);
  }

  const double elapsed_before = state.elapsed;
  const auto begin = Clock::now();
  const auto tick = [&] { state.elapsed = elapsed_before + std::chrono::duration<double>(Clock::now() - begin).count(); };
  const auto progress = [&] {
    const double by_steps = static_cast<double>(state.step) / static_cast<double>(options.steps);
    return std::min(1.0, std::max(by_steps, state.elapsed / options.seconds));
  };
  double saved_at = state.elapsed;
  std::size_t saved_step = state.step;
  const auto save = [&] {
    save_checkpoint(options.checkpoint, model.parameters(), state, options.metadata);
    saved_at = state.elapsed;
    saved_step = state.step;
  };

  batch_of<Source> batch;
  running_mean step_seconds, step_rows;
  while (state.step < options.steps && state.elapsed < options.seconds) {
    const double started = state.elapsed;
    step_report report;
    report.rate = options.schedule(state.step, progress());
    batch.clear();
    random_stream random{state.seed, stream_use::training, 0, state.step};
    source(state.step, batch, random);
    try {
      const update_info info = options.update.step(model, batch, state, report.rate);
      report.loss = info.loss;
      report.gradient_norm = info.gradient_norm;
    } catch (const model_error& e) {
      if (!saves || !std::filesystem::exists(options.checkpoint)) throw;
      throw model_error{std::string{e.what()} + "; the checkpoint " + options.checkpoint.string() + " holds step " +
                        std::to_string(saved_step)};
    }
    tick();
    step_seconds.add(state.elapsed - started);
    step_rows.add(static_cast<double>(batch.rows()));
    report.step = state.step;
    report.mean_loss = state.loss.value();
    report.elapsed = state.elapsed;
    report.progress = progress();
    report.rows_per_second = step_rows.value() / step_seconds.value();
    report.seconds_left =
        std::min(options.seconds - state.elapsed, static_cast<double>(options.steps - state.step) * step_seconds.value());
    const bool go_on = notify(observer, report, std::as_const(state));
    tick();  // an observer that evaluates takes its share of the time
    if (!go_on) break;
    if (saves &&
        (state.elapsed - saved_at >= options.checkpoint_seconds || state.step - saved_step >= options.checkpoint_steps)) {
      save();
    }
  }
  if (saves && (saved_step != state.step || !std::filesystem::exists(options.checkpoint))) save();
  return state;
}

}  // namespace lacuna::train
