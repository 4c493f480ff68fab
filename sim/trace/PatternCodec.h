// Writes and reads the definition of an address pattern in two columns: its shape, which repeats, and its gaps, which
// for a gather are as random as the rows that it fetches.
//
// Of the accessing lanes, g consecutive ones form a group; g is a power of two such that all groups look the same
// inside (the 16-byte pieces of one row), the one that takes the fewest bytes. Shape: which lanes, g, the differences
// between neighbours inside a group as runs of equal ones, and how many low zero bits all gaps share. Gaps: the
// differences between the last lane of a group and the first of the next, without those zero bits.
#pragma once

#include "sim/trace/ByteStream.h"
#include "sim/trace/CtaTrace.h"

namespace smreplay::trace {

// Precondition: is_canonical(pattern).
void encode_pattern(const AddressPattern& pattern, ByteWriter& shapes, ByteWriter& gaps);
// Throws Corrupt. The result is canonical.
AddressPattern decode_pattern(ByteReader& shapes, ByteReader& gaps);

}  // namespace smreplay::trace
