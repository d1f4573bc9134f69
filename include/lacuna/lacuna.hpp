/// @file
/// @brief Everything a decoder needs, L0 to L3 and the problems with known answers. `lacuna/nn.hpp` adds the transformer.
#pragma once

#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
