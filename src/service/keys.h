// The keys of recent decides: the same key again is answered by the decision made then.
#pragma once

#include <array>
#include <deque>
#include <string>
#include <unordered_map>

#include "service/event.h"

namespace armature::service {

/// What is stored of a client's key and of what it asked. Throws Refusal beyond 128 bytes.
KeyHash key_hash(const std::string& key, const std::string& body);

/// A key is known for ten minutes and as long as it is among the last 100,000; of more than a
/// million the oldest go before their time, so that memory stays within bounds. Old ones go when
/// new ones come: what is known depends on events alone.
class RecentKeys {
 public:
  static constexpr Time kWindow = 10 * kMinute;
  static constexpr std::size_t kLeast = 100'000;
  static constexpr std::size_t kMost = 1'000'000;

  struct Found {
    Sequence seq = 0;        // of the decision; 0: the key is new
    bool same_body = false;  // it asked the same then
  };
  Found find(const KeyHash& key) const;
  void add(const KeyHash& key, Sequence seq, Time time);
  /// One from before all that are known, as they are read from the log, newest first. False: it is
  /// too old to be known.
  bool add_older(const KeyHash& key, Sequence seq, Time time);
  std::size_t size() const { return in_order_.size(); }
  /// Of the decisions whose keys are known the first; 0: none is.
  Sequence oldest() const { return in_order_.empty() ? 0 : in_order_.front().seq; }

 private:
  using Words = std::array<std::uint64_t, 2>;
  struct HashWords {
    std::size_t operator()(const Words& words) const { return words[0]; }  // is a hash already
  };
  struct Entry {
    Sequence seq;
    std::uint32_t body;
  };
  struct Ordered {
    Words words;
    Sequence seq;
    Time time;
  };
  static Words words_of(const KeyHash& key);
  static std::uint32_t body_of(const KeyHash& key);

  std::unordered_map<Words, Entry, HashWords> known_;
  std::deque<Ordered> in_order_;
};

}  // namespace armature::service
