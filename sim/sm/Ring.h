// A first-in first-out queue in one power-of-two array: no allocation once it has grown to its largest length.
#pragma once

#include <cstddef>
#include <vector>

namespace smreplay::sm {

template <class T>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  T& operator[](size_t i) { return slots_[(first_ + i) & (slots_.size() - 1)]; }
  const T& operator[](size_t i) const { return slots_[(first_ + i) & (slots_.size() - 1)]; }
  T& front() { return (*this)[0]; }
  const T& front() const { return (*this)[0]; }
  T& back() { return (*this)[size_ - 1]; }
  void push_back(const T& value) {
    if (size_ == slots_.size()) grow();
    ++size_;
    back() = value;
  }
  void pop_front() {
    first_ = (first_ + 1) & (slots_.size() - 1);
    --size_;
  }

 private:
  void grow() {
    std::vector<T> larger(slots_.empty() ? kInitial : 2 * slots_.size());
    for (size_t i = 0; i < size_; ++i) larger[i] = (*this)[i];
    slots_.swap(larger);
    first_ = 0;
  }
  static constexpr size_t kInitial = 4;
  std::vector<T> slots_;
  size_t first_ = 0;
  size_t size_ = 0;
};

}  // namespace smreplay::sm
