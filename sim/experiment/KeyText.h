// What keys are made of: the bytes of a file, the text of a launch.
#pragma once

#include <google/protobuf/text_format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "sim/trace/launch.pb.h"

namespace smreplay::experiment {

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

inline std::string text_of(const trace::proto::LaunchSpec& launch) {
  std::string text;
  google::protobuf::TextFormat::PrintToString(launch, &text);
  return text;
}

}  // namespace smreplay::experiment
