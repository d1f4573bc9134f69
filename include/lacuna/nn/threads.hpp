/// @file
/// @brief A few persistent threads that run the same function side by side.
///
/// The caller is thread 0. Waiting spins for about a tenth of a millisecond, then sleeps: passes follow each other closely or
/// not at all.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "lacuna/core/errors.hpp"

namespace lacuna::nn {

/// Blocks until `value` differs from `old`: a short spin, then the operating system.
template <class T>
void wait_while(const std::atomic<T>& value, T old) {
  for (int i = 0; i < 2000; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }
  while (value.load(std::memory_order_acquire) == old) value.wait(old, std::memory_order_acquire);
}

/// All of `count` threads meet here, again and again.
class meeting_point {
 public:
  explicit meeting_point(std::size_t count) : count_{count} {}
  void arrive_and_wait() {
    if (count_ == 1) return;
    const std::uint32_t round = round_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == count_) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      round_.notify_all();
    } else {
      wait_while(round_, round);
    }
  }

 private:
  std::size_t count_;
  std::atomic<std::size_t> arrived_{0};
  std::atomic<std::uint32_t> round_{0};
};

/// A thread's part of work that is split evenly: of n things those in [begin(n), end(n)).
struct share {
  std::size_t index = 0;
  std::size_t count = 1;
  [[nodiscard]] std::size_t begin(std::size_t n) const { return n * index / count; }
  [[nodiscard]] std::size_t end(std::size_t n) const { return n * (index + 1) / count; }
};

/// `run(f)` calls f(0) .. f(size() - 1) at the same time and returns when all have. f must not throw.
/// Throws `error` if the system does not give as many threads.
class thread_team {
 public:
  explicit thread_team(std::size_t size = 1) : meeting_{size == 0 ? 1 : size} {
    try {
      for (std::size_t i = 1; i < size; ++i) threads_.emplace_back([this, i] { work(i); });
    } catch (const std::exception& e) {
      const std::size_t started = threads_.size() + 1;
      end();
      throw error("threads: " + std::to_string(started) + " of " + std::to_string(size) + " could be started: " + e.what());
    }
  }
  thread_team(const thread_team&) = delete;
  thread_team& operator=(const thread_team&) = delete;
  ~thread_team() { end(); }

  [[nodiscard]] std::size_t size() const { return threads_.size() + 1; }

  /// For use inside f: no thread goes on before all have come here.
  void meet() { meeting_.arrive_and_wait(); }

  template <class F>
  void run(F&& f) {
    if (threads_.empty()) {
      f(std::size_t{0});
      return;
    }
    object_ = const_cast<void*>(static_cast<const void*>(std::addressof(f)));
    call_ = [](void* object, std::size_t i) { (*static_cast<std::remove_reference_t<F>*>(object))(i); };
    begin_.fetch_add(1, std::memory_order_release);
    begin_.notify_all();
    f(std::size_t{0});
    meeting_.arrive_and_wait();
  }

 private:
  void end() {
    call_ = nullptr;
    begin_.fetch_add(1, std::memory_order_release);
    begin_.notify_all();
    for (std::thread& t : threads_) t.join();
  }

  void work(std::size_t i) {
    std::uint32_t seen = 0;
    while (true) {
      wait_while(begin_, seen);
      ++seen;
      if (call_ == nullptr) return;
      call_(object_, i);
      meeting_.arrive_and_wait();
    }
  }

  meeting_point meeting_;
  std::atomic<std::uint32_t> begin_{0};
  void* object_ = nullptr;
  void (*call_)(void*, std::size_t) = nullptr;
  std::vector<std::thread> threads_;
};

}  // namespace lacuna::nn
