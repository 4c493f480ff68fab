#include "tests/unit/trace/GatherTrace.h"

#include <array>
#include <bit>
#include <functional>
#include <map>

namespace smreplay::trace {

namespace {

constexpr uint32_t kTokensPerTile = 16;
constexpr uint32_t kTokens = 1U << 20U;
constexpr uint32_t kPage = 64;
constexpr uint64_t kPageBytes = 37440;  // 64 * (576 + 8), padded to a multiple of 576
constexpr uint32_t kTopk = 512;
constexpr uint32_t kFiller = 4;  // instructions without memory after each access
constexpr uint64_t kCache = 0x7f1000000000;
constexpr uint64_t kIndices = 0x7f0000000000;

enum class Site { kIndices, kRow, kScale, kRope, kSharedStore, kSharedLoad, kEpilogue };
struct Group {
  Site site;
  uint32_t count;
};
constexpr std::array<Group, 6> kLoop = {{{Site::kIndices, 2},
                                         {Site::kRow, 112},
                                         {Site::kScale, 56},
                                         {Site::kRope, 4},
                                         {Site::kSharedStore, 64},
                                         {Site::kSharedLoad, 160}}};
constexpr uint32_t kEpilogueStores = 36;

uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 31U)) * 0x7fb5d329728ea185U;
  x = (x ^ (x >> 27U)) * 0x81dadef4bc2dd44dU;
  return x ^ (x >> 33U);
}

uint64_t row(uint32_t token) { return kCache + token / kPage * kPageBytes + token % kPage * 576; }
uint64_t scale(uint32_t token) { return kCache + token / kPage * kPageBytes + kPage * 576 + token % kPage * 8; }

isa::Instruction instruction(uint32_t index, isa::MemorySpace space, isa::MemoryKind kind) {
  isa::Instruction i;
  i.pc = index * isa::kInstructionBytes;
  i.space = space;
  i.memory = kind;
  return i;
}

class Builder {
 public:
  explicit Builder(CtaTrace& cta) : cta_(cta) {}
  using Address = std::function<int64_t(uint32_t lane)>;  // negative: the lane does not access
  MemoryAccess access(const Address& address) {
    AddressPattern p;
    MemoryAccess a;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      const int64_t at = address(lane);
      if (at < 0) continue;
      if (p.lanes == 0) a.base = static_cast<uint64_t>(at);
      p.lanes |= 1U << lane;
      p.offset[lane] = static_cast<int32_t>(at - static_cast<int64_t>(a.base));
    }
    if (p.lanes == 0) return MemoryAccess{};
    std::string key(reinterpret_cast<const char*>(&p), sizeof p);
    const auto [found, fresh] = known_.emplace(std::move(key), cta_.patterns.size());
    if (fresh) cta_.patterns.push_back(p);
    a.pattern = found->second;
    return a;
  }

 private:
  CtaTrace& cta_;
  std::map<std::string, uint32_t> known_;
};

}  // namespace

isa::Program gather_program() {
  isa::Program program;
  program.kernel = "gather";
  program.sm = 120;
  const auto add = [&](isa::MemorySpace space, isa::MemoryKind kind) {
    program.instructions.push_back(instruction(static_cast<uint32_t>(program.instructions.size()), space, kind));
  };
  const auto add_sites = [&](Site site, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      if (site == Site::kRow) add(isa::MemorySpace::kGlobal, isa::MemoryKind::kAsyncCopy);
      if (site == Site::kSharedStore) add(isa::MemorySpace::kShared, isa::MemoryKind::kStore);
      if (site == Site::kSharedLoad) add(isa::MemorySpace::kShared, isa::MemoryKind::kLoad);
      if (site == Site::kEpilogue) add(isa::MemorySpace::kGlobal, isa::MemoryKind::kStore);
      if (site == Site::kIndices || site == Site::kScale || site == Site::kRope) {
        add(isa::MemorySpace::kGlobal, isa::MemoryKind::kLoad);
      }
      for (uint32_t f = 0; f < kFiller; ++f) add(isa::MemorySpace::kNone, isa::MemoryKind::kNone);
    }
  };
  for (const Group& group : kLoop) add_sites(group.site, group.count);
  add_sites(Site::kEpilogue, kEpilogueStores);
  program.lines.resize(program.instructions.size());
  return program;
}

Result<std::shared_ptr<const CtaTrace>> GatherSource::next() {
  if (cta_ == shape_.requests * shape_.splits) return std::shared_ptr<const CtaTrace>();
  auto cta = std::make_shared<CtaTrace>();
  cta->linear_id = cta_;
  const uint32_t request = cta_ % shape_.requests;
  const uint32_t split = cta_ / shape_.requests;
  ++cta_;
  const uint32_t tiles = split + 1 == shape_.splits ? 2 : shape_.tiles;
  Builder builder(*cta);

  uint32_t loop_instructions = 0;
  for (const Group& group : kLoop) loop_instructions += group.count * (1 + kFiller);
  auto path = std::make_shared<Path>();
  for (uint32_t t = 0; t < tiles; ++t) path->runs.push_back({0, loop_instructions, ~0U});
  path->runs.back().count += kEpilogueStores * (1 + kFiller);
  for (const PathRun& run : path->runs) path->instructions += run.count;

  cta->warps.resize(shape_.warps);
  for (uint32_t w = 0; w < shape_.warps; ++w) {
    WarpTrace& warp = cta->warps[w];
    warp.path = path;
    const auto add = [&](const Builder::Address& address) { warp.accesses.push_back(builder.access(address)); };
    for (uint32_t t = 0; t < tiles; ++t) {
      const uint64_t first = uint64_t{request} * kTopk + (uint64_t{split} * shape_.tiles + t) * kTokensPerTile;
      std::array<int64_t, kTokensPerTile> token{};
      for (uint32_t i = 0; i < kTokensPerTile; ++i) {
        const uint64_t hash = mixed(first + i + 1);
        token[i] = hash / kTokens % 1000 < shape_.masked_per_mille ? -1 : static_cast<int64_t>(hash % kTokens);
      }
      const auto in_token = [&](uint32_t i, uint64_t (*of)(uint32_t), uint64_t offset) -> int64_t {
        return token[i] < 0 ? -1 : static_cast<int64_t>(of(static_cast<uint32_t>(token[i])) + offset);
      };
      for (uint32_t i = 0; i < 2; ++i) {
        add([&](uint32_t lane) { return static_cast<int64_t>(kIndices + 4 * (first + lane % 8 + 8 * i)); });
      }
      for (uint32_t i = 0; i < 112; ++i) {  // 4 tokens x 8 lanes x 4 bytes; warps take every fourth column
        add([&](uint32_t lane) {
          return in_token(i % 4 * 4 + lane / 8, row, (i / 4 * 4 + w) % 28 * 16 + lane % 8 * 4);
        });
        add([&](uint32_t lane) { return int64_t{t % 2 * 16384 + i * 128 + w * 4 + lane * 16}; });
      }
      for (uint32_t i = 0; i < 56; ++i) {  // one byte per token, the same for the lanes of the token
        add([&](uint32_t lane) { return in_token(i % 2 * 8 + lane / 4, scale, i / 8); });
      }
      for (uint32_t i = 0; i < 4; ++i) {  // 4 tokens x 8 lanes x 16 bytes
        add([&](uint32_t lane) { return in_token(i * 4 + lane / 8, row, 448 + lane % 8 * 16); });
      }
      for (uint32_t i = 0; i < 64; ++i) {
        add([&](uint32_t lane) { return int64_t{40000 + i * 512 + w * 8192 + (lane ^ i) % 32 * 16}; });
      }
      for (uint32_t i = 0; i < 160; ++i) {
        add([&](uint32_t lane) { return int64_t{t % 2 * 16384 + i * 256 + lane % 8 * 144 + lane / 8 * 16}; });
      }
    }
    for (uint32_t i = 0; i < kEpilogueStores; ++i) {
      add([&](uint32_t lane) {
        return static_cast<int64_t>(kIndices * 2 + (uint64_t{cta->linear_id} * 36 + i) * 2048 + w * 512 + lane * 16);
      });
    }
  }
  return std::shared_ptr<const CtaTrace>(std::move(cta));
}

}  // namespace smreplay::trace
