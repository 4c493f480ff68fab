// The byte columns of a chunk of CTAs, as the encoder writes them; the decoder reads the same ones. docs/FORMATS.md
// gives the contents of each.
#pragma once

#include "sim/trace/ByteStream.h"

namespace smreplay::trace {

template <class Column>
struct ChunkColumns {
  Column warps;      // per CTA: number of warps; per warp: PathWay or path number
  Column path_runs;  // definitions of paths
  Column path_guards;
  Column access_ways;     // (accesses predicted right, way byte of the next one)*
  Column access_values;   // differences, distances, pattern numbers
  Column pattern_shapes;  // definitions of patterns
  Column pattern_gaps;
  Column extras;  // generic spaces and barrier values
};

using ColumnWriters = ChunkColumns<ByteWriter>;
using ColumnReaders = ChunkColumns<ByteReader>;

// A way byte: base way in bits 0..2, pattern way in bits 3..5.
inline constexpr uint32_t kPatternWayShift = 3;
inline constexpr uint8_t kWayMask = 7;

}  // namespace smreplay::trace
