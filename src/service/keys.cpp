#include "service/keys.h"

#include <fmt/format.h>

#include <cstring>

#include "base/sha256.h"
#include "service/refusal.h"

namespace armature::service {
namespace {

constexpr std::size_t kKeyBytes = 16;
constexpr std::size_t kBodyBytes = 4;
constexpr std::size_t kLongestKey = 128;

std::string first_bytes(const std::string& text, std::size_t count) {
  const Sha256 hash = sha256(text);
  return {reinterpret_cast<const char*>(hash.data()), count};
}

}  // namespace

KeyHash key_hash(const std::string& key, const std::string& body) {
  if (key.empty()) return "";
  if (key.size() > kLongestKey)
    throw Refusal(RefusalKind::kField, {"", "Idempotency-Key", fmt::format("{} bytes", key.size()),
                                        fmt::format("at most {}", kLongestKey)});
  return first_bytes(key, kKeyBytes) + first_bytes(body, kBodyBytes);
}

RecentKeys::Words RecentKeys::words_of(const KeyHash& key) {
  ARMATURE_CHECK(key.size() == kKeyBytes + kBodyBytes, "a key is stored as 20 bytes");
  Words words;
  std::memcpy(words.data(), key.data(), sizeof words);
  return words;
}

std::uint32_t RecentKeys::body_of(const KeyHash& key) {
  std::uint32_t body = 0;
  std::memcpy(&body, key.data() + kKeyBytes, sizeof body);
  return body;
}

RecentKeys::Found RecentKeys::find(const KeyHash& key) const {
  const auto found = known_.find(words_of(key));
  if (found == known_.end()) return {};
  return {found->second.seq, found->second.body == body_of(key)};
}

bool RecentKeys::add_older(const KeyHash& key, Sequence seq, Time time) {
  if (in_order_.size() >= kMost ||
      (in_order_.size() >= kLeast && time < in_order_.back().time - kWindow))
    return false;
  known_.try_emplace(words_of(key), Entry{seq, body_of(key)});  // the newest counts
  in_order_.push_front({words_of(key), seq, time});
  return true;
}

void RecentKeys::add(const KeyHash& key, Sequence seq, Time time) {
  known_[words_of(key)] = {seq, body_of(key)};
  in_order_.push_back({words_of(key), seq, time});
  while (in_order_.size() > kMost ||
         (in_order_.size() > kLeast && in_order_.front().time < time - kWindow)) {
    const Ordered& oldest = in_order_.front();
    const auto known = known_.find(oldest.words);
    if (known->second.seq == oldest.seq) known_.erase(known);  // else it has come anew
    in_order_.pop_front();
  }
}

}  // namespace armature::service
