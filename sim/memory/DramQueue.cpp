#include "sim/memory/DramQueue.h"

namespace smreplay::memory {
namespace {

uint64_t bit(uint32_t bank) { return uint64_t{1} << bank; }

}  // namespace

DramQueue::DramQueue(uint32_t window, uint32_t banks) : slots_(window), lists_(banks) {
  for (uint32_t i = window; i-- > 0;) free_.push_back(i);
}

void DramQueue::push(const DramRequest& request) {
  if (free_.empty()) {
    overflow_.push(request.arrival, request);
  } else {
    admit(request);
  }
}

void DramQueue::admit(const DramRequest& request) {
  const uint32_t index = free_.back();
  free_.pop_back();
  List& list = lists_[request.bank];
  slots_[index] = Slot{request, kNone, list.tail};
  if (list.tail == kNone) {
    list.head = index;
  } else {
    slots_[list.tail].next = index;
  }
  list.tail = index;
  if (list.hit == kNone && list.row == request.row) list.hit = index;
  occupied_ |= bit(request.bank);
  changed_ |= bit(request.bank);
  ++window_used_;
}

DramRequest DramQueue::take(uint32_t index) {
  const Slot slot = slots_[index];
  List& list = lists_[slot.request.bank];
  (slot.previous == kNone ? list.head : slots_[slot.previous].next) = slot.next;
  (slot.next == kNone ? list.tail : slots_[slot.next].previous) = slot.previous;
  if (list.hit == index) list.hit = first_hit(slot.next, list.row);
  if (list.head == kNone) occupied_ &= ~bit(slot.request.bank);
  changed_ |= bit(slot.request.bank);
  free_.push_back(index);
  --window_used_;
  if (!overflow_.empty()) {
    admit(overflow_.pop());
  }
  return slot.request;
}

void DramQueue::row_opened(uint32_t bank, uint32_t row) {
  changed_ |= bit(bank);
  lists_[bank].row = row;
  lists_[bank].hit = first_hit(lists_[bank].head, row);
}

void DramQueue::row_closed(uint32_t bank) {
  changed_ |= bit(bank);
  lists_[bank].row = kClosed;
  lists_[bank].hit = kNone;
}

uint32_t DramQueue::first_hit(uint32_t from, uint64_t row) const {
  while (from != kNone && slots_[from].request.row != row) from = slots_[from].next;
  return from;
}

}  // namespace smreplay::memory
