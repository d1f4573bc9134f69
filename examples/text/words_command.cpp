#include "words_command.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <string>

#include "corpus.hpp"
#include "words.hpp"

namespace text {

void add_words_command(CLI::App& app, const common::streams& io) {
  const auto path = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("words", "Lists the words of a text, one a line, in alphabetical order");
  command->footer("Example: text words --text novels.txt > words.txt");
  command->add_option("--text", *path, "Text, any; - reads standard input")->type_name("FILE")->required();
  command->callback([path, io] {
    const std::string symbols = read_text(*path, io.in, 1);
    for (const std::string& word : word_list{words_of(symbols)}.sorted()) io.out << word << '\n';
  });
}

}  // namespace text
