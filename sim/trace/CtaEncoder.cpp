#include "sim/trace/CtaEncoder.h"

#include <algorithm>

#include "sim/trace/PatternCodec.h"

namespace smreplay::trace {

namespace {

// How far back a reference is looked for, in accesses of the warp, and how far away it may lie, in bytes: within a row
// or a page, not somewhere in the same buffer. Both only steer the writer.
constexpr size_t kSearchWindow = 96;
constexpr uint64_t kSameRow = 1U << 12U;
constexpr uint64_t kSamePage = 1U << 20U;

Error invalid(const std::string& where, const std::string& what) {
  return Error{ExitCode::kBadInput, "trace-invalid", where + ": " + what + "; the source of the trace is at fault", {}};
}

Error too_large(const std::string& where, const std::string& what) {
  return Error{ExitCode::kBadInput, "trace-too-large", where + ": " + what + "; use a smaller launch", {}};
}

uint64_t distance_between(uint64_t a, uint64_t b) { return std::min(a - b, b - a); }

template <class T>
void encode_runs(const std::vector<T>& values, ByteWriter& out) {
  out.varint(values.size());
  for (size_t i = 0; i < values.size();) {
    size_t end = i + 1;
    while (end < values.size() && values[end] == values[i]) ++end;
    out.varint(end - i);
    out.varint(values[i]);
    i = end;
  }
}

}  // namespace

Status CtaEncoder::check_path(const Path& path, const std::string& where) const {
  uint64_t instructions = 0;
  for (const PathRun& run : path.runs) {
    if (!model_.sites.contains(run)) return invalid(where, "a run leaves the Program");
    instructions += run.count;
  }
  if (instructions != path.instructions)
    return invalid(where, "the path's instruction count is not the sum of its runs");
  if (path.guard_masks.size() != model_.sites.guards(path)) {
    return invalid(where, "the path has " + std::to_string(path.guard_masks.size()) + " guard masks, its code needs " +
                              std::to_string(model_.sites.guards(path)));
  }
  return Ok{};
}

Status CtaEncoder::check(const CtaTrace& cta) const {
  const std::string cta_name = "CTA " + std::to_string(cta.linear_id);
  if (cta.warps.empty() || cta.warps.size() > kMaxWarpsPerCta) {
    return invalid(cta_name,
                   "has " + std::to_string(cta.warps.size()) + " warps, not 1 to " + std::to_string(kMaxWarpsPerCta));
  }
  if (cta.warps.size() * model_.sites.sites() > kMaxWarpSites)
    return too_large(cta_name, "has too much code and warps");
  uint64_t accesses = 0;
  uint64_t words = 0;
  for (size_t w = 0; w < cta.warps.size(); ++w) {
    const WarpTrace& warp = cta.warps[w];
    const std::string where = cta_name + ", warp " + std::to_string(w);
    if (warp.path == nullptr) return invalid(where, "has no path");
    const WarpHistory* previous = model_.previous_cta(w);
    if (previous == nullptr || previous->accesses.path->path != warp.path) {
      if (Status status = check_path(*warp.path, where); !status) return status;
      words += warp.path->runs.size() + warp.path->guard_masks.size() + model_.sites.accesses(*warp.path);
    }
    if (warp.accesses.size() != model_.sites.accesses(*warp.path)) {
      return invalid(where, "has " + std::to_string(warp.accesses.size()) + " accesses, its path needs " +
                                std::to_string(model_.sites.accesses(*warp.path)));
    }
    for (const MemoryAccess& access : warp.accesses) {
      if (access.pattern != MemoryAccess::kNoAccess && access.pattern >= cta.patterns.size()) {
        return invalid(where, "an access names a pattern that the CTA lacks");
      }
    }
    accesses += warp.accesses.size();
    words += warp.generic_spaces.size() + warp.barrier_values.size();
  }
  if (accesses > kMaxAccessesPerCta || words > kMaxPathWordsPerCta || cta.patterns.size() > kMaxPatternsPerCta) {
    return too_large(cta_name, "has more accesses, patterns or path than the format allows");
  }
  for (const AddressPattern& pattern : cta.patterns) {
    if (!is_canonical(pattern)) return invalid(cta_name, "a pattern is not relative to its lowest accessing lane");
  }
  return Ok{};
}

Status CtaEncoder::add(const CtaTrace& cta) {
  if (Status status = check(cta); !status) return status;
  model_.start_cta(cta.warps.size());
  numbers_.assign(cta.patterns.size(), kNoPattern);
  columns_.warps.varint(cta.warps.size());
  for (size_t w = 0; w < cta.warps.size(); ++w) {
    encode_path(w, cta.warps[w].path);
    encode_accesses(w, cta);
    encode_extras(w, cta.warps[w]);
    instructions_ += cta.warps[w].path->instructions;
    accesses_ += cta.warps[w].accesses.size();
  }
  warps_ += cta.warps.size();
  model_.end_cta();
  return Ok{};
}

void CtaEncoder::encode_path(size_t warp, const std::shared_ptr<const Path>& path) {
  KnownPathPtr& known = model_.current[warp].accesses.path;
  const auto is = [&](const WarpHistory* history) {
    if (history == nullptr) return false;
    const std::shared_ptr<const Path>& other = history->accesses.path->path;
    return other == path || *other == *path;
  };
  if (is(model_.previous_cta(warp))) {
    columns_.warps.varint(static_cast<uint64_t>(PathWay::kSameAsPreviousCta));
    known = model_.previous_cta(warp)->accesses.path;
    return;
  }
  if (is(model_.previous_warp(warp))) {
    columns_.warps.varint(static_cast<uint64_t>(PathWay::kSameAsPreviousWarp));
    known = model_.previous_warp(warp)->accesses.path;
    return;
  }
  const uint32_t number = model_.paths.find(*path).value_or(model_.paths.size());
  columns_.warps.varint(static_cast<uint64_t>(PathWay::kFirstNumber) + number);
  if (number == model_.paths.size()) {
    model_.path_codec.encode(*path, model_.reference_path(warp), columns_.path_runs, columns_.path_guards);
    auto fresh = std::make_shared<KnownPath>();
    fresh->path = path;
    fresh->sites = sites_of(*path, model_.sites);
    model_.paths.add(std::move(fresh));
    model_.paths.index(number);
  }
  known = model_.paths.at(number);
}

void CtaEncoder::encode_accesses(size_t warp, const CtaTrace& cta) {
  model_.start_warp(warp);
  AccessHistory& history = model_.current[warp].accesses;
  AccessPredictor& predictor = model_.predictor;
  const std::vector<MemoryAccess>& accesses = cta.warps[warp].accesses;
  history.base.reserve(accesses.size());
  history.pattern.reserve(accesses.size());
  for (size_t i = 0; i < accesses.size(); ++i) {
    const MemoryAccess& access = accesses[i];
    const AddressPattern* fresh = nullptr;
    uint32_t pattern = kNoPattern;
    if (access.pattern != MemoryAccess::kNoAccess) {
      uint32_t& number = numbers_[access.pattern];
      if (number == kNoPattern) {
        const AddressPattern& definition = cta.patterns[access.pattern];
        number = model_.patterns.find(definition).value_or(model_.patterns.size());
        if (number == model_.patterns.size()) {
          model_.patterns.add_indexed(definition);
          fresh = &definition;
        }
      }
      pattern = number;
    }
    predictor.start_access(static_cast<uint32_t>(i));
    const bool pattern_hit = predictor.pattern(predictor.pattern_way()) == pattern && fresh == nullptr;
    const bool base_hit = pattern == kNoPattern || predictor.base(predictor.base_way()) == access.base;
    if (pattern_hit && base_hit) {
      ++hits_;
    } else {
      encode_miss(history, access.base, pattern, fresh);
    }
    history.base.push_back(predictor.learn(access.base, pattern));
    history.pattern.push_back(pattern);
  }
}

PatternWay CtaEncoder::choose_pattern(uint32_t pattern, bool fresh) const {
  const AccessPredictor& predictor = model_.predictor;
  if (fresh) return PatternWay::kNew;
  if (predictor.pattern(predictor.pattern_way()) == pattern) return predictor.pattern_way();
  for (const PatternWay way :
       {PatternWay::kPreviousCta, PatternWay::kReference, PatternWay::kPreviousWarp, PatternWay::kLast}) {
    if (predictor.pattern(way) == pattern) return way;
  }
  return pattern == kNoPattern ? PatternWay::kNone : PatternWay::kNumber;
}

BaseWay CtaEncoder::choose_base(const AccessHistory& history, uint64_t base, uint32_t pattern,
                                uint32_t& distance) const {
  const AccessPredictor& predictor = model_.predictor;
  if (pattern == kNoPattern || predictor.base(predictor.base_way()) == base) return predictor.base_way();
  for (const BaseWay way :
       {BaseWay::kPreviousCta, BaseWay::kPreviousWarp, BaseWay::kReference, BaseWay::kStride, BaseWay::kLast}) {
    if (predictor.base(way) == base) return way;
  }
  // An earlier access of this warp that lies near: best one with the same pattern, then any in the same row.
  uint64_t nearest = kSamePage;
  uint64_t nearest_any = kSameRow;
  uint32_t with_pattern = 0;
  uint32_t any = 0;
  const size_t size = history.base.size();
  for (size_t back = 1; back <= std::min(size, kSearchWindow); ++back) {
    if (history.pattern[size - back] == kNoPattern) continue;
    const uint64_t apart = distance_between(base, history.base[size - back]);
    if (history.pattern[size - back] == pattern && apart < nearest) {
      nearest = apart;
      with_pattern = static_cast<uint32_t>(back);
    }
    if (apart < nearest_any) {
      nearest_any = apart;
      any = static_cast<uint32_t>(back);
    }
  }
  distance = with_pattern != 0 ? with_pattern : any;
  if (distance != 0) return BaseWay::kNewReference;
  const uint64_t from_last = zigzag(static_cast<int64_t>(base - predictor.last()));
  const uint64_t from_cta = zigzag(static_cast<int64_t>(base - predictor.previous_cta()));
  return from_last <= from_cta ? BaseWay::kFromLast : BaseWay::kFromPreviousCta;
}

void CtaEncoder::encode_base(BaseWay way, const AccessHistory& history, uint64_t base, uint32_t distance) {
  const AccessPredictor& predictor = model_.predictor;
  uint64_t from = predictor.last();
  if (is_prediction(way)) return;
  if (way == BaseWay::kFromPreviousCta) from = predictor.previous_cta();
  if (way == BaseWay::kNewReference) {
    columns_.access_values.varint(distance);
    from = history.base[history.base.size() - distance];
  }
  columns_.access_values.signed_varint(static_cast<int64_t>(base - from));
}

void CtaEncoder::encode_miss(const AccessHistory& history, uint64_t base, uint32_t pattern,
                             const AddressPattern* fresh) {
  uint32_t distance = 0;
  const PatternWay pattern_way = choose_pattern(pattern, fresh != nullptr);
  const BaseWay base_way = choose_base(history, base, pattern, distance);
  columns_.access_ways.varint(std::exchange(hits_, 0));
  columns_.access_ways.byte(
      static_cast<uint8_t>(static_cast<uint32_t>(base_way) | static_cast<uint32_t>(pattern_way) << kPatternWayShift));
  if (pattern_way == PatternWay::kNumber) columns_.access_values.varint(pattern);
  if (pattern_way == PatternWay::kNew) encode_pattern(*fresh, columns_.pattern_shapes, columns_.pattern_gaps);
  encode_base(base_way, history, base, distance);
  model_.predictor.choose(base_way, pattern_way);
  if (base_way == BaseWay::kNewReference) model_.predictor.refer_back(distance);
}

void CtaEncoder::encode_extras(size_t warp, const WarpTrace& trace) {
  WarpHistory& history = model_.current[warp];
  const WarpHistory* previous = model_.previous_cta(warp);
  history.generic_spaces = trace.generic_spaces;
  history.barrier_values = trace.barrier_values;
  const bool same = previous != nullptr && previous->generic_spaces == trace.generic_spaces &&
                    previous->barrier_values == trace.barrier_values;
  columns_.extras.byte(same ? 1 : 0);
  if (same) return;
  encode_runs(trace.generic_spaces, columns_.extras);
  encode_runs(trace.barrier_values, columns_.extras);
}

size_t CtaEncoder::bytes() const {
  return columns_.warps.size() + columns_.path_runs.size() + columns_.path_guards.size() + columns_.access_ways.size() +
         columns_.access_values.size() + columns_.pattern_shapes.size() + columns_.pattern_gaps.size() +
         columns_.extras.size();
}

ColumnWriters CtaEncoder::take() {
  if (hits_ > 0) columns_.access_ways.varint(std::exchange(hits_, 0));
  return std::exchange(columns_, {});
}

}  // namespace smreplay::trace
