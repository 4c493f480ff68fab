// The C++ runtime is linked statically, and its std::random_device asks for arc4random, which glibc has since 2.36.
// With this one the binary also runs where glibc is 2.35 (Ubuntu 22.04): a kit goes to machines that we do not know.
// Nothing here draws random numbers; the symbol only has to be there.
#include <sys/random.h>

#include <cstdint>

extern "C" uint32_t arc4random() {  // NOLINT(readability-identifier-naming)
  uint32_t value = 0;
  while (getrandom(&value, sizeof value, 0) != static_cast<ssize_t>(sizeof value)) {
  }
  return value;
}
