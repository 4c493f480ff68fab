// Faults of the emulator that are the launch's: a buffer too small for what the kernel accesses, an argument that does
// not fit. The emulator is given a Program and a launch and cannot tell which of them is wrong (exit 4, bad input); on
// the command line the launch is the file that somebody wrote, and what is wrong with it is exit 3, with its name.
#pragma once

#include <filesystem>
#include <memory>

#include "sim/isa/Result.h"
#include "sim/trace/CtaTrace.h"

namespace smreplay::tool {

// The error as one of the launch file where its code is such a fault's; else as it was.
Error as_launch_fault(Error error, const std::filesystem::path& launch_file);

// The same CTAs; errors as above.
std::unique_ptr<trace::CtaSource> with_launch_faults(std::unique_ptr<trace::CtaSource> source,
                                                     const std::filesystem::path& launch_file);

}  // namespace smreplay::tool
