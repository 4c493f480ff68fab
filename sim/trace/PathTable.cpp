#include "sim/trace/PathTable.h"

#include "sim/trace/Hash.h"

namespace smreplay::trace {

std::vector<uint32_t> sites_of(const Path& path, const SiteTable& table) {
  std::vector<uint32_t> sites;
  sites.reserve(table.accesses(path));
  for (const PathRun& run : path.runs) {
    const uint32_t end = table.sites_before(run.first + run.count);
    for (uint32_t s = table.sites_before(run.first); s < end; ++s) sites.push_back(s);
  }
  return sites;
}

namespace {
uint64_t hash(const Path& path) {
  uint64_t h = path.runs.size();
  for (const PathRun& run : path.runs) {
    h = mix(h, uint64_t{run.first} << 32U | run.count);
    h = mix(h, run.active_mask);
  }
  for (const uint32_t mask : path.guard_masks) h = mix(h, mask);
  return h;
}
}  // namespace

void PathTable::add(KnownPathPtr path) {
  words_ += path->path->runs.size() + path->path->guard_masks.size() + path->sites.size();
  paths_.push_back(std::move(path));
}

void PathTable::clear() {
  paths_.clear();
  by_hash_.clear();
  words_ = 0;
}

std::optional<uint32_t> PathTable::find(const Path& path) const {
  const auto [first, last] = by_hash_.equal_range(hash(path));
  for (auto it = first; it != last; ++it) {
    const Path& known = *paths_[it->second]->path;
    if (&known == &path || known == path) return it->second;
  }
  return std::nullopt;
}

void PathTable::index(uint32_t id) { by_hash_.emplace(hash(*paths_[id]->path), id); }

}  // namespace smreplay::trace
