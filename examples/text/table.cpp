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
#include <set>

#include "../common/number_check.hpp"
#include "../common/text_table.hpp"
#include "corpus.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/io/atomic_file.hpp"
#include "lacuna/sample/trade_off_picture.hpp"
#include "measures.hpp"
#include "network_options.hpp"
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

/// What a symbol of the validation text costs under a sampler, in bits; NaN where nothing stands for that.
estimate bits_of(const writer& w, const networks& all, const std::vector<std::vector<lacuna::token>>& held_out) {
  if (!w.likelihood) return {};
  std::vector<double> bits, symbols;
  for (std::size_t k = 0; k < held_out.size(); ++k) {
    const lacuna::likelihood::bound b = w.likelihood(all, held_out[k], k);
    symbols.push_back(static_cast<double>(b.tokens));
    bits.push_back(b.bits_per_token() * symbols.back());
  }
  return ratio_of(bits, symbols);
}

std::vector<std::vector<lacuna::token>> rows_to_score(const table_arguments& arguments, std::size_t length, std::istream& in) {
  std::vector<std::vector<lacuna::token>> rows;
  if (arguments.validation.empty()) return rows;
  const std::string symbols = read_text(arguments.validation, in, length);
  for (std::size_t k = 0; k < arguments.validation_rows; ++k)
    rows.push_back(spread_row(symbols, length, k, arguments.validation_rows));
  return rows;
}

/// The pieces of all rows in turn.
void write_all(const table_arguments& arguments, const networks& all, std::size_t length, std::vector<row>& rows,
               std::ostream& log) {
  sample_store store{arguments.results, arguments.seed, arguments.batch};
  const std::size_t pieces = (arguments.samples + arguments.batch - 1) / arguments.batch;
  for (std::size_t number = 0; number < pieces; ++number) {
    std::vector<lacuna::job> jobs;
    for (std::size_t k = 0; k < arguments.batch; ++k)
      jobs.push_back({lacuna::canvas::blank(length), number * arguments.batch + k, lacuna::unlimited});
    for (row& r : rows) {
      const piece* done = store.find(all.fingerprints.at(r.sampler.network), r.sampler.text, number);
      if (done == nullptr) {
        const auto begin = std::chrono::steady_clock::now();
        written w = r.sampler.write(all, jobs, {arguments.seed, lacuna::unlimited}, {});
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        done = &store.add(all.fingerprints.at(r.sampler.network), r.sampler.text, number,
                          {std::move(w.texts), std::move(w.passes), seconds});
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
  const word_list words = word_list::read(arguments.words);
  std::optional<word_list> dictionary;
  if (!arguments.dictionary.empty()) dictionary = word_list::read(arguments.dictionary);
  if (!arguments.picture.empty()) lacuna::io::atomic_file{arguments.picture};  // a bad place is better known now
  std::set<std::string> wanted;
  for (const row& r : rows) wanted.insert(r.sampler.network);
  const networks all = load_networks(arguments.files, wanted, arguments.threads);
  const std::size_t length = all.max_length();
  const std::vector<std::vector<lacuna::token>> held_out = rows_to_score(arguments, length, io.in);
  write_all(arguments, all, length, rows, io.err);

  std::size_t width = 7;
  for (const row& r : rows) width = std::max(width, r.sampler.text.size());
  if (!arguments.json)
    io.out << rows.front().texts.size() << " texts of " << length << " symbols each. Spelling: the share of whole words that "
           << arguments.words << " has.\n\n"
           << padded("sampler", width) << format("%17s%17s", "passes", "spelling")
           << (dictionary ? format("%17s", "in dictionary") : std::string{})
           << (held_out.empty() ? std::string{} : format("%17s", "bits a symbol"))
           << format("%17s%10s%10s\n", "entropy, nats", "words", "seconds");
  std::vector<lacuna::sample::trade_off> curves;
  for (const row& r : rows) {
    const estimate spelling = spelling_of(r.texts, words);
    const estimate entropy = unigram_entropy_of(r.texts);
    const estimate bits = bits_of(r.sampler, all, held_out);
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
      if (std::isfinite(bits.value)) {
        line["bits"] = bits.value;
        line["bits_error"] = bits.error;
      }
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
           << (dictionary ? column(spelling_of(r.texts, *dictionary), "%.4f") : std::string{})
           << (held_out.empty()            ? std::string{}
               : std::isfinite(bits.value) ? column(bits, "%.3f")
                                           : format("%17s", "-"))
           << column(entropy, "%.4f") << format("%10zu%10.1f\n", distinct, r.seconds) << std::flush;
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
  add_network_options(*command, o.files);
  file("--words", o.words, "Words of the training text, one a line")->capture_default_str();
  file("--dictionary", o.dictionary, "Another list of words, /usr/share/dict/words say");
  file("--validation", o.validation, "A text, to tell what a symbol of it costs under each sampler");
  add_number(*command, "--validation-rows", o.validation_rows, "Rows of it")->transform(whole(2));
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
