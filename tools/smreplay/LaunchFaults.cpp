#include "tools/smreplay/LaunchFaults.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace smreplay::tool {
namespace {

constexpr std::array<std::string_view, 4> kFaults = {"launch-buffer", "launch-parameter", "memory-misaligned",
                                                     "memory-outside-buffers"};

class FaultingSource : public trace::CtaSource {
 public:
  FaultingSource(std::unique_ptr<trace::CtaSource> source, std::filesystem::path launch_file)
      : source_(std::move(source)), launch_file_(std::move(launch_file)) {}

  Result<std::shared_ptr<const trace::CtaTrace>> next() override {
    Result<std::shared_ptr<const trace::CtaTrace>> cta = source_->next();
    if (cta) return cta;
    return as_launch_fault(cta.error(), launch_file_);
  }

 private:
  std::unique_ptr<trace::CtaSource> source_;
  std::filesystem::path launch_file_;
};

}  // namespace

Error as_launch_fault(Error error, const std::filesystem::path& launch_file) {
  if (std::find(kFaults.begin(), kFaults.end(), error.code) == kFaults.end()) return error;
  error.exit = ExitCode::kBadConfiguration;
  if (error.file.empty()) {
    error.file = launch_file.string();
  } else {  // the place in the kernel's source
    error.message += " (launch file: " + launch_file.string() + ")";
  }
  return error;
}

std::unique_ptr<trace::CtaSource> with_launch_faults(std::unique_ptr<trace::CtaSource> source,
                                                     const std::filesystem::path& launch_file) {
  return std::make_unique<FaultingSource>(std::move(source), launch_file);
}

}  // namespace smreplay::tool
