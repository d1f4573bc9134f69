/// @file
/// @brief Observers of a training run: a progress line, something to do every so often, several at once.
///
/// | observer | does |
/// |---|---|
/// | `progress_line{std::cerr, 5}` | prints a line every 5 seconds: step, loss, speed, rate, gradient norm, time left |
/// | `every_steps(1000, f)` | calls f(report, state) after every 1000th step |
/// | `every_seconds(60, f)` | calls it when 60 more seconds have gone by |
/// | `observe_all(a, b, ...)` | calls all of them, in order; stops if any says so |
///
/// `averaged_weights` puts the moving average into the network for as long as it lives: what an evaluation wants.
/// @code
/// auto evaluate = train::every_seconds(120, [&](const train::step_report& report, const train::training_state& state) {
///   const train::averaged_weights scope{net.parameters(), state.average};
///   std::cerr << report.step << " solved " << solved(net) << '\n';
/// });
/// train::run(net, source, options, train::observe_all(train::progress_line{std::cerr}, evaluate));
/// @endcode
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <ostream>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "lacuna/nn/parameters.hpp"
#include "lacuna/train/moving_average.hpp"
#include "lacuna/train/trainer.hpp"
#include "lacuna/train/training_state.hpp"

namespace lacuna::train {

/// "1:02:03" or "2:03".
inline std::string clock_text(double seconds) {
  const auto total = static_cast<unsigned long long>(seconds < 0 ? 0 : seconds < 1e9 ? seconds + 0.5 : 1e9);
  char text[32];
  if (total >= 3600) {
    std::snprintf(text, sizeof text, "%llu:%02llu:%02llu", total / 3600, total / 60 % 60, total % 60);
  } else {
    std::snprintf(text, sizeof text, "%llu:%02llu", total / 60, total % 60);
  }
  return text;
}

/// One line of a report.
inline std::string report_text(const step_report& r) {
  char text[256];
  std::snprintf(text, sizeof text, "step %8zu  loss %8.4f  %7.0f rows/s  rate %.2e  norm %8.3g  %s gone, %s left", r.step,
                r.mean_loss, r.rows_per_second, r.rate, r.gradient_norm, clock_text(r.elapsed).c_str(),
                clock_text(r.seconds_left).c_str());
  return text;
}

/// Calls `f` when `step` is a multiple of `period`.
template <training_observer F>
auto every_steps(std::size_t period, F f) {
  return [period, f = std::move(f)](const step_report& report, const training_state& state) mutable {
    return report.step % period != 0 || notify(f, report, state);
  };
}

/// Calls `f` when `period` seconds have gone by since the last time (since the first step, at first).
template <training_observer F>
auto every_seconds(double period, F f) {
  return [period, f = std::move(f), last = -1.0](const step_report& report, const training_state& state) mutable {
    if (last < 0) last = report.elapsed;
    if (report.elapsed - last < period) return true;
    last = report.elapsed;
    return notify(f, report, state);
  };
}

/// All of them in order, each called whatever the others say.
template <training_observer... Fs>
auto observe_all(Fs... observers) {
  return [all = std::tuple<Fs...>{std::move(observers)...}](const step_report& report, const training_state& state) mutable {
    bool go_on = true;
    std::apply([&](auto&... each) { ((go_on = notify(each, report, state) && go_on), ...); }, all);
    return go_on;
  };
}

/// Prints a report at the first step, every `period` seconds, and at the last step.
class progress_line {
 public:
  explicit progress_line(std::ostream& out, double period = 5) : out_{&out}, period_{period} {}

  void operator()(const step_report& report, const training_state&) {
    if (last_ >= 0 && report.elapsed - last_ < period_ && report.progress < 1) return;
    last_ = report.elapsed;
    *out_ << report_text(report) << std::endl;
  }

 private:
  std::ostream* out_;
  double period_;
  double last_ = -1;
};

/// While it lives, the network holds the averaged weights; then it holds its own again.
class averaged_weights {
 public:
  averaged_weights(nn::parameters& parameters, const moving_average_state& average)
      : parameters_{&parameters}, own_(parameters.values().begin(), parameters.values().end()) {
    std::copy(average.values.begin(), average.values.end(), parameters.values().begin());
  }
  averaged_weights(const averaged_weights&) = delete;
  averaged_weights& operator=(const averaged_weights&) = delete;
  ~averaged_weights() { std::copy(own_.begin(), own_.end(), parameters_->values().begin()); }

 private:
  nn::parameters* parameters_;
  std::vector<float> own_;
};

}  // namespace lacuna::train
