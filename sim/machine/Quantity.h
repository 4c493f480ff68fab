// Numbers with units: a machine file says 128 MiB where the model counts bytes.
//
// Units convert within a kind (byte, KiB, MiB, GiB; kHz, MHz, GHz); all others ("cycle", "warp", ...) must match the
// schema's. Conversions are exact: what is no whole number of canonical units is an error, never rounded.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace smreplay::machine {

// How many canonical units one `unit` is; nothing where they are not of one kind.
std::optional<uint64_t> unit_factor(std::string_view unit, std::string_view canonical);

// "128MiB", "2.617 GHz", "37", "37 cycle" -> canonical units. A number without unit counts canonical units. Nothing
// where the text is no number, the unit is of another kind, or the value is negative, fractional or beyond 64 bits.
std::optional<uint64_t> parse_quantity(std::string_view text, std::string_view canonical);

}  // namespace smreplay::machine
