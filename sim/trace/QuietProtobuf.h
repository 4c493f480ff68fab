// Protobuf writes to stderr when a message holds broken UTF-8 or lacks a field. This library never prints: what is
// wrong comes back as an Error.
#pragma once

#include <google/protobuf/message_lite.h>
#include <google/protobuf/stubs/logging.h>

#include <string>

namespace smreplay::trace {

inline bool parse_quietly(const std::string& bytes, google::protobuf::MessageLite& message) {
  const google::protobuf::LogSilencer silence;
  return message.ParseFromString(bytes);
}

}  // namespace smreplay::trace
