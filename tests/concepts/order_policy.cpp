#include "lacuna/concepts/order_policy.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "lacuna/draw/argmax.hpp"
#include "lacuna/order/top_k.hpp"
#include "lacuna/problems/permutation.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"

using namespace lacuna;

namespace {

/// The least an order may be.
class archetype {
 public:
  explicit archetype(int) {}
  archetype(const archetype&) = default;
  archetype& operator=(const archetype&) = delete;
  void select(const step_view&, selection& out, const step_random&) const { out.add(0); }
};

/// The least an order that remembers may be: its memory can be made and moved, no more.
class remembering_archetype {
 public:
  struct memory {
    std::unique_ptr<std::size_t> steps = std::make_unique<std::size_t>(0);
  };
  void select(const step_view& view, memory& m, selection& out, const step_random&) const {
    out.add(++*m.steps % 2 == 1 ? view.size() - 1 : 0);  // from both ends in turns
  }
};

// ---- Accepted
static_assert(order_policy<archetype> && forgetful_order_policy<archetype> && !remembering_order_policy<archetype>);
static_assert(order_policy<remembering_archetype> && remembering_order_policy<remembering_archetype>);
static_assert(std::same_as<memory_of<archetype>, no_memory>);
static_assert(std::same_as<memory_of<remembering_archetype>, remembering_archetype::memory>);
static_assert(order_policy<order::top_k<>>);

template <class... Arguments>
struct taking {
  int select(Arguments...) const;
};
static_assert(order_policy<taking<step_view, selection&, step_random>>, "views are cheap to copy, results are ignored");

struct generic {
  void select(const auto&, auto&, const auto&) const;
};
static_assert(order_policy<generic>);

struct in_blocks : archetype {
  void restrict_to(const canvas&, no_memory&, std::vector<std::size_t>&) const;
};
static_assert(restricting_order_policy<in_blocks> && !restricting_order_policy<archetype>);

struct on_a_grid : archetype {
  time_step time(const step_view&, no_memory&) const;
};
static_assert(timed_order_policy<on_a_grid> && !timed_order_policy<archetype>);

struct memory_that_is_not_used {
  struct memory {};
  void select(const step_view&, selection&, const step_random&) const;
};
static_assert(order_policy<memory_that_is_not_used>);

// ---- Rejected
struct no_select {};
static_assert(!order_policy<no_select>);

struct not_constant {
  void select(const step_view&, selection&, const step_random&);
};
static_assert(!order_policy<not_constant>, "policies are constants; what must be remembered goes into `memory`");

static_assert(!order_policy<taking<const step_view&, selection&>>, "no generator");
static_assert(!order_policy<taking<const step_view&, const step_random&, selection&>>);
static_assert(!order_policy<taking<const step_view&, std::vector<std::size_t>&, const step_random&>>);
static_assert(!order_policy<taking<step_view&, selection&, const step_random&>>, "the view is read only");
static_assert(!order_policy<taking<const step_view&, selection&, step_random&>>, "the generator is a constant");

struct cannot_be_copied {
  cannot_be_copied(const cannot_be_copied&) = delete;
  void select(const step_view&, selection&, const step_random&) const;
};
static_assert(!order_policy<cannot_be_copied>);

struct memory_cannot_be_made {
  struct memory {
    explicit memory(int);
  };
  void select(const step_view&, memory&, selection&, const step_random&) const;
};
static_assert(!order_policy<memory_cannot_be_made>, "the loop makes the memory");

struct memory_without_a_name {
  struct state {};
  void select(const step_view&, state&, selection&, const step_random&) const;
};
static_assert(!order_policy<memory_without_a_name>, "the type must be called memory");

struct takes_the_memory_away {
  struct memory {};
  void select(const step_view&, memory&&, selection&, const step_random&) const;
};
static_assert(!order_policy<takes_the_memory_away>, "the memory stays the loop's");

struct restricts_by_value : archetype {
  std::vector<std::size_t> restrict_to(const canvas&) const;
};
static_assert(order_policy<restricts_by_value> && !restricting_order_policy<restricts_by_value>);

struct grid_of_numbers : archetype {
  double time(const step_view&, no_memory&) const;
};
static_assert(order_policy<grid_of_numbers> && !timed_order_policy<grid_of_numbers>);

static_assert(!order_policy<decltype([](const step_view&, selection&, const step_random&) {})>, "an order has a select");

}  // namespace

TEST_CASE("the least order decodes from the left") {
  problems::permutation model(3);
  const decode_result r = decode(model, canvas::blank(3), compose(archetype{1}, draw::argmax{}));
  CHECK(r.step == std::vector<std::size_t>{0, 1, 2});
}

TEST_CASE("an order that remembers has a memory for each row and run") {
  problems::permutation model(4);
  const auto sampler = compose(remembering_archetype{}, draw::argmax{});
  const std::vector<canvas> starts(3, canvas::blank(4));
  const batch_result batch = decode(model, std::span<const canvas>(starts), sampler);
  for (const decode_result& r : batch.rows) CHECK(r.step == std::vector<std::size_t>{1, 3, 2, 0});
  CHECK(decode(model, canvas::blank(4), sampler).step == std::vector<std::size_t>{1, 3, 2, 0});
}

TEST_CASE("select is called in the form the policy has") {
  const std::vector<std::size_t> positions{4, 6, 8};
  step_view view;
  view.positions = positions;
  selection out;
  out.reset(3);
  no_memory none;
  lacuna::select(archetype{1}, view, none, out, step_random{});
  CHECK(out.contains(0));
  out.reset(3);
  remembering_archetype::memory memory;
  lacuna::select(remembering_archetype{}, view, memory, out, step_random{});
  CHECK(out.contains(2));
  CHECK(*memory.steps == 1);
}
