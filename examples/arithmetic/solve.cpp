#include "solve.hpp"

#include <CLI/CLI.hpp>
#include <fstream>
#include <memory>
#include <ostream>
#include <vector>

#include "../common/number_check.hpp"
#include "../common/text_table.hpp"
#include "chain.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/io/atomic_file.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/sample/trace_picture.hpp"
#include "lacuna/sample/trace_recorder.hpp"
#include "network.hpp"
#include "problem.hpp"
#include "rows.hpp"
#include "solvers.hpp"

namespace arithmetic {

using namespace common;

void solve(const solve_arguments& arguments, const streams& io) {
  const solver by = make_solver(arguments.sampler, 1);
  const problem made = make_problem(arguments.seed, split::test, arguments.number);
  const std::string question = arguments.question.empty() ? made.question : arguments.question;
  const tokeniser words;
  const auto row = row_of(words, question, "");
  if (!row)
    throw lacuna::invalid_argument("solve: a question of " + std::to_string(words.encode(question).size()) +
                                   " tokens, expected at most " + std::to_string(question_length));
  if (!arguments.picture.empty()) lacuna::io::atomic_file{arguments.picture};  // a bad place is better known now
  const auto base = load_network(arguments.base, 1);
  lacuna::sample::trace_recorder recorder;
  const lacuna::job one{canvas_of(*row), arguments.number, lacuna::unlimited};
  const auto found =
      lacuna::decode(by.trunk ? *by.trunk : *base, {&one, 1}, by.sampler, {arguments.seed, lacuna::unlimited}, recorder);
  if (found.rows[0].reason == lacuna::stop_reason::error) throw lacuna::model_error(found.rows[0].error);
  io.out << words.decode(std::span{*row}.first(question_length)).substr(0) << "\n\n";
  const lacuna::sample::trace& trace = recorder.row(0);
  for (std::size_t s = 0; s < trace.steps.size(); ++s) {
    const lacuna::canvas now = trace.after(s + 1);
    std::vector<lacuna::token> tokens(now.tokens().begin(), now.tokens().end());
    for (std::size_t i = 0; i < tokens.size(); ++i)
      if (now.is_masked(i)) tokens[i] = words.mask();
    io.out << "step " << s + 1 << " (" << trace.steps[s].committed.size() << " tokens): " << solution_of(words, tokens) << '\n';
  }
  const std::string solution = solution_of(words, found.rows[0].tokens);
  const auto answer = answer_of(solution);
  io.out << "\nanswer: " << (answer ? std::to_string(*answer) : "none");
  if (arguments.question.empty()) {
    const judgement j = judge(question, solution, *answer_of(made.solution));
    io.out << (j.answer ? ", right" : ", wrong") << (j.chain ? ", and so is every step" : "");
  }
  io.out << '\n';
  if (arguments.picture.empty()) return;
  std::ofstream file(arguments.picture);
  if (file)
    lacuna::sample::trace_picture{}.write(file, trace,
                                          [&](lacuna::token t) { return t == pad ? std::string{} : words.word(t); });
  file.close();
  if (!file) throw lacuna::file_error(arguments.picture + ": cannot be written");
}

void add_solve_command(CLI::App& app, const streams& io) {
  const auto arguments = std::make_shared<solve_arguments>();
  solve_arguments& o = *arguments;
  CLI::App* command = app.add_subcommand("solve", "Solves a problem, and shows which tokens came at which step");
  command->footer(
      "Examples:\n"
      "  arithmetic solve --number 7\n"
      "  arithmetic solve 'Tom has 4 boxes with 6 pens each. He gives 5 pens to Mia. How many pens are there altogether?'\n\n"
      "Samplers, with their defaults:\n" +
      list_solvers());
  command->add_option("question", o.question, "The problem; without one a test problem is made")->type_name("TEXT");
  command->add_option("--sampler", o.sampler, "Sampler")->type_name("SPEC")->capture_default_str();
  command->add_option("--base", o.base, "Base model")->type_name("FILE")->capture_default_str();
  add_number(*command, "--number", o.number, "Which test problem")->transform(whole(0));
  add_number(*command, "--seed", o.seed, "Seed of the test problems and of all random draws")->transform(whole(0));
  command->add_option("--picture", o.picture, "Draw when which token came, as SVG")->type_name("FILE");
  command->callback([arguments, io] { solve(*arguments, io); });
}

}  // namespace arithmetic
