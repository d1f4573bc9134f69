/// @file
/// @brief The reference transformer: include this for `lacuna::nn::transformer` and `lacuna::nn::hybrid_transformer`. Needs
/// Eigen.
#pragma once

#include "lacuna/nn/config.hpp"
#include "lacuna/nn/example_batch.hpp"
#include "lacuna/nn/hybrid_config.hpp"
#include "lacuna/nn/hybrid_examples.hpp"
#include "lacuna/nn/hybrid_metadata.hpp"
#include "lacuna/nn/hybrid_transformer.hpp"
#include "lacuna/nn/metadata.hpp"
#include "lacuna/nn/order_head.hpp"
#include "lacuna/nn/order_metadata.hpp"
#include "lacuna/nn/parameters.hpp"
#include "lacuna/nn/transformer.hpp"
