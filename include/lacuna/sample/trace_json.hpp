/// @file
/// @brief trace_json: writes traces as one JSON object.
///
/// ```cpp
/// std::ofstream file("trace.json");
/// lacuna::sample::trace_json{}.write(file, recorder.rows());
/// ```
/// The object, whose fields keep their names and meaning:
/// ```text
/// {"format": "lacuna-trace", "version": 1, "rows": [row, …]}    rows in the order of the call of decode
/// row:  {"length": L,
///        "tokens": [tokens at the start],                       [L], null where masked
///        "cells": "ffmm…",                                      [L] at the start: f fixed, m masked, c committed, x closed
///        "steps": [step, …]}
/// step: {"committed": [positions],                              in the order of choice
///        "tokens": [their tokens],
///        "confidence": [their probabilities],
///        "redrawn": [positions],                                those of "committed" whose draft was refused; only if any
///        "remasked": [positions],
///        "closed": [positions],                                 by an end of sequence
///        "end": token,                                          what they hold, null if there are none
///        "cost": {"decode": {"calls": 1, "rows": 1}, …}}        of the row so far, by purpose; zeros are left out
/// ```
/// Numbers are written with the fewest digits that read back as the same number, independent of the locale; what JSON cannot
/// hold (NaN, infinities) is null. Line ends follow rows and steps only.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <ostream>
#include <span>

#include "lacuna/core/canvas.hpp"
#include "lacuna/core/cost.hpp"
#include "lacuna/core/number_text.hpp"
#include "lacuna/sample/trace.hpp"

namespace lacuna::sample {

struct trace_json {
  void write(std::ostream& out, std::span<const trace> rows) const {
    out << R"({"format":"lacuna-trace","version":1,"rows":[)";
    for (std::size_t r = 0; r < rows.size(); ++r) {
      out << (r == 0 ? "\n" : ",\n");
      write_row(out, rows[r]);
    }
    out << "\n]}\n";
  }

 private:
  static void write_row(std::ostream& out, const trace& row) {
    const canvas& c = row.start;
    out << R"({"length":)";
    number(out, c.size());
    out << R"(,"tokens":[)";
    for (std::size_t i = 0; i < c.size(); ++i) {
      if (i > 0) out << ',';
      if (c.is_masked(i))
        out << "null";
      else
        number(out, c[i]);
    }
    out << R"(],"cells":")";
    for (const cell state : c.cells()) out << "fmcx"[static_cast<std::size_t>(state)];
    out << R"(","steps":[)";
    for (std::size_t s = 0; s < row.steps.size(); ++s) {
      out << (s == 0 ? "\n" : ",\n");
      write_step(out, row.steps[s]);
    }
    out << "]}";
  }

  static void write_step(std::ostream& out, const trace_step& step) {
    out << R"({"committed":)";
    array(out, step.committed);
    out << R"(,"tokens":)";
    array(out, step.tokens);
    out << R"(,"confidence":)";
    array(out, step.confidence);
    if (!step.redrawn.empty()) {
      out << R"(,"redrawn":)";
      array(out, step.redrawn);
    }
    out << R"(,"remasked":)";
    array(out, step.remasked);
    out << R"(,"closed":)";
    array(out, step.closed);
    out << R"(,"end":)";
    if (step.closed.empty())
      out << "null";
    else
      number(out, step.end);
    out << R"(,"cost":{)";
    bool first = true;
    for (const purpose p : all_purposes) {
      const nfe::count& count = step.cost.of(p);
      if (count == nfe::count{}) continue;
      out << (first ? "\"" : ",\"") << to_string(p) << R"(":{"calls":)";
      number(out, count.calls);
      out << R"(,"rows":)";
      number(out, count.rows);
      out << '}';
      first = false;
    }
    out << "}}";
  }

  template <class Range>
  static void array(std::ostream& out, const Range& values) {
    out << '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0) out << ',';
      number(out, values[i]);
    }
    out << ']';
  }

  template <class Number>
  static void number(std::ostream& out, Number value) {
    if constexpr (std::floating_point<Number>)
      if (!std::isfinite(value)) {
        out << "null";
        return;
      }
    out << number_text(value);
  }
};

}  // namespace lacuna::sample
