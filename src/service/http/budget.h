// Bytes that many share: who finds nothing left is turned away, and memory stays bounded.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace armature::service::http {

class Budget {
 public:
  explicit Budget(std::uint64_t bytes) : most(bytes) {}

  /// A part of it, given back at its end.
  class Share {
   public:
    Share() = default;
    Share(Share&& other) noexcept : of_(std::exchange(other.of_, nullptr)), bytes_(other.bytes_) {}
    Share& operator=(Share&& other) noexcept {
      std::swap(of_, other.of_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Share() {
      if (of_ != nullptr) of_->used_.fetch_sub(bytes_);
    }
    /// False: there was not enough.
    explicit operator bool() const { return of_ != nullptr; }

   private:
    friend class Budget;
    Share(Budget* of, std::uint64_t bytes) : of_(of), bytes_(bytes) {}
    Budget* of_ = nullptr;
    std::uint64_t bytes_ = 0;
  };

  Share take(std::uint64_t bytes) {
    if (used_.fetch_add(bytes) + bytes <= most) return {this, bytes};
    used_.fetch_sub(bytes);
    return {};
  }
  std::uint64_t used() const { return used_.load(); }

  std::uint64_t most;  // set before anybody takes

 private:
  std::atomic<std::uint64_t> used_{0};
};

}  // namespace armature::service::http
