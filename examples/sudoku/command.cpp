#include "command.hpp"

#include <CLI/CLI.hpp>
#include <exception>
#include <ostream>
#include <string>

#include "../common/interruption.hpp"
#include "generation.hpp"
#include "label.hpp"
#include "lacuna/core/errors.hpp"
#include "mi_check.hpp"
#include "mi_map.hpp"
#include "table.hpp"
#include "train.hpp"
#include "train_mi.hpp"

namespace sudoku {

using namespace common;

int run_command(int argc, const char* const* argv, const streams& io) {
  CLI::App app{"Solves Sudoku puzzles with a masked diffusion model", "sudoku"};
  app.require_subcommand(0, 1);
  app.failure_message(
      [](const CLI::App*, const CLI::Error& e) { return std::string("sudoku: ") + e.what() + " (--help tells more)\n"; });
  add_decode_command(app, io);
  add_table_command(app, io);
  add_generate_command(app, io);
  add_train_command(app, io.err);
  add_label_command(app, io.err);
  add_train_mi_command(app, io.out, io.err);
  add_mi_map_command(app, io);
  add_mi_check_command(app, io);
  app.footer("sudoku SUBCOMMAND --help tells more.");
  try {
    interruption::forget();
    app.parse(argc, argv);
    if (app.get_subcommands().empty()) throw lacuna::invalid_argument("no subcommand, expected one (--help tells more)");
    io.out.flush();
    if (!io.out) throw lacuna::file_error("the output cannot be written");
  } catch (const CLI::ParseError& e) {
    return app.exit(e, io.out, io.err) == 0 ? 0 : 2;
  } catch (const lacuna::invalid_argument& e) {
    io.err << "sudoku: " << e.what() << '\n';
    return 2;
  } catch (const std::exception& e) {
    io.err << "sudoku: " << e.what() << '\n';
    return 1;
  }
  return interruption::asked() ? 130 : 0;
}

}  // namespace sudoku
