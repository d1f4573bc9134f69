/// @file
/// @brief The reference transformer: include this for `lacuna::nn::transformer`. Needs Eigen.
#pragma once

#include "lacuna/nn/config.hpp"
#include "lacuna/nn/example_batch.hpp"
#include "lacuna/nn/metadata.hpp"
#include "lacuna/nn/parameters.hpp"
#include "lacuna/nn/transformer.hpp"
