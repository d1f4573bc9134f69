/// @file
/// @brief The named samplers that find out how much cells depend on each other.
#pragma once

#include <span>

#include "../common/sampler_spec.hpp"
#include "estimator_slot.hpp"
#include "samplers.hpp"

namespace sudoku {

using namespace common;

struct information_kind {
  const char* name;
  const char* about;
  named_sampler (*make)(parameter_reader&, estimator_slot*);
};

std::span<const information_kind> information_kinds();

}  // namespace sudoku
