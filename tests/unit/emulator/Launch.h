// Launches for tests: a program with buffers, built in a line or two.
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/emulator/Emulator.h"
#include "tests/unit/emulator/Assemble.h"

namespace smreplay::emulator::test {

class Launch {
 public:
  Launch(const std::string& text, uint32_t threads, uint32_t ctas = 1, uint32_t sm = 120)
      : program(assemble(sm, text)) {
    spec.mutable_grid()->set_x(ctas);
    spec.mutable_block()->set_x(threads);
  }

  // A buffer that is also the next parameter, at c[0x0][0x380 + 8 * n].
  Launch& buffer(const std::string& name, const std::vector<uint32_t>& words) {
    auto* b = spec.add_buffers();
    b->set_name(name);
    b->set_bytes(words.size() * 4);
    std::vector<uint8_t> bytes(words.size() * 4);
    std::memcpy(bytes.data(), words.data(), bytes.size());
    options.preload.push_back({name, std::move(bytes)});
    spec.add_arguments()->set_buffer(name);
    const auto n = static_cast<uint32_t>(program.parameters.size());
    program.parameters.push_back({n, 8 * n, 8});
    program.parameter_bytes = 8 * (n + 1);
    return *this;
  }

  Status run() {
    auto created = Emulator::create(program, spec, options);
    if (!created) return created.error();
    emulator = std::move(*created);
    for (;;) {
      auto cta = emulator->next();
      if (!cta) return cta.error();
      if (*cta == nullptr) return Ok{};
      traces.push_back(*cta);
    }
  }

  std::vector<uint32_t> words(const std::string& name) const {
    const auto bytes = emulator->buffer(name);
    std::vector<uint32_t> result(bytes.size() / 4);
    std::memcpy(result.data(), bytes.data(), bytes.size());
    return result;
  }

  isa::Program program;
  trace::proto::LaunchSpec spec;
  Options options;
  std::unique_ptr<Emulator> emulator;
  std::vector<std::shared_ptr<const trace::CtaTrace>> traces;
};

// R0 = thread, R2:R3 = address of word `thread` of the first buffer.
inline const std::string kThreadWord = "S2R R0, SR_TID.X\nLDC.64 R2, c[0x0][0x380]\nIMAD.WIDE.U32 R2, R0, 0x4, R2\n";

}  // namespace smreplay::emulator::test
