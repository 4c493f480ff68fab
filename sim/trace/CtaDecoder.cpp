#include "sim/trace/CtaDecoder.h"

#include <limits>

#include "sim/trace/PatternCodec.h"

namespace smreplay::trace {

namespace {

template <class T>
std::vector<T> decode_runs(ByteReader& in, uint64_t& words) {
  std::vector<T> values;
  const uint64_t count = in.bounded(words, "values");
  words -= count;
  while (values.size() < count) {
    const uint64_t run = in.bounded(count - values.size(), "equal values");
    if (run == 0) in.fail("holds an empty run");
    values.insert(values.end(), run, static_cast<T>(in.bounded(std::numeric_limits<T>::max(), "as a value")));
  }
  return values;
}

}  // namespace

void CtaDecoder::start_chunk(const ColumnReaders& columns) {
  columns_ = columns;
  hits_ = 0;
  miss_follows_ = false;
}

void CtaDecoder::end_chunk() {
  if (hits_ != 0 || miss_follows_) columns_.access_ways.fail("predicts accesses that no warp makes");
  for (const ByteReader* column :
       {&columns_.warps, &columns_.path_runs, &columns_.path_guards, &columns_.access_ways, &columns_.access_values,
        &columns_.pattern_shapes, &columns_.pattern_gaps, &columns_.extras}) {
    if (!column->at_end()) column->fail("goes on after the last CTA");
  }
}

std::shared_ptr<const CtaTrace> CtaDecoder::next(uint32_t linear_id) {
  ++ctas_;
  auto cta = std::make_shared<CtaTrace>();
  cta->linear_id = linear_id;
  const uint64_t warps = columns_.warps.bounded(kMaxWarpsPerCta, "warps");
  if (warps == 0) columns_.warps.fail("gives a CTA without warps");
  if (warps * model_.sites.sites() > kMaxWarpSites)
    columns_.warps.fail("gives more warps than such a Program may have");
  model_.start_cta(warps);
  cta->warps.resize(warps);
  Budget budget;
  for (size_t w = 0; w < warps; ++w) {
    WarpTrace& warp = cta->warps[w];
    decode_path(w, warp, budget);
    decode_accesses(w, *cta);
    decode_extras(w, warp, budget);
    instructions_ += warp.path->instructions;
    accesses_ += warp.accesses.size();
  }
  warps_ += warps;
  model_.end_cta();
  return cta;
}

void CtaDecoder::decode_path(size_t warp, WarpTrace& trace, Budget& budget) {
  const auto first_number = static_cast<uint64_t>(PathWay::kFirstNumber);
  const uint64_t way = columns_.warps.bounded(first_number + model_.paths.size(), "as a path");
  KnownPathPtr path;
  if (way == static_cast<uint64_t>(PathWay::kSameAsPreviousCta)) {
    if (const WarpHistory* history = model_.previous_cta(warp)) path = history->accesses.path;
  } else if (way == static_cast<uint64_t>(PathWay::kSameAsPreviousWarp)) {
    if (const WarpHistory* history = model_.previous_warp(warp)) path = history->accesses.path;
  } else {
    if (way == first_number + model_.paths.size()) {
      model_.paths.add(model_.path_codec.decode(model_.reference_path(warp), columns_.path_runs, columns_.path_guards,
                                                budget.path_words));
      ++distinct_paths_;
    }
    path = model_.paths.at(static_cast<uint32_t>(way - first_number));
  }
  if (path == nullptr) columns_.warps.fail("names the path of a warp that does not exist");
  if (path->sites.size() > budget.accesses) columns_.warps.fail("gives a CTA more accesses than the format allows");
  budget.accesses -= path->sites.size();
  trace.path = path->path;
  model_.current[warp].accesses.path = std::move(path);
}

void CtaDecoder::decode_accesses(size_t warp, CtaTrace& cta) {
  model_.start_warp(warp);
  AccessHistory& history = model_.current[warp].accesses;
  AccessPredictor& predictor = model_.predictor;
  std::vector<MemoryAccess>& accesses = cta.warps[warp].accesses;
  const size_t count = history.path->sites.size();
  accesses.resize(count);
  history.base.resize(count);
  history.pattern.resize(count);
  for (size_t i = 0; i < count; ++i) {
    predictor.start_access(static_cast<uint32_t>(i));
    uint32_t pattern = 0;
    uint64_t base = 0;
    if (hits_ == 0 && !miss_follows_) {
      hits_ = columns_.access_ways.varint();
      miss_follows_ = !columns_.access_ways.at_end();
      if (hits_ == 0 && !miss_follows_) columns_.access_ways.fail("ends early");
    }
    if (hits_ > 0) {
      --hits_;
      pattern = predictor.pattern(predictor.pattern_way());
      base = predictor.base(predictor.base_way());
    } else {
      miss_follows_ = false;
      const uint8_t ways = columns_.access_ways.byte();
      const auto base_way = static_cast<BaseWay>(ways & kWayMask);
      const uint32_t pattern_bits = static_cast<uint32_t>(ways) >> kPatternWayShift;
      if (pattern_bits > static_cast<uint32_t>(PatternWay::kNone)) columns_.access_ways.fail("holds an unknown way");
      const auto pattern_way = static_cast<PatternWay>(pattern_bits);
      uint32_t distance = 0;
      pattern = decode_pattern_number(pattern_way);
      base = decode_base(base_way, history, i, distance);
      predictor.choose(base_way, pattern_way);
      if (base_way == BaseWay::kNewReference) predictor.refer_back(distance);
    }
    history.base[i] = predictor.learn(base, pattern);
    history.pattern[i] = pattern;
    if (pattern != kNoPattern) accesses[i] = MemoryAccess{base, local_number(pattern, cta)};
  }
}

uint32_t CtaDecoder::decode_pattern_number(PatternWay way) {
  if (is_prediction(way)) return model_.predictor.pattern(way);
  if (way == PatternWay::kNone) return kNoPattern;
  if (way == PatternWay::kNumber) {
    const uint64_t number = columns_.access_values.varint();
    if (number >= model_.patterns.size()) columns_.access_values.fail("names an unknown pattern");
    return static_cast<uint32_t>(number);
  }
  if (model_.patterns.size() > kModelPatterns + kMaxPatternsPerCta) {
    columns_.pattern_shapes.fail("defines more patterns than the format allows");
  }
  model_.patterns.add(decode_pattern(columns_.pattern_shapes, columns_.pattern_gaps));
  return model_.patterns.size() - 1;
}

uint64_t CtaDecoder::decode_base(BaseWay way, const AccessHistory& history, size_t index, uint32_t& distance) {
  const AccessPredictor& predictor = model_.predictor;
  if (is_prediction(way)) return predictor.base(way);
  uint64_t from = predictor.last();
  if (way == BaseWay::kFromPreviousCta) from = predictor.previous_cta();
  if (way == BaseWay::kNewReference) {
    distance = static_cast<uint32_t>(columns_.access_values.bounded(index, "accesses back"));
    if (distance == 0) columns_.access_values.fail("refers an access to itself");
    from = history.base[index - distance];
  }
  return from + static_cast<uint64_t>(columns_.access_values.signed_varint());
}

uint32_t CtaDecoder::local_number(uint32_t pattern, CtaTrace& cta) {
  if (pattern >= local_.size()) {
    local_.resize(model_.patterns.size());
    local_cta_.resize(model_.patterns.size());
  }
  if (local_cta_[pattern] != ctas_) {
    if (cta.patterns.size() >= kMaxPatternsPerCta)
      columns_.access_ways.fail("gives a CTA more patterns than the format allows");
    local_cta_[pattern] = ctas_;
    local_[pattern] = static_cast<uint32_t>(cta.patterns.size());
    cta.patterns.push_back(model_.patterns.at(pattern));
  }
  return local_[pattern];
}

void CtaDecoder::decode_extras(size_t warp, WarpTrace& trace, Budget& budget) {
  WarpHistory& history = model_.current[warp];
  const uint8_t same = columns_.extras.byte();
  if (same > 1) columns_.extras.fail("holds an unknown mark");
  if (same == 1) {
    const WarpHistory* previous = model_.previous_cta(warp);
    if (previous == nullptr) columns_.extras.fail("refers to a CTA that does not exist");
    history.generic_spaces = previous->generic_spaces;
    history.barrier_values = previous->barrier_values;
    const uint64_t words = history.generic_spaces.size() + history.barrier_values.size();
    if (words > budget.path_words) columns_.extras.fail("gives a CTA more than the format allows");
    budget.path_words -= words;
  } else {
    history.generic_spaces = decode_runs<uint8_t>(columns_.extras, budget.path_words);
    history.barrier_values = decode_runs<uint32_t>(columns_.extras, budget.path_words);
  }
  trace.generic_spaces = history.generic_spaces;
  trace.barrier_values = history.barrier_values;
}

}  // namespace smreplay::trace
