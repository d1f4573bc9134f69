// A sampler that verifies drafts, with a model that cannot.
// expect: draft_verify_model
// expect-gcc: verification_at_hand
// expect-clang: .m.verify\(v, sink\). would be invalid
#include "lacuna/problems/draft_verify_table.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/sample/speculative.hpp"

#ifdef FIXED
using my_model = lacuna::problems::draft_verify_table;
#else
struct my_model : lacuna::problems::joint_table {
  void draft(const lacuna::token_batch&, std::span<const std::size_t>, std::span<const std::size_t>, lacuna::row_sink) {}
};
#endif
void use(my_model& model) { lacuna::decode(model, lacuna::canvas::blank(4), lacuna::sample::speculative{}); }
