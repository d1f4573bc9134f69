// A sampler behind one type for all: its states cannot be copied, so that nothing can look where they go.
// expect: forkable_sampler
// expect: copyable
#include "lacuna/draw/argmax.hpp"
#include "lacuna/order/random.hpp"
#include "lacuna/sample/any_sampler.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/lookahead.hpp"

#ifdef FIXED
using sampler = decltype(lacuna::compose(lacuna::order::random{}, lacuna::draw::argmax{}));
#else
using sampler = lacuna::sample::any_sampler;
#endif

lacuna::sample::lookahead<sampler> make(sampler s) { return lacuna::sample::lookahead<sampler>{s, 4}; }
