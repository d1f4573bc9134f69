/// @file
/// @brief RapidCheck properties with a fixed seed, reported through doctest.
///
/// Another seed or more runs: RC_PARAMS="seed=7 max_success=5000".
#pragma once

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <sstream>
#include <string>

namespace lacuna::tests {

template <class Testable>
void check_property(const std::string& name, int runs, Testable&& testable) {
  rc::detail::TestParams params;
  params.seed = 20;
  params.maxSuccess = runs;
  if (std::getenv("RC_PARAMS") != nullptr) params = rc::detail::configuration().testParams;
  const rc::detail::TestResult result =
      rc::detail::checkTestable(std::forward<Testable>(testable), rc::detail::TestMetadata{name, name}, params);
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  INFO(message.str());
  CHECK(result.is<rc::detail::SuccessResult>());
}

}  // namespace lacuna::tests
