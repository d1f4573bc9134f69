#include "tests/allocation_count.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> calls{0};
std::atomic<std::size_t> in_use{0};
std::atomic<std::size_t> most{0};

void* counted(void* p) {
  if (p == nullptr) throw std::bad_alloc();
  calls.fetch_add(1, std::memory_order_relaxed);
  const std::size_t now = in_use.fetch_add(malloc_usable_size(p)) + malloc_usable_size(p);
  std::size_t seen = most.load();
  while (now > seen && !most.compare_exchange_weak(seen, now)) {
  }
  return p;
}

void* aligned(std::size_t size, std::align_val_t alignment) {
  void* p = nullptr;
  return posix_memalign(&p, static_cast<std::size_t>(alignment), size == 0 ? 1 : size) == 0 ? p : nullptr;
}

void release(void* p) noexcept {
  if (p != nullptr) in_use.fetch_sub(malloc_usable_size(p));
  std::free(p);
}

}  // namespace

void* operator new(std::size_t size) { return counted(std::malloc(size == 0 ? 1 : size)); }
void* operator new[](std::size_t size) { return counted(std::malloc(size == 0 ? 1 : size)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  void* p = std::malloc(size == 0 ? 1 : size);
  return p == nullptr ? p : counted(p);
}
void* operator new[](std::size_t size, const std::nothrow_t& t) noexcept { return operator new(size, t); }
void* operator new(std::size_t size, std::align_val_t a) { return counted(aligned(size, a)); }
void* operator new[](std::size_t size, std::align_val_t a) { return counted(aligned(size, a)); }
void operator delete(void* p) noexcept { release(p); }
void operator delete[](void* p) noexcept { release(p); }
void operator delete(void* p, std::size_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t) noexcept { release(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { release(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { release(p); }
void operator delete(void* p, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { release(p); }

namespace lacuna::tests {

std::size_t allocations() { return calls.load(); }

heap_peak::heap_peak() : before_{in_use.load()} { most.store(before_); }
std::size_t heap_peak::bytes() const { return most.load() - before_; }

}  // namespace lacuna::tests
