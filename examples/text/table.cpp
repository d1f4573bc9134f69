#include "table.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "../common/number_check.hpp"
#include "../common/text_table.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/io/atomic_file.hpp"
#include "lacuna/sample/trade_off_picture.hpp"
#include "measures.hpp"
#include "sample_store.hpp"
#include "table_plan.hpp"
#include "words.hpp"
#include "writers.hpp"

namespace text {

using namespace common;

namespace {

struct row {
  writer sampler;
  std::string family;
  std::vector<std::string> texts{};
  std::vector<double> passes{};
  double seconds = 0;
};

std::vector<row> rows_of(const table_arguments& arguments) {
  std::vector<row> rows;
  for (const std::string& sampler : arguments.samplers) rows.push_back({make_writer(sampler), parse_spec(sampler).name});
  if (rows.empty())
    for (const table_line& line : table_plan()) rows.push_back({make_writer(line.sampler), line.family});
  return rows;
}

/// Only networks that a row runs on are read.
network_files files_for(const table_arguments& arguments, const std::vector<row>& rows) {
  const auto wanted = [&](const char* network) {
    return std::any_of(rows.begin(), rows.end(), [&](const row& r) { return r.sampler.network == network; });
  };
  return {wanted("masked") ? arguments.masked : "", wanted("hybrid") ? arguments.hybrid : ""};
}

std::size_t length_of(const networks& all) {
  std::size_t length = lacuna::unlimited;
  if (all.masked) length = std::min(length, all.masked->max_length());
  if (all.hybrid) length = std::min(length, all.hybrid->max_length());
  return length;
}

/// The pieces of all rows in turn.
void write_all(const table_arguments& arguments, const networks& all, std::size_t length, std::vector<row>& rows,
               std::ostream& log) {
  sample_store store{arguments.results, all.fingerprints, arguments.seed, arguments.batch};
  const std::size_t pieces = (arguments.samples + arguments.batch - 1) / arguments.batch;
  for (std::size_t number = 0; number < pieces; ++number) {
    std::vector<lacuna::job> jobs;
    for (std::size_t k = 0; k < arguments.batch; ++k)
      jobs.push_back({lacuna::canvas::blank(length), number * arguments.batch + k, lacuna::unlimited});
    for (row& r : rows) {
      const piece* done = store.find(r.sampler.text, number);
      if (done == nullptr) {
        const auto begin = std::chrono::steady_clock::now();
        written w = r.sampler.write(all, jobs, {arguments.seed, lacuna::unlimited});
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        done = &store.add(r.sampler.text, number, {std::move(w.texts), std::move(w.passes), seconds});
      }
      r.texts.insert(r.texts.end(), done->texts.begin(), done->texts.end());
      r.passes.insert(r.passes.end(), done->passes.begin(), done->passes.end());
      r.seconds += done->seconds;
    }
    log << (number + 1) * arguments.batch << " of " << pieces * arguments.batch << " texts" << std::endl;
  }
}

}  // namespace

void table(const table_arguments& arguments, const streams& io) {
  std::vector<row> rows = rows_of(arguments);
  const network_files files = files_for(arguments, rows);
  const word_list words = word_list::read(arguments.words);
  std::optional<word_list> dictionary;
  if (!arguments.dictionary.empty()) dictionary = word_list::read(arguments.dictionary);
  if (!arguments.picture.empty()) lacuna::io::atomic_file{arguments.picture};  // a bad place is better known now
  const networks all = load_networks(files, arguments.threads);
  const std::size_t length = length_of(all);
  write_all(arguments, all, length, rows, io.err);

  std::size_t width = 7;
  for (const row& r : rows) width = std::max(width, r.sampler.text.size());
  if (!arguments.json)
    io.out << rows.front().texts.size() << " texts of " << length << " symbols each. Spelling: the share of whole words that "
           << arguments.words << " has.\n\n"
           << padded("sampler", width) << format("%17s%17s", "passes", "spelling")
           << (dictionary ? format("%17s", "in dictionary") : std::string{})
           << format("%17s%10s%10s\n", "entropy, nats", "words", "seconds");
  std::vector<lacuna::sample::trade_off> curves;
  for (const row& r : rows) {
    const estimate spelling = spelling_of(r.texts, words);
    const estimate entropy = unigram_entropy_of(r.texts);
    const std::size_t distinct = distinct_words_of(r.texts, words);
    const double passes = mean(r.passes);
    auto at = std::find_if(curves.begin(), curves.end(), [&](const auto& c) { return c.name == r.family; });
    if (at == curves.end()) at = curves.insert(curves.end(), {r.family, {}});
    if (std::isfinite(spelling.value))
      at->points.push_back(
          {passes, 100 * spelling.value, std::isfinite(spelling.error) ? 100 * spelling.error : 0, r.sampler.text});
    if (arguments.json) {
      nlohmann::ordered_json line;
      line["sampler"] = r.sampler.text;
      line["nfe"] = passes;
      line["nfe_error"] = standard_error(r.passes);
      line["spelling"] = spelling.value;
      line["spelling_error"] = spelling.error;
      if (dictionary) line["dictionary"] = spelling_of(r.texts, *dictionary).value;
      line["entropy"] = entropy.value;
      line["entropy_error"] = entropy.error;
      line["words"] = distinct;
      line["samples"] = r.texts.size();
      line["seconds"] = r.seconds;
      io.out << line.dump() << std::endl;
      continue;
    }
    const auto column = [](const estimate& e, const char* how) {
      return with_error(format(how, e.value), format(how, e.error), 17);
    };
    io.out << padded(r.sampler.text, width) << column({passes, standard_error(r.passes)}, "%.2f") << column(spelling, "%.4f")
           << (dictionary ? column(spelling_of(r.texts, *dictionary), "%.4f") : std::string{}) << column(entropy, "%.4f")
           << format("%10zu%10.1f\n", distinct, r.seconds) << std::flush;
  }
  if (arguments.picture.empty()) return;
  std::ofstream file(arguments.picture);
  if (file)
    lacuna::sample::trade_off_picture{std::to_string(rows.front().texts.size()) + " texts", "passes a text",
                                      "words spelled as in the training text, %"}
        .write(file, curves);
  file.close();
  if (!file) throw lacuna::file_error(arguments.picture + ": cannot be written");
}

void add_table_command(CLI::App& app, const streams& io) {
  const auto arguments = std::make_shared<table_arguments>();
  table_arguments& o = *arguments;
  CLI::App* command =
      app.add_subcommand("table", "Compares samplers: what they cost, how well they spell, how varied they are");
  command->footer(
      "Takes about an hour on one thread; with --results it can be interrupted and gone on with.\n"
      "Example: text table --results table.jsonl --picture spelling.svg\n\nSamplers, with their defaults:\n" +
      list_writers());
  const auto file = [&](const char* name, std::string& value, const char* what) {
    return command->add_option(name, value, what)->type_name("FILE");
  };
  file("--weights", o.hybrid, "Hybrid network")->capture_default_str();
  file("--masked", o.masked, "Masked network")->capture_default_str();
  file("--words", o.words, "Words of the training text, one a line")->capture_default_str();
  file("--dictionary", o.dictionary, "Another list of words, /usr/share/dict/words say");
  command->add_option("--sampler", o.samplers, "Sampler to compare; again for another one. Without: a selection")
      ->type_name("SPEC");
  add_number(*command, "--samples", o.samples, "Texts of each sampler, at least")->transform(whole(1));
  add_number(*command, "--batch", o.batch, "Texts that are written together before the next sampler has its turn")
      ->transform(whole(1));
  add_number(*command, "--seed", o.seed, "Seed of all random draws")->transform(whole(0));
  add_number(*command, "--threads", o.threads, "Threads of the networks; changes no text")->transform(whole(1, 1024));
  file("--results", o.results, "Keep texts there, JSON lines, and use those that are there");
  file("--picture", o.picture, "Draw spelling against passes, as SVG");
  command->add_flag("--json", o.json, "Print a JSON object for each sampler, and nothing else");
  command->callback([arguments, io] { table(*arguments, io); });
}

}  // namespace text
