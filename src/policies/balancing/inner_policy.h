// A policy inside another, copied along with it; or none yet.
#pragma once

#include "armature/policy.h"

namespace armature {

class InnerPolicy {
 public:
  InnerPolicy() = default;
  explicit InnerPolicy(std::unique_ptr<AnyPolicy> policy) : policy_(std::move(policy)) {}
  InnerPolicy(InnerPolicy&&) = default;
  InnerPolicy& operator=(InnerPolicy&&) = default;
  InnerPolicy(const InnerPolicy& other)
      : policy_(other.policy_ ? other.policy_->clone() : nullptr) {
    if (other.policy_ && !policy_)
      throw Error({"", "policy " + other.policy_->text(), "a kind that cannot be copied",
                   "one that can, inside a policy that is copied"});
  }
  InnerPolicy& operator=(const InnerPolicy&) = delete;
  ~InnerPolicy() = default;

  explicit operator bool() const { return policy_ != nullptr; }
  AnyPolicy& operator*() const { return *policy_; }
  AnyPolicy* operator->() const { return policy_.get(); }

 private:
  std::unique_ptr<AnyPolicy> policy_;
};

}  // namespace armature
