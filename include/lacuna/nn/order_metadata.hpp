/// @file
/// @brief The shape of an order head as strings and back, to be stored beside its weights.
///
/// Keys begin with "order.". Errors: invalid_argument naming the key.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "lacuna/core/number_text.hpp"
#include "lacuna/nn/metadata.hpp"
#include "lacuna/nn/order_head.hpp"

namespace lacuna::nn {

inline std::map<std::string, std::string> to_metadata(const order_head_config& c) {
  return {
      {"order.hidden", number_text(c.hidden)}, {"order.width", number_text(c.width)}, {"order.start", number_text(c.start)}};
}

inline order_head_config order_head_from_metadata(const std::map<std::string, std::string>& metadata) {
  order_head_config c;
  c.hidden = metadata_detail::number_at<std::size_t>(metadata, "order.hidden");
  c.width = metadata_detail::number_at<std::size_t>(metadata, "order.width");
  c.start = metadata_detail::number_at<float>(metadata, "order.start");
  check(c);
  return c;
}

}  // namespace lacuna::nn
