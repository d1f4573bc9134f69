#include "command.hpp"

#include <CLI/CLI.hpp>
#include <exception>
#include <ostream>
#include <string>

#include "../common/interruption.hpp"
#include "generate.hpp"
#include "lacuna/core/errors.hpp"
#include "solve.hpp"
#include "table.hpp"
#include "train.hpp"
#include "train_order.hpp"

namespace arithmetic {

using namespace common;

int run_command(int argc, const char* const* argv, const streams& io) {
  CLI::App app{"Solves word problems with a masked diffusion model, in orders that are learned or not", "arithmetic"};
  app.require_subcommand(0, 1);
  app.failure_message(
      [](const CLI::App*, const CLI::Error& e) { return std::string("arithmetic: ") + e.what() + " (--help tells more)\n"; });
  add_generate_command(app, io);
  add_solve_command(app, io);
  add_table_command(app, io);
  add_train_command(app, io);
  add_train_order_command(app, io);
  app.footer("arithmetic SUBCOMMAND --help tells more.");
  try {
    interruption::forget();
    app.parse(argc, argv);
    if (app.get_subcommands().empty()) throw lacuna::invalid_argument("no subcommand, expected one (--help tells more)");
    io.out.flush();
    if (!io.out) throw lacuna::file_error("the output cannot be written");
  } catch (const CLI::ParseError& e) {
    return app.exit(e, io.out, io.err) == 0 ? 0 : 2;
  } catch (const lacuna::invalid_argument& e) {
    io.err << "arithmetic: " << e.what() << '\n';
    return 2;
  } catch (const std::exception& e) {
    io.err << "arithmetic: " << e.what() << '\n';
    return 1;
  }
  return interruption::asked() ? 130 : 0;
}

}  // namespace arithmetic
