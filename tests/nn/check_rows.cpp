#include "lacuna/nn/check_rows.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "small_networks.hpp"

namespace {

using namespace lacuna;

template <class F>
std::string complaint(const F& f) {
  try {
    f();
  } catch (const invalid_argument& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("rows of wrong length or tokens and wanted positions out of order are refused in the caller's name") {
  const nn::transformer_config c = small_networks::plain();
  std::vector<token> tokens(30, 6);
  std::vector<std::size_t> offsets{0, 9, 30};
  const auto rows = [&] { return complaint([&] { nn::check_rows(c, {tokens.data(), offsets}, "me"); }); };
  CHECK(rows().empty());
  offsets[1] = 8;
  CHECK(rows() == "me: row 1 runs from 8 to 30, expected a length of at most 21");
  offsets[1] = 9;
  tokens[29] = -1;
  CHECK(rows() == "me: token 29 is -1, expected 0..6");
  const auto wanted = [](std::vector<std::size_t> w) { return complaint([&] { nn::check_wanted(w, 5, "me"); }); };
  CHECK(wanted({0, 4}).empty());
  CHECK(wanted({5}) == "me: wanted position 0 is 5, expected ascending positions below 5");
  CHECK(wanted({3, 2}) == "me: wanted position 1 is 2 after 3, expected ascending positions below 5");
}
