#include "../../../examples/common/sampler_spec.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {

using namespace common;

/// What `f` is refused with.
template <class F>
std::string refusal(F f) {
  try {
    f();
  } catch (const lacuna::invalid_argument& e) {
    return e.what();
  }
  return "accepted";
}
std::string refusal_of(const std::string& text) {
  return refusal([&] { parse_spec(text); });
}

TEST_CASE("a spec is a name, alone or with keys and values") {
  CHECK(parse_spec("top_k").name == "top_k");
  CHECK(parse_spec("top_k").given.empty());
  const sampler_spec spec = parse_spec("top_k:rank=margin,k=4");
  CHECK(spec.name == "top_k");
  CHECK(spec.given.size() == 2);
  CHECK(spec.given.at("rank") == "margin");
  CHECK(spec.given.at("k") == "4");
  CHECK(parse_spec("x:a=b=c").given.at("a") == "b=c");
}

TEST_CASE("what is not of the form is refused with what is wrong and what is expected") {
  const std::string expected = ", expected NAME or NAME:key=value,key=value";
  CHECK(refusal_of("") == "sampler \"\": no name" + expected);
  CHECK(refusal_of(":k=4") == "sampler \":k=4\": no name" + expected);
  CHECK(refusal_of("top_k:") == "sampler \"top_k:\": \"\" is no key=value" + expected);
  CHECK(refusal_of("top_k:k") == "sampler \"top_k:k\": \"k\" is no key=value" + expected);
  CHECK(refusal_of("top_k:k=") == "sampler \"top_k:k=\": \"k=\" is no key=value" + expected);
  CHECK(refusal_of("top_k:=4") == "sampler \"top_k:=4\": \"=4\" is no key=value" + expected);
  CHECK(refusal_of("top_k:k=4,") == "sampler \"top_k:k=4,\": \"\" is no key=value" + expected);
  CHECK(refusal_of("top_k:k=4,k=4") == "sampler \"top_k:k=4,k=4\": \"k\" is given twice" + expected);
}

TEST_CASE("parameters are read by type, and those not given have their defaults") {
  parameter_reader p(parse_spec("s:tau=2.5e-1,k=12,rank=margin"));
  CHECK(p.number("tau", 1) == 0.25);
  CHECK(p.count("k", 1) == 12);
  CHECK(p.word("rank", "entropy", {"entropy", "margin"}) == "margin");
  CHECK(p.number("gamma", 0.1) == 0.1);
  CHECK(p.has("k"));
  CHECK_FALSE(p.has("gamma"));
  CHECK_NOTHROW(p.finish());
  std::string all;
  for (const parameter& used : p.all()) all += used.key + "=" + used.text() + " ";
  CHECK(all == "tau=0.25 k=12 rank=margin gamma=0.1 ");
}

TEST_CASE("a value of the wrong type is refused with the key and what is expected") {
  const auto number = [](const std::string& text) {
    return refusal([&] { parameter_reader(parse_spec("s:x=" + text)).number("x", 0); });
  };
  const auto count = [](const std::string& text) {
    return refusal([&] { parameter_reader(parse_spec("s:x=" + text)).count("x", 0); });
  };
  for (const char* text : {"a", "1a", "1.2.3", " 1", "1 ", "--1", "1e999"})
    CHECK(number(text) == "sampler s: x=" + std::string(text) + ", expected a number");
  CHECK(number("one") == "sampler s: x=one, expected a number");
  CHECK(number("nan") == "sampler s: x=nan, expected a finite number");
  CHECK(number("-inf") == "sampler s: x=-inf, expected a finite number");
  CHECK(number("-1") == "accepted");
  for (const char* text : {"-1", "1.5", "x", "+1", "99999999999999999999999"})
    CHECK(count(text) == "sampler s: x=" + std::string(text) + ", expected a whole number");
  CHECK(refusal([] {
          parameter_reader(parse_spec("s:x=c")).word("x", "a", {"a", "b"});
        }) == "sampler s: x=c, expected one of a, b");
}

TEST_CASE("a parameter that nothing asked for is refused with those there are") {
  parameter_reader p(parse_spec("s:gama=1"));
  p.number("gamma", 0.1);
  p.count("k", 1);
  CHECK(refusal([&] { p.finish(); }) == "sampler s: unknown parameter \"gama\", expected gamma, k");
}

TEST_CASE("a temperature is added to a spec that says none") {
  CHECK(with_temperature("random", 1) == "random:temperature=1");
  CHECK(with_temperature("top_k:k=2", 0.5) == "top_k:k=2,temperature=0.5");
  CHECK(with_temperature("top_k:temperature=0", 1) == "top_k:temperature=0");
  CHECK(with_temperature("top_k:k=2", 0) == "top_k:k=2");
  CHECK(refusal([] { with_temperature("top_k:k", 1); }) != "accepted");
}

}  // namespace
