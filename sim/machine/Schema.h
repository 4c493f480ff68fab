// The keys of a machine file, from the descriptors of machine.proto: paths such as "l2.bytes" and
// "timing.ldg.latency_64", each of them one leaf message (Integer, IntegerList, Text, Flag).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/machine.pb.h"

namespace smreplay::machine {

enum class LeafKind : uint8_t { kInteger, kIntegerList, kText, kFlag };

struct Key {
  std::string path;
  std::vector<const google::protobuf::FieldDescriptor*> fields;  // from MachineSpec down to the leaf
  LeafKind kind = LeafKind::kInteger;
  std::string unit;           // canonical; empty for Text and Flag
  uint64_t min = 0, max = 0;  // allowed range in canonical units
  uint32_t count = 0;         // values of an IntegerList; 0: any but none
  bool choice = false;        // a choice, not a quantity
};

// All keys in schema order, which is the canonical order.
const std::vector<Key>& all_keys();
const Key* find_key(std::string_view path);
std::vector<std::string> key_paths();

// The comment of the key's field in machine.proto, in one paragraph.
std::string documentation(const Key& key);

// The leaf of `key` in `spec`; null where it or a message on the way is absent. `mutable_leaf` creates what is absent.
const google::protobuf::Message* leaf(const spec::MachineSpec& spec, const Key& key);
google::protobuf::Message* mutable_leaf(spec::MachineSpec& spec, const Key& key);

// One cell of the hazard table, "hazards.raw.alu.dual": the key of its row and its place there. Nothing for other
// paths.
struct HazardCell {
  const Key* row = nullptr;
  int column = 0;
};
std::optional<HazardCell> find_hazard_cell(const std::string& path);

// Names of the hazard groups in the order of the table's columns: "none", "fma", ...
const std::vector<std::string>& hazard_groups();

}  // namespace smreplay::machine
