// Traces as JSON: documented fields, readable by any parser, numbers as they were.
#include <doctest/doctest.h>

#include <limits>
#include <locale>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/sample/trace_json.hpp"
#include "lacuna/sample/trace_recorder.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/policies.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

std::string json_of(std::span<const sample::trace> rows) {
  std::ostringstream out;
  sample::trace_json{}.write(out, rows);
  return out.str();
}

struct grouping : std::numpunct<char> {
  char do_thousands_sep() const override { return '.'; }
  char do_decimal_point() const override { return ','; }
  std::string do_grouping() const override { return "\3"; }
};

}  // namespace

// The format is public: programs of others read it. A change of names or meaning needs a new version number.
TEST_CASE("the format, to the letter") {
  sample::trace row;
  row.start = canvas::blank(4);
  row.start.fix(0, 12);
  row.start.commit(3, 5);
  row.steps.resize(2);
  row.steps[0].committed = {2, 1};
  row.steps[0].tokens = {7, 1000};
  row.steps[0].confidence = {0.1, 1};
  row.steps[0].cost.of(purpose::decode) = {1, 1};
  row.steps[1].remasked = {1};
  row.steps[1].closed = {3};
  row.steps[1].end = 9;
  row.steps[1].cost.of(purpose::decode) = {2, 2};
  row.steps[1].cost.of(purpose::probe) = {1, 30};
  const std::vector<sample::trace> rows{row};
  CHECK(json_of(rows) ==
        "{\"format\":\"lacuna-trace\",\"version\":1,\"rows\":[\n"
        "{\"length\":4,\"tokens\":[12,null,null,5],\"cells\":\"fmmc\",\"steps\":[\n"
        "{\"committed\":[2,1],\"tokens\":[7,1000],\"confidence\":[0.1,1],\"remasked\":[],\"closed\":[],\"end\":null,"
        "\"cost\":{\"decode\":{\"calls\":1,\"rows\":1}}},\n"
        "{\"committed\":[],\"tokens\":[],\"confidence\":[],\"remasked\":[1],\"closed\":[3],\"end\":9,"
        "\"cost\":{\"decode\":{\"calls\":2,\"rows\":2},\"probe\":{\"calls\":1,\"rows\":30}}}]}\n"
        "]}\n");
}

TEST_CASE("a parser reads back every number as it was, in any locale") {
  whole model;
  model.vocabulary = 3000;
  model.mask = 2999;
  model.end = 6;
  sample::trace_recorder recorder;
  const std::vector<canvas> starts{canvas::blank(30), canvas::blank(7)};
  decode(model, std::span{starts}, compose(timed{9, 5}, draw::categorical{}, sometimes{0.3}), {.seed = 2}, recorder);

  std::ostringstream out;
  out.imbue(std::locale(std::locale::classic(), new grouping));
  out.precision(2);
  sample::trace_json{}.write(out, recorder.rows());
  const auto json = nlohmann::json::parse(out.str());
  CHECK(json["format"] == "lacuna-trace");
  CHECK(json["rows"].size() == 2);
  for (std::size_t r = 0; r < 2; ++r) {
    const auto& row = json["rows"][r];
    const sample::trace& expected = recorder.row(r);
    CHECK(row["length"] == expected.start.size());
    CHECK(row["cells"] == std::string(expected.start.size(), 'm'));
    CHECK(row["steps"].size() == expected.steps.size());
    for (std::size_t s = 0; s < expected.steps.size(); ++s) {
      const auto& step = row["steps"][s];
      CHECK(step["committed"].get<std::vector<std::size_t>>() == expected.steps[s].committed);
      CHECK(step["tokens"].get<std::vector<token>>() == expected.steps[s].tokens);
      CHECK(step["confidence"].get<std::vector<double>>() == expected.steps[s].confidence);  // bit by bit
      CHECK(step["remasked"].get<std::vector<std::size_t>>() == expected.steps[s].remasked);
      CHECK(step["cost"]["decode"]["calls"] == expected.steps[s].cost.calls());
    }
  }
}

TEST_CASE("extreme numbers come back; what JSON cannot hold is null") {
  sample::trace row;
  row.start = canvas::blank(1);
  row.steps.resize(1);
  row.steps[0].confidence = {std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max(), 1.0 / 3,
                             std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};
  const auto c = nlohmann::json::parse(json_of(std::vector{row}))["rows"][0]["steps"][0]["confidence"];
  for (std::size_t i = 0; i < 3; ++i) CHECK(c[i].get<double>() == row.steps[0].confidence[i]);
  CHECK(c[3].is_null());
  CHECK(c[4].is_null());
}

TEST_CASE("no rows, and rows without steps") {
  CHECK(nlohmann::json::parse(json_of({}))["rows"].empty());
  sample::trace row;
  row.start = canvas::infill({1, 2}, {});
  CHECK(nlohmann::json::parse(json_of(std::vector{row}))["rows"][0]["steps"].empty());
}
