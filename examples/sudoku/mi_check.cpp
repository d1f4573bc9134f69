#include "mi_check.hpp"

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "../common/number_check.hpp"
#include "../common/text_table.hpp"
#include "lacuna/core/number_text.hpp"
#include "lacuna/mi/enumerated.hpp"
#include "lacuna/mi/estimate.hpp"
#include "lacuna/mi/pruned.hpp"
#include "mi_measures.hpp"

namespace sudoku {

using namespace common;
namespace {

/// What one estimator said of all contexts, and how long it took.
struct estimated {
  lacuna::mi::estimates found;
  double seconds = 0;
};

template <class E>
estimated timed(model& m, std::span<const lacuna::mi::question> questions, const E& estimator, std::size_t batch) {
  const auto begin = std::chrono::steady_clock::now();
  estimated e{lacuna::mi::estimate(m, questions, estimator, {batch})};
  e.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return e;
}

// ---- for people, and for programs: a JSON object a line

class text_report {
 public:
  explicit text_report(std::ostream& out) : out_{&out} {}

  void begin(const mi_check_arguments& a, const model& m, const std::optional<pair_estimator>& estimator) {
    *out_ << a.contexts << " contexts of " << a.blanks.least << " to " << a.blanks.most << " blanks (seed " << a.seed
          << "), a network of " << m.parameter_count() << " parameters";
    if (estimator) *out_ << ", an estimator of " << estimator->parameter_count();
    *out_ << "\n\nexact, every digit put into every blank, and without rare digits; raw numbers, nats\n"
          << padded("estimator", 16)
          << format("%10s%12s%10s%24s%24s\n", "rows", "times fewer", "seconds", "error, mean / largest",
                    "bound, mean / largest");
  }
  void exact(const estimated& e) { row("exact", e.found.network.rows, 1, e.seconds) << std::endl; }
  void cost(const pruning_cost& c, double seconds) {
    row("epsilon " + lacuna::number_text(c.epsilon), c.rows, c.ratio(), seconds)
        << format("%13.2g / %8.2g%13.2g / %8.2g", c.mean_error, c.largest_error, c.mean_bound, c.largest_bound);
    if (c.beyond_bound > 0) *out_ << "  " << c.beyond_bound << " beyond their bound";
    *out_ << std::endl;
  }
  void structure(const char* estimator, const structure_found& s) {
    if (structures_++ == 0)
      *out_ << "\narea under the ROC curve of pairs that share a row, column or box (" << s.related << ") against the others ("
            << s.pairs - s.related << ")\n"
            << padded("estimator", 16) << format("%10s%22s\n", "pooled", "mean of contexts");
    *out_ << padded(estimator, 16) << format("%10.4f", s.pooled)
          << with_error(format("%.4f", s.mean), format("%.4f", s.standard_error), 22) << std::endl;
  }
  void agreement(const std::vector<agreement_in_band>& bands, double seconds) {
    *out_ << format("\nneural estimates against the exact ones (%.1f seconds)\n", seconds) << padded("blanks", 16)
          << format("%10s%10s%10s%22s%20s\n", "contexts", "pairs", "R²", "mean error (nats)", "rank correlation");
    for (const agreement_in_band& b : bands)
      *out_ << padded(std::to_string(b.least_blanks) + " to " + std::to_string(b.most_blanks), 16)
            << format("%10zu%10zu%9.4f%22.5f%20.4f\n", b.contexts, b.agreement.count, b.agreement.r_squared,
                      b.agreement.mean_absolute_error, b.agreement.rank_correlation);
  }

 private:
  std::ostream& row(const std::string& name, std::size_t rows, double ratio, double seconds) {
    return *out_ << padded(name, 16) << format("%10zu%12.2f%10.1f", rows, ratio, seconds);
  }

  std::ostream* out_;
  int structures_ = 0;
};

class json_report {
 public:
  explicit json_report(std::ostream& out) : out_{&out} {}

  void begin(const mi_check_arguments& a, const model& m, const std::optional<pair_estimator>& estimator) {
    nlohmann::ordered_json line{{"measure", "contexts"},
                                {"contexts", a.contexts},
                                {"least_blanks", a.blanks.least},
                                {"most_blanks", a.blanks.most},
                                {"full_grids", a.mix.full_grids},
                                {"easy_first", a.mix.easy_first},
                                {"seed", a.seed},
                                {"parameters", m.parameter_count()}};
    if (estimator) line["estimator_parameters"] = estimator->parameter_count();
    write(line);
  }
  void exact(const estimated& e) {
    write({{"measure", "exact"}, {"rows", e.found.network.rows}, {"calls", e.found.network.calls}, {"seconds", e.seconds}});
  }
  void cost(const pruning_cost& c, double seconds) {
    write({{"measure", "pruned"},
           {"epsilon", c.epsilon},
           {"rows", c.rows},
           {"exact_rows", c.exact_rows},
           {"mean_error", c.mean_error},
           {"largest_error", c.largest_error},
           {"mean_bound", c.mean_bound},
           {"largest_bound", c.largest_bound},
           {"beyond_bound", c.beyond_bound},
           {"seconds", seconds}});
  }
  void structure(const char* estimator, const structure_found& s) {
    write({{"measure", "structure"},
           {"estimator", estimator},
           {"pairs", s.pairs},
           {"related", s.related},
           {"contexts", s.contexts},
           {"pooled", s.pooled},
           {"mean", s.mean},
           {"standard_error", s.standard_error}});
  }
  void agreement(const std::vector<agreement_in_band>& bands, double seconds) {
    for (const agreement_in_band& b : bands)
      write({{"measure", "agreement"},
             {"least_blanks", b.least_blanks},
             {"most_blanks", b.most_blanks},
             {"contexts", b.contexts},
             {"pairs", b.agreement.count},
             {"r_squared", b.agreement.r_squared},
             {"mean_absolute_error", b.agreement.mean_absolute_error},
             {"rank_correlation", b.agreement.rank_correlation},
             {"seconds", seconds}});
  }

 private:
  void write(const nlohmann::ordered_json& line) { *out_ << line.dump() << std::endl; }

  std::ostream* out_;
};

template <class Report>
void measure(const mi_check_arguments& arguments, std::span<const lacuna::mi::question> questions, model& m,
             const std::optional<pair_estimator>& estimator, Report report) {
  report.begin(arguments, m, estimator);
  const estimated exact = timed(m, questions, lacuna::mi::enumerated{}, arguments.batch);
  report.exact(exact);
  for (const double epsilon : arguments.epsilons) {
    const estimated pruned = timed(m, questions, lacuna::mi::pruned{epsilon}, arguments.batch);
    report.cost(cost_of_pruning(exact.found.of, pruned.found.of, epsilon), pruned.seconds);
  }
  report.structure("exact", structure_of(exact.found.of));
  if (!estimator) return;
  const estimated neural = timed(m, questions, *estimator, arguments.batch);
  report.structure("neural", structure_of(neural.found.of));
  report.agreement(agreement_by_blanks(neural.found.of, exact.found.of, arguments.blanks), neural.seconds);
}

}  // namespace

void mi_check(const mi_check_arguments& arguments, const streams& io,
              const std::function<model(const std::string&, std::size_t)>& load,
              const estimator_slot::loading& load_estimator) {
  for (const double epsilon : arguments.epsilons) lacuna::mi::pruned{epsilon}.validate();
  const std::vector<lacuna::canvas> contexts = mi_contexts(arguments.contexts, arguments.seed, arguments.blanks, arguments.mix);
  model m = load(arguments.weights, arguments.threads);
  const std::optional<pair_estimator> estimator = find_estimator(arguments.estimator, arguments.weights, m, load_estimator);
  const std::vector<lacuna::mi::question> questions = questions_of(contexts);
  if (arguments.json)
    measure(arguments, questions, m, estimator, json_report{io.out});
  else
    measure(arguments, questions, m, estimator, text_report{io.out});
}

void add_mi_check_command(CLI::App& app, const streams& io) {
  const auto arguments = std::make_shared<mi_check_arguments>();
  mi_check_arguments& o = *arguments;
  CLI::App* command = app.add_subcommand("mi-check", "Measures how good estimates of the information between cells are");
  command->footer(
      "Over partly filled grids that are generated: what leaving out rare digits saves and how far off it is, whether the\n"
      "information finds the cells that share a row, column or box, and how well a trained estimator agrees with exact "
      "values.\n"
      "Example:\n"
      "  sudoku mi-check --contexts 50 --epsilon 1e-2 --epsilon 1e-3 --threads 2");
  add_number(*command, "--contexts", o.contexts, "Partly filled grids")->transform(whole(1));
  add_number(*command, "--least-blanks", o.blanks.least, "Blanks of a grid, at least")->transform(whole(0, 81));
  add_number(*command, "--most-blanks", o.blanks.most, "Blanks of a grid, at most")->transform(whole(0, 81));
  const auto share = [&](const char* name, double& value, const char* what) {
    command->add_option(name, value, what)->check(between(0, 1))->type_name("P")->capture_default_str();
  };
  share("--full-grids", o.mix.full_grids, "Share of grids in which any cell may be blank, not only a puzzle's blanks");
  share("--easy-first", o.mix.easy_first, "Share of the others whose easier blanks are filled in");
  add_number(*command, "--seed", o.seed, "Seed of the grids")->transform(whole(0));
  command
      ->add_option("--epsilon", o.epsilons,
                   "Mass of rare digits that may be left out at a cell; again for another one. Without: 0.001")
      ->allow_extra_args(false)
      ->check(between(0, 0.999))
      ->type_name("X");
  command->add_option("--weights", o.weights, "Network, as written by sudoku train")->type_name("FILE")->capture_default_str();
  command
      ->add_option("--estimator", o.estimator,
                   "Trained estimator; without, NAME-mi.safetensors beside the weights, if it is there")
      ->type_name("FILE");
  add_number(*command, "--batch", o.batch, "Most rows in one call of the network; changes no result")->transform(whole(1));
  add_number(*command, "--threads", o.threads, "Threads of the network; changes no result")->transform(whole(1, 1024));
  command->add_flag("--json", o.json, "Print JSON objects, one a line, and nothing else");
  command->callback([arguments, io] { mi_check(*arguments, io); });
}

}  // namespace sudoku
