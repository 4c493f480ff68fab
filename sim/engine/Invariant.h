// Checks that hold in every run. A failed check is a bug of the model: the run ends with exit code 70 and says which
// invariant broke, where and when. Checks are cheap enough to stay on in Release builds.
#pragma once

#include <stdexcept>
#include <string>

namespace smreplay::engine {

class InvariantBroken : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// The model reached a limit (deadlock, cycle cap): exit code 5.
class ModelLimit : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[noreturn]] inline void broken(const std::string& what) { throw InvariantBroken(what); }

}  // namespace smreplay::engine
