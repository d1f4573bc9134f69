#include "../../../examples/arithmetic/command.hpp"

#include "../../../examples/arithmetic/network.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "../../io/scratch_file.hpp"

namespace {

using lacuna_test::scratch_file;

struct ran {
  int code;
  std::string out, err;
};

ran run(const std::vector<std::string>& arguments) {
  std::vector<const char*> all{"arithmetic"};
  for (const std::string& a : arguments) all.push_back(a.c_str());
  std::istringstream in;
  std::ostringstream out, err;
  const int code = arithmetic::run_command(static_cast<int>(all.size()), all.data(), {in, out, err});
  return {code, out.str(), err.str()};
}

/// 80 tokens.
std::string many_sevens() {
  std::string all;
  for (int k = 0; k < 80; ++k) all += "7 ";
  return all;
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// A base model that has learned nothing, and a learned order of each kind on it.
struct files {
  scratch_file place{"weights"};
  std::string base = (place.folder() / "base.safetensors").string();
  std::string frozen = (place.folder() / "frozen.safetensors").string();
  std::string along = (place.folder() / "along.safetensors").string();

  files() {
    REQUIRE(run({"train", "--steps", "2", "--count", "30", "--width", "8", "--heads", "2", "--depth", "1", "--batch", "2",
                 "--out", base, "--dtype", "bf16"})
                .code == 0);
    for (const std::string& out : {frozen, along}) {
      std::vector<std::string> all{"train-order", "--base",        base, "--steps",      "2", "--count", "30", "--batch",
                                   "2",           "--paths",       "2",  "--budget",     "2", "--most",  "3",  "--score-width",
                                   "8",           "--score-depth", "1",  "--head-width", "4", "--out",   out};
      if (out == along) all.push_back("--along");
      const ran r = run(all);
      REQUIRE(r.code == 0);
      CHECK(r.err.find("bound") != std::string::npos);
    }
  }
};

}  // namespace

TEST_CASE("a base model and orders are trained, compared and shown; the same command gives the same weights") {
  const files f;
  const std::string once = bytes_of(f.along);
  const files again;
  CHECK(bytes_of(again.base) == bytes_of(f.base));
  CHECK(bytes_of(again.along) == once);
  CHECK(arithmetic::load_order(f.frozen, 1).trunk == nullptr);
  CHECK(arithmetic::load_order(f.along, 1).trunk != nullptr);

  const scratch_file results{"results.jsonl"};
  std::vector<std::string> table{"table",   "--base", f.base,   "--count",   "4",
                                 "--batch", "2",      "--json", "--results", results.path().string()};
  for (const std::string& sampler : {"learned:steps=3,order=" + f.frozen, "learned:steps=3,choice=chance,order=" + f.along,
                                     "guarded:steps=3,order=" + f.frozen + ",gamma=0.5,epsilon=0.9", std::string("iid:steps=3"),
                                     std::string("confidence:steps=3"), std::string("left_to_right:steps=3"),
                                     std::string("threshold"), std::string("entropy_bound:gamma=100")}) {
    table.push_back("--sampler");
    table.push_back(sampler);
  }
  const ran r = run(table);
  CAPTURE(r.err);
  REQUIRE(r.code == 0);
  std::istringstream lines{r.out};
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto json = nlohmann::json::parse(line);
    CHECK(json.at("problems") == 4);
    CHECK(json.at("steps_min").get<double>() <= json.at("steps_mean").get<double>());
    CHECK(json.at("steps_mean").get<double>() <= json.at("steps_max").get<double>());
    if (const auto budget = json.at("budget").get<std::size_t>(); budget > 0)
      CHECK(json.at("steps_max").get<std::size_t>() <= budget);
    CHECK(json.at("accuracy").get<double>() >= json.at("chain").get<double>());
    CHECK((json.at("probes").get<double>() > 0) == json.at("sampler").get<std::string>().starts_with("guarded"));
  }
  CHECK(count == 8);
  const std::string kept = results.get();
  CHECK(std::count(kept.begin(), kept.end(), '\n') == 16);
  results.put(kept.substr(0, kept.size() - 30));  // cut off
  const ran resumed = run(table);
  CHECK(resumed.code == 0);
  CHECK(resumed.out.substr(0, 200) == r.out.substr(0, 200));
  results.put("my notes\n");
  CHECK(run(table).code == 1);
  CHECK(results.get() == "my notes\n");

  const scratch_file picture{"steps.svg"};
  const ran shown = run({"solve", "--base", f.base, "--sampler", "confidence:steps=3", "--picture", picture.path().string()});
  CHECK(shown.code == 0);
  CHECK(shown.out.find("step 3 (") != std::string::npos);
  CHECK(shown.out.find("answer: ") != std::string::npos);
  CHECK(picture.get().find("<svg") != std::string::npos);
  CHECK(run({"solve", "--base", f.base, "Tom has 3 pens. Mia finds 4 pens. How many pens are there?"}).code == 0);
}

TEST_CASE("problems are written and read as GSM8K has them, and what does not fit is counted") {
  const ran made = run({"generate", "--count", "3", "--seed", "4"});
  CHECK(std::count(made.out.begin(), made.out.end(), '\n') == 3);
  CHECK(run({"generate", "--count", "3", "--seed", "4", "--test"}).out != made.out);
  const scratch_file file{"problems.jsonl", made.out + R"({"question": ")" + many_sevens() + R"(", "answer": "#### 1"})" +
                                                "\n" + R"({"question": "Zoe pays $5.", "answer": "She pays 5.\n#### 5"})" +
                                                "\n"};
  const files f;
  const ran r = run({"train", "--gsm8k", file.path().string(), "--steps", "1", "--width", "8", "--heads", "2", "--depth", "1",
                     "--out", (f.place.folder() / "other.safetensors").string()});
  CHECK(r.code == 0);
  CHECK(r.err.find("4 problems, 1 skipped") != std::string::npos);
  const ran solved = run({"table", "--base", f.base, "--gsm8k", file.path().string(), "--sampler", "iid:steps=2"});
  CHECK(solved.code == 0);
  CHECK(solved.out.starts_with("4 problems"));
  file.put("{\"question\": 1}\n");
  CHECK(run({"table", "--base", f.base, "--gsm8k", file.path().string()})
            .err.find(":1: no problem, expected question and answer") != std::string::npos);
  file.put("");
  CHECK(run({"table", "--base", f.base, "--gsm8k", file.path().string()}).code == 1);
}

TEST_CASE("wrong arguments and files are refused before work is wasted") {
  const files f;
  const auto refused = [&](std::vector<std::string> all, int code, const std::string& why) {
    const ran r = run(all);
    CAPTURE(r.err);
    CHECK(r.code == code);
    CHECK(r.err.find(why) != std::string::npos);
  };
  refused({"table", "--base", f.base, "--sampler", "magic"}, 2, "no such name, expected one of learned, guarded");
  refused({"table", "--base", f.base, "--sampler", "iid:steps=0"}, 2, "steps");
  refused({"table", "--base", f.base, "--sampler", "learned:order=no/such"}, 1, "no/such");
  refused({"table", "--base", f.frozen, "--sampler", "iid"}, 1, "missing");
  refused({"table", "--base", f.base, "--sampler", "learned:order=" + f.base}, 1, "order.hidden");
  refused({"train"}, 2, "neither --steps nor --minutes");
  refused({"train", "--steps", "1", "--out", "no/such/place"}, 1, "no/such/place");
  refused({"train-order", "--base", f.base, "--steps", "1", "--budget", "4", "--most", "3"}, 2, "budgets from 4 to 3");
  refused({"train-order", "--base", f.base, "--steps", "1", "--paths", "1"}, 2, "1");
  refused({"solve", "--base", f.base, many_sevens()}, 2, "80 tokens, expected at most");
  refused({}, 2, "no subcommand");
  CHECK(run({"table", "--help"}).code == 0);
}
