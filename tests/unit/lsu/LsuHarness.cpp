#include "tests/unit/lsu/LsuHarness.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "sim/machine/LoadMachine.h"

namespace smreplay::sm::test {

machine::Machine a6000_like() {
  machine::Machine m;
  m.subcores = 4;
  m.memory.queue_entries = 5;
  m.memory.agu_interval = 4;
  m.memory.shared_interval = 2;
  m.memory.operand_base_cycles = 7;
  m.memory.operand_bytes_per_cycle = 64;
  m.memory.buffer_entries = 21;
  m.memory.shared_bytes_per_cycle = 128;
  m.memory.bank_count = 32;
  m.memory.bank_bytes = 4;
  m.memory.conflict_pass_cycles = 1;
  m.memory.conflict_latency_cycles = 2;
  m.memory.l1_ways = 4;
  m.memory.l1_tags_per_cycle = 4;
  m.memory.l1_mshrs = 384;
  m.memory.l1_merges = 48;
  m.memory.pending_requests = 128;
  m.memory.return_global_bytes_per_cycle = 64;
  m.memory.return_shared_bytes_per_cycle = 128;
  m.memory.ldgsts_fill_cycles = 19;
  m.memory.miss_interval = 1;
  m.memory.miss_base_cycles = 24;
  m.memory.fill_to_use_cycles = 20;
  const auto set = [&m](TimingClass c, machine::ClassTiming t) { m.timing[static_cast<size_t>(c)] = t; };
  set(TimingClass::ldg, {4, 32, 34, 38, 11, 11, 11});
  set(TimingClass::ldl, {4, 32, 34, 38, 11, 11, 11});
  set(TimingClass::stg, {4, 0, 0, 0, 14, 16, 20});
  set(TimingClass::stl, {4, 0, 0, 0, 14, 16, 20});
  set(TimingClass::lds, {4, 24, 24, 26, 9, 9, 9});
  set(TimingClass::sts, {4, 0, 0, 0, 12, 14, 18});
  set(TimingClass::ldsm, {4, 29, 31, 33, 9, 9, 9});
  set(TimingClass::stsm, {4, 0, 0, 0, 12, 14, 18});
  set(TimingClass::ldgsts, {4, 39, 39, 39, 13, 13, 13});
  set(TimingClass::ldgdepbar, {4, 15, 0, 0, 11, 0, 0});
  set(TimingClass::shfl, {4, 29, 0, 0, 9, 0, 0});
  set(TimingClass::atomg, {4, 32, 34, 0, 14, 16, 0});
  set(TimingClass::atoms, {4, 45, 45, 0, 12, 14, 0});
  return m;
}

machine::Machine machine_named(const std::string& name) {
  if (name == "a6000_like") return a6000_like();
  auto loaded = machine::load_machine(name);
  if (!loaded) throw std::runtime_error(loaded.error().text());
  return *loaded;
}

trace::AddressPattern pattern_of(uint32_t lanes, const std::function<int64_t(uint32_t)>& offset) {
  trace::AddressPattern pattern;
  pattern.lanes = lanes;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (((lanes >> lane) & 1U) != 0) pattern.offset[lane] = static_cast<int32_t>(offset(lane));
  }
  return pattern;
}

Harness::Harness(const machine::Machine& m, uint32_t l1_bytes, Cycle memory_cycles)
    : machine_(m), unit_(m, 0, l1_bytes), memory_cycles_(memory_cycles) {}

MemoryOp Harness::op(TimingClass timing, MemorySpace space, MemoryKind kind, uint32_t access_bytes, uint64_t base,
                     const trace::AddressPattern& pattern) {
  ctas_.push_back(std::make_unique<trace::CtaTrace>());
  ctas_.back()->patterns.push_back(pattern);
  const uint32_t index = pattern.lanes == 0 ? trace::MemoryAccess::kNoAccess : 0;
  accesses_.push_back(std::make_unique<trace::MemoryAccess>(trace::MemoryAccess{base, index}));
  MemoryOp op;
  op.timing = timing;
  op.space = space;
  op.kind = kind;
  op.access_bytes = static_cast<uint8_t>(access_bytes);
  const uint32_t address_registers = space == MemorySpace::kGlobal ? 2 : 1;
  const bool carries_data = kind == MemoryKind::kStore || kind == MemoryKind::kAtomic || kind == MemoryKind::kReduction;
  op.operand_registers = static_cast<uint8_t>(address_registers + (carries_data ? (access_bytes + 3) / 4 : 0));
  op.thread_mask = ~0U;
  op.cta = ctas_.back().get();
  op.access = accesses_.back().get();
  return op;
}

MemoryOp Harness::copy(uint32_t access_bytes, uint64_t global_base, uint32_t shared_stride) {
  MemoryOp op = this->op(TimingClass::ldgsts, MemorySpace::kGlobal, MemoryKind::kAsyncCopy, access_bytes, global_base,
                         strided(access_bytes));
  ctas_.back()->patterns.push_back(strided(shared_stride));
  accesses_.push_back(std::make_unique<trace::MemoryAccess>(trace::MemoryAccess{0, 1}));
  op.shared_access = accesses_.back().get();
  op.operand_registers = 3;
  return op;
}

MemoryOp Harness::marker(uint16_t warp) {
  MemoryOp op;
  op.timing = TimingClass::ldgdepbar;
  op.warp = warp;
  return op;
}

uint32_t Harness::push(MemoryOp op, Cycle now) {
  run_until(now + 1);
  op.token = static_cast<uint32_t>(records_.size());
  records_.emplace_back();
  unit_.push(op, now);
  return op.token;
}

Cycle Harness::issue(MemoryOp op, Cycle earliest) {
  Cycle now = std::max(earliest, now_);
  run_until(now + 1);
  while (!unit_.has_room(op.subcore)) run_until(++now + 1);
  push(op, now);
  return now;
}

void Harness::collect() {
  std::vector<MemoryEvent> fresh;
  unit_.take_events(fresh);
  for (const MemoryEvent& e : fresh) {
    EXPECT_EQ(e.cycle, now_) << "an event comes at its cycle";
    events_.push_back(e);
    if (e.kind == EventKind::kQueueSlot) continue;
    Record& r = records_.at(e.token);
    Cycle& time = e.kind == EventKind::kSourcesRead     ? r.sources
                  : e.kind == EventKind::kResultWritten ? r.result
                                                        : r.retired;
    EXPECT_EQ(time, engine::kNever) << "an event comes once";
    EXPECT_EQ(r.retired == engine::kNever || &time == &r.retired, true) << "nothing comes after kRetired";
    time = e.cycle;
    if (e.kind == EventKind::kResultWritten) r.served = e.served_by;
  }
  unit_.take_requests(requests_);
  for (; !hold_replies && answered_ < requests_.size(); ++answered_) {
    const engine::MemoryRequest& request = requests_[answered_];
    EXPECT_LE(request.cycle, now_);
    answer(request, request.cycle + memory_cycles_, request.sectors);
  }
}

void Harness::answer(const engine::MemoryRequest& request, Cycle cycle, uint8_t sectors, engine::ServedBy served) {
  engine::MemoryReply reply;
  reply.cycle = cycle;
  reply.tag = request.tag;
  reply.line = request.line;
  reply.kind = request.kind;
  reply.sectors = sectors;
  reply.served_by = served;
  unit_.on_reply(reply, now_);
}

void Harness::run_until(Cycle end) {
  while (unit_.next() < end) {
    now_ = every_cycle ? now_ + 1 : unit_.next();
    unit_.advance(now_);
    collect();
  }
  now_ = std::max(now_, end - 1);
}

void Harness::drain() {
  while (unit_.next() != engine::kNever) run_until(unit_.next() + 1);
}

Cycle Harness::time(uint32_t token, EventKind kind) const {
  const Record& r = records_.at(token);
  return kind == EventKind::kSourcesRead ? r.sources : kind == EventKind::kResultWritten ? r.result : r.retired;
}

engine::ServedBy Harness::served_by(uint32_t token) const { return records_.at(token).served; }

}  // namespace smreplay::sm::test
