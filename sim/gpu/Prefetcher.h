// Reads a CtaSource ahead in a thread of its own, so that emulation and timing overlap. What comes out, and its order,
// are the source's: the result does not depend on it.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "sim/trace/CtaTrace.h"

namespace smreplay::gpu {

class Prefetcher : public trace::CtaSource {
 public:
  Prefetcher(trace::CtaSource& source, size_t depth) : source_(&source), depth_(depth), thread_([this] { fill(); }) {}
  ~Prefetcher() override {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  Result<std::shared_ptr<const trace::CtaTrace>> next() override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !queue_.empty() || ended_; });
    if (queue_.empty()) return std::shared_ptr<const trace::CtaTrace>();
    auto item = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    changed_.notify_all();
    return item;
  }

 private:
  void fill() {
    for (;;) {
      auto item = source_->next();
      const bool last = !item || *item == nullptr;
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return queue_.size() < depth_ || stop_; });
      if (stop_) return;
      queue_.push_back(std::move(item));
      ended_ = last;
      lock.unlock();
      changed_.notify_all();
      if (last) return;
    }
  }
  trace::CtaSource* source_;
  size_t depth_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Result<std::shared_ptr<const trace::CtaTrace>>> queue_;
  bool stop_ = false, ended_ = false;
  std::thread thread_;
};

}  // namespace smreplay::gpu
