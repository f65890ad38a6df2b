// SHA-256 (FIPS 180-4): for tokens, and for keys that strangers choose, where a collision would
// hand one of them what belongs to another.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace armature {

using Sha256 = std::array<std::uint8_t, 32>;

Sha256 sha256(std::string_view bytes);
std::string hexadecimal(const Sha256& hash);  // 64 digits

}  // namespace armature
