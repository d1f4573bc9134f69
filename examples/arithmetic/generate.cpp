#include "generate.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "../common/number_check.hpp"
#include "problem.hpp"

namespace arithmetic {

using namespace common;

void generate(const generate_arguments& arguments, const streams& io) {
  for (std::size_t n = 0; n < arguments.count; ++n) {
    const problem p = make_problem(arguments.seed, arguments.test ? split::test : split::train, n);
    nlohmann::ordered_json line;
    line["question"] = p.question;
    line["answer"] = p.solution;
    io.out << line.dump() << '\n';
  }
}

void add_generate_command(CLI::App& app, const streams& io) {
  const auto arguments = std::make_shared<generate_arguments>();
  generate_arguments& o = *arguments;
  CLI::App* command = app.add_subcommand("generate", "Writes problems with their solutions, a JSON object a line");
  add_number(*command, "--count", o.count, "Problems")->transform(whole(1));
  add_number(*command, "--seed", o.seed, "Seed")->transform(whole(0));
  command->add_flag("--test", o.test, "Test problems, whose calculation no training problem has");
  command->callback([arguments, io] { generate(*arguments, io); });
}

}  // namespace arithmetic
