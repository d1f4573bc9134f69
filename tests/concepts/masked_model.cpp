#include "lacuna/concepts/masked_model.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "lacuna/draw/argmax.hpp"
#include "lacuna/order/left_to_right.hpp"
#include "lacuna/problems/permutation.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"

using namespace lacuna;

namespace {

/// The least a tensor type may be: for runtimes with types of their own.
class archetype_tensor {
 public:
  static constexpr auto static_layout = xt::layout_type::row_major;
  explicit archetype_tensor(std::array<std::size_t, 3> shape) : shape_{shape}, data_(shape[0] * shape[1] * shape[2], 0.0F) {}
  archetype_tensor(archetype_tensor&&) = default;
  const float* data() const { return data_.data(); }
  const std::array<std::size_t, 3>& shape() const { return shape_; }
  float& at(std::size_t i) { return data_[i]; }

 private:
  std::array<std::size_t, 3> shape_;
  std::vector<float> data_;
};

/// The least a model may be: it cannot be copied, moved or called as a constant, and its numbers have types of their own.
class archetype {
 public:
  archetype() = default;
  archetype(const archetype&) = delete;
  archetype& operator=(const archetype&) = delete;

  unsigned short vocabulary_size() const { return 3; }
  signed char mask_token() const { return 2; }
  archetype_tensor operator()(const token_batch& x) {
    archetype_tensor out({x.shape(0), x.shape(1), 3});
    for (std::size_t i = 0; i < x.size(); ++i) out.at(i * 3 + 1) = 1;
    return out;
  }
};

// ---- Accepted
static_assert(masked_model<archetype>);
static_assert(masked_model<archetype&>, "a reference to a model is one");
static_assert(masked_model<problems::permutation> && masked_model<const problems::permutation>);

template <class Out>
struct returning {
  std::size_t vocabulary_size() const;
  token mask_token() const;
  Out operator()(const token_batch&);
};
static_assert(masked_model<returning<tensor<float, 3>>>);
static_assert(masked_model<returning<const tensor<float, 3>&>>, "memory that the model keeps");
static_assert(masked_model<returning<tensor_view<const float, 3>>>, "memory of another runtime");
static_assert(masked_model<returning<tensor_view<float, 3>>>);
using adapted_vector = decltype(xt::adapt(std::declval<std::vector<float>&>(), std::declval<std::array<std::size_t, 3>>()));
static_assert(masked_model<returning<adapted_vector>>);

struct constant_call {
  std::size_t vocabulary_size() const;
  token mask_token() const;
  tensor<float, 3> operator()(const token_batch&) const;
};
static_assert(masked_model<constant_call> && masked_model<const constant_call>);

struct template_call {
  std::size_t vocabulary_size() const;
  token mask_token() const;
  template <class Batch>
  tensor<float, 3> operator()(const Batch&);
};
static_assert(masked_model<template_call>);

struct by_value {
  std::size_t vocabulary_size() const;
  token mask_token() const;
  tensor<float, 3> operator()(token_batch);
};
static_assert(masked_model<by_value>, "the batch is a view and cheap to copy");

// ---- Rejected, one thing missing or wrong at a time
struct no_vocabulary {
  token mask_token() const;
  tensor<float, 3> operator()(const token_batch&);
};
static_assert(!has_vocabulary<no_vocabulary> && has_mask_token<no_vocabulary> && scores_batches<no_vocabulary>);
static_assert(!masked_model<no_vocabulary>);

struct no_mask {
  std::size_t vocabulary_size() const;
  tensor<float, 3> operator()(const token_batch&);
};
static_assert(has_vocabulary<no_mask> && !has_mask_token<no_mask> && !masked_model<no_mask>);

struct no_call {
  std::size_t vocabulary_size() const;
  token mask_token() const;
};
static_assert(!scores_batches<no_call> && !masked_model<no_call>);

struct facts_not_constant {
  std::size_t vocabulary_size();
  token mask_token();
  tensor<float, 3> operator()(const token_batch&);
};
static_assert(!has_vocabulary<facts_not_constant> && !has_mask_token<facts_not_constant>, "facts are asked of a constant");

struct text_facts {
  std::string vocabulary_size() const;
  std::string mask_token() const;
  tensor<float, 3> operator()(const token_batch&);
};
static_assert(!has_vocabulary<text_facts> && !has_mask_token<text_facts>);

struct wants_to_write {
  std::size_t vocabulary_size() const;
  token mask_token() const;
  tensor<float, 3> operator()(token_batch&);
};
static_assert(!masked_model<wants_to_write>, "a batch is read only");

struct wants_vectors {
  std::size_t vocabulary_size() const;
  token mask_token() const;
  tensor<float, 3> operator()(const std::vector<std::vector<token>>&);
};
static_assert(!masked_model<wants_vectors>);

static_assert(!masked_model<const archetype>, "its call changes it");
static_assert(!masked_model<returning<tensor<double, 3>>>, "float, not double");
static_assert(!masked_model<returning<tensor<int, 3>>>);
static_assert(!masked_model<returning<xt::xtensor<float, 3, xt::layout_type::column_major>>>);
struct any_layout : archetype_tensor {
  static constexpr auto static_layout = xt::layout_type::dynamic;
};
static_assert(!masked_model<returning<any_layout>>, "the layout must be known");
static_assert(!masked_model<returning<std::vector<float>>>);
static_assert(!masked_model<returning<const float*>>);
static_assert(!masked_model<returning<void>>);
static_assert(!masked_model<int> && !masked_model<void>);

}  // namespace

TEST_CASE("the least model decodes") {
  archetype model;
  const decode_result r = decode(model, canvas::blank(4), compose(order::left_to_right{}, draw::argmax{}));
  CHECK(r.tokens == std::vector<token>{1, 1, 1, 1});
}

TEST_CASE("a model that returns a view of memory it keeps decodes") {
  struct keeps_memory {
    std::vector<float> memory;
    std::size_t vocabulary_size() const { return 3; }
    token mask_token() const { return 0; }
    tensor_view<const float, 3> operator()(const token_batch& x) {
      memory.assign(x.size() * 3, 0.0F);
      for (std::size_t i = 0; i < x.size(); ++i) memory[i * 3 + 2] = 1;
      return view_as_tensor<const float, 3>(memory.data(), {x.shape(0), x.shape(1), 3});
    }
  } model;
  CHECK(decode(model, canvas::blank(2), compose(order::left_to_right{}, draw::argmax{})).tokens == std::vector<token>{2, 2});
}
