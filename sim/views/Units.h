// Numbers as people read them. All views use these, so that a quantity looks the same everywhere.
#pragma once

#include <cstdint>
#include <string>

namespace smreplay::views {

std::string with_separators(uint64_t value);     // 1,234,567
std::string percent(double part, double whole);  // "12.3 %"; "-" where the whole is 0
std::string duration(double seconds);            // "812 ns", "34.5 us", "1.20 ms", "3.4 s"
std::string bytes(double count);                 // "512 B", "60.1 KiB", "4.00 MiB", "1.30 GiB"
std::string bytes_per_second(double rate);       // "1.79 TB/s" (1000)
std::string clock(uint64_t khz);                 // "2.42 GHz"

// Ten characters, filled in proportion: "######....".
std::string bar(double part, double whole);

}  // namespace smreplay::views
