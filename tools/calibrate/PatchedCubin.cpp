#include "tools/calibrate/PatchedCubin.h"

#include <cstring>
#include <vector>

#include "sim/sass/ElfFile.h"

namespace smreplay::calibrate {

Result<std::string> patched_cubin(std::string image, const std::string& kernel, const BurstPatch& patch) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(image.data());
  const Result<sass::ElfFile> elf = sass::read_elf({bytes, image.size()});
  if (!elf) return elf.error();
  const sass::ElfSection* section = elf->find(".text." + kernel);
  if (section == nullptr) {
    return Error{ExitCode::kBadInput, "calibrate-patch", "the cubin has no kernel " + kernel};
  }
  const auto offset = static_cast<size_t>(section->data.data() - bytes);
  std::vector<Encoding> code(section->data.size() / sizeof(Encoding));
  std::memcpy(code.data(), image.data() + offset, code.size() * sizeof(Encoding));
  if (const auto order = patch_burst(code, patch); !order) return order.error();
  std::memcpy(image.data() + offset, code.data(), code.size() * sizeof(Encoding));
  return image;
}

}  // namespace smreplay::calibrate
