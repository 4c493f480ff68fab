// The paths met so far, each kept once; reader and writer number them alike, in the order of their definitions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sim/trace/CtaTrace.h"
#include "sim/trace/SiteTable.h"

namespace smreplay::trace {

struct KnownPath {
  std::shared_ptr<const Path> path;
  std::vector<uint32_t> sites;  // of each access, in order of execution
};
using KnownPathPtr = std::shared_ptr<const KnownPath>;

// The sites that a path accesses, in order. Precondition: its runs lie within the Program.
std::vector<uint32_t> sites_of(const Path& path, const SiteTable& table);

class PathTable {
 public:
  uint32_t size() const { return static_cast<uint32_t>(paths_.size()); }
  const KnownPathPtr& at(uint32_t id) const { return paths_[id]; }
  uint64_t words() const { return words_; }  // runs, guard masks and accesses of all paths
  void add(KnownPathPtr path);
  void clear();

  // The writer's side: the number of an equal path. Paths must have been added with `index`.
  std::optional<uint32_t> find(const Path& path) const;
  void index(uint32_t id);

 private:
  std::vector<KnownPathPtr> paths_;
  std::unordered_multimap<uint64_t, uint32_t> by_hash_;
  uint64_t words_ = 0;
};

}  // namespace smreplay::trace
