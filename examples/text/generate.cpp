#include "generate.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <ostream>
#include <vector>

#include "../common/number_check.hpp"
#include "../common/text_table.hpp"
#include "gaps.hpp"
#include "lacuna/core/errors.hpp"
#include "network_options.hpp"
#include "writers.hpp"

namespace text {

using namespace common;

void generate(const generate_arguments& arguments, const streams& io) {
  const writer sampler = make_writer(arguments.sampler);
  canvas_of(arguments.start, std::max(arguments.start.size(), arguments.length), "--start");  // refused now rather than later
  const networks all = load_networks(arguments.files, {sampler.network}, arguments.threads);
  const std::size_t most = all.max_length();
  if (arguments.length > most)
    throw lacuna::invalid_argument("--length: " + std::to_string(arguments.length) + ", expected at most " +
                                   std::to_string(most) + ", what the network takes");
  const std::size_t length = arguments.length == 0 ? most : arguments.length;
  std::vector<lacuna::job> jobs;
  for (std::size_t k = 0; k < arguments.count; ++k)
    jobs.push_back({canvas_of(arguments.start, length, "--start"), k, lacuna::unlimited});
  const written w = sampler.write(all, jobs, {arguments.seed, lacuna::unlimited}, {});
  for (const std::string& text : w.texts) io.out << text << '\n';
  io.err << sampler.text << ": " << format("%.2f", mean(w.passes)) << " passes a text" << std::endl;
}

void add_generate_command(CLI::App& app, const streams& io) {
  const auto arguments = std::make_shared<generate_arguments>();
  generate_arguments& o = *arguments;
  CLI::App* command = app.add_subcommand("generate", "Writes texts, from nothing or around what is given");
  command->footer(
      "Examples:\n"
      "  text generate --count 3\n"
      "  text generate --start 'once upon a time ___________________ lived happily ever after' --sampler ancestral:steps=64\n\n"
      "Samplers, with their defaults:\n" +
      list_writers());
  command->add_option("--sampler", o.sampler, "Sampler")->type_name("SPEC")->capture_default_str();
  command
      ->add_option("--start", o.start, "What is given: a to z and spaces, an underscore for each symbol that is to be written")
      ->type_name("TEXT");
  add_number(*command, "--count", o.count, "Texts")->transform(whole(1));
  add_number(*command, "--length", o.length, "Symbols of a text; 0: as many as the network takes")->transform(whole(0));
  add_number(*command, "--seed", o.seed, "Seed of all random draws")->transform(whole(0));
  add_number(*command, "--threads", o.threads, "Threads of the network; changes no text")->transform(whole(1, 1024));
  add_network_options(*command, o.files);
  command->callback([arguments, io] { generate(*arguments, io); });
}

}  // namespace text
