// message Fill (sim/trace/launch.proto) -> FillSpec. Apart from fill.h because that one is also compiled by nvcc.
#pragma once

#include <bit>

#include "kernels/common/fill.h"
#include "sim/trace/launch.pb.h"

namespace smreplay::kernels {

// A buffer without contents is poisoned: a kernel that reads what nobody wrote gets the same bytes everywhere.
inline FillSpec fill_from_proto(const trace::proto::Buffer& buffer) {
  using trace::proto::Fill;
  FillSpec spec;
  if (!buffer.has_fill()) return spec;
  const Fill& fill = buffer.fill();
  spec.seed = fill.seed();
  switch (fill.kind_case()) {
    case Fill::kZero:
      spec.kind = FillKind::Zero;
      break;
    case Fill::kByte:
      spec.kind = FillKind::Byte;
      spec.value = fill.byte().value();
      break;
    case Fill::kRandomU32:
      spec.kind = FillKind::RandomU32;
      spec.value = fill.random_u32().modulus();
      break;
    case Fill::kRandomBf16:
      spec.kind = FillKind::RandomBf16;
      spec.max_exponent = fill.random_bf16().max_exponent();
      break;
    case Fill::kKvPages:
      spec.kind = FillKind::KvPages;
      spec.page_size = fill.kv_pages().page_size();
      break;
    case Fill::kIndices:
      spec.kind = FillKind::Indices;
      spec.tokens = fill.indices().tokens();
      spec.row_length = fill.indices().row_length();
      spec.valid = fill.indices().valid();
      spec.masked_per_mille = fill.indices().masked_per_mille();
      break;
    case Fill::kConstantU32:
      spec.kind = FillKind::ConstantU32;
      spec.value = fill.constant_u32().value();
      break;
    case Fill::kRandomF32:
      spec.kind = FillKind::RandomF32;
      spec.max_exponent = fill.random_f32().max_exponent();
      break;
    case Fill::kConstantF32:
      spec.kind = FillKind::ConstantU32;
      spec.value = std::bit_cast<uint32_t>(fill.constant_f32().value());
      break;
    case Fill::KIND_NOT_SET:
      break;
  }
  return spec;
}

}  // namespace smreplay::kernels
