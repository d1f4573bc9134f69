#include "complete.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "../common/number_check.hpp"
#include "../common/text_table.hpp"
#include "gaps.hpp"
#include "lacuna/core/errors.hpp"
#include "network_options.hpp"
#include "writers.hpp"

namespace text {

using namespace common;

namespace {

std::string text_of(const lacuna::canvas& canvas) {
  std::string s;
  for (std::size_t i = 0; i < canvas.size(); ++i) s += canvas.is_masked(i) ? '_' : symbol_of(canvas[i]);
  return s;
}

/// Below a text of so many symbols: what became of the drafts of this step.
std::string marks_of(const lacuna::step_event& e, std::size_t length, bool verifies) {
  std::string marks(length, ' ');
  for (const std::size_t i : e.committed) marks[i] = verifies ? '+' : '.';
  for (const std::size_t i : e.redrawn) marks[i] = '^';
  return marks.substr(0, marks.find_last_not_of(' ') + 1);
}

}  // namespace

void complete(const complete_arguments& arguments, const streams& io) {
  const writer sampler = make_writer(arguments.sampler);
  const lacuna::canvas start = canvas_of(arguments.gapped, arguments.gapped.size(), "complete");
  if (start.count(lacuna::cell::masked) == 0)
    throw lacuna::invalid_argument("complete: no underscore in the text, expected one for each gap");
  const networks all = load_networks(arguments.files, {sampler.network}, arguments.threads);
  if (start.size() > all.max_length())
    throw lacuna::invalid_argument("complete: " + std::to_string(start.size()) + " symbols, expected at most " +
                                   std::to_string(all.max_length()) + ", what the network takes");
  if (!arguments.json) io.out << "passes  text\n        " << arguments.gapped << '\n';
  const lacuna::job one{start, 0, lacuna::unlimited};
  const auto show = [&](const lacuna::step_event& e) {
    const double passes = sampler.passes(all, *e.cost);
    const std::string text = text_of(*e.sequence);
    if (!arguments.json) {
      io.out << format("%6.2f  ", passes) << text << "\n        "
             << marks_of(e, text.size(), e.cost->of(lacuna::purpose::verify).rows > 0) << '\n';
      return;
    }
    nlohmann::ordered_json line;
    line["step"] = e.step + 1;
    line["passes"] = passes;
    line["text"] = text;
    line["verified"] = e.cost->of(lacuna::purpose::verify).rows > 0;
    line["committed"] = e.committed;
    line["redrawn"] = e.redrawn;
    io.out << line.dump() << '\n';
  };
  sampler.write(all, {&one, 1}, {arguments.seed, lacuna::unlimited}, show);
  io.err << sampler.text << "; + drafted and accepted, ^ redrawn, . drafted and not verified" << std::endl;
}

void add_complete_command(CLI::App& app, const streams& io) {
  const auto arguments = std::make_shared<complete_arguments>();
  complete_arguments& o = *arguments;
  CLI::App* command = app.add_subcommand("complete", "Fills the gaps of a text, and shows in which pass each symbol came");
  command->footer(
      "Example:\n  text complete 'once upon a time there ___ a ____ little ____'\n\nSamplers, with their defaults:\n" +
      list_writers());
  command->add_option("text", o.gapped, "a to z and spaces, an underscore for each symbol that is to be written")
      ->type_name("TEXT")
      ->required();
  command->add_option("--sampler", o.sampler, "Sampler")->type_name("SPEC")->capture_default_str();
  add_number(*command, "--seed", o.seed, "Seed of all random draws")->transform(whole(0));
  add_number(*command, "--threads", o.threads, "Threads of the network; changes no text")->transform(whole(1, 1024));
  add_network_options(*command, o.files);
  command->add_flag("--json", o.json, "Print a JSON object for each step, and nothing else");
  command->callback([arguments, io] { complete(*arguments, io); });
}

}  // namespace text
