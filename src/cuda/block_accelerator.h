// An accelerator from a backend: cells become plans and tables, what was played becomes
// replications.
#pragma once

#include <memory>

#include "cuda/backend.h"
#include "simulate/accelerator.h"

namespace armature::cuda {

class BlockAccelerator final : public Accelerator {
 public:
  explicit BlockAccelerator(std::unique_ptr<Backend> backend) : backend_(std::move(backend)) {}

  std::string name() const override { return backend_->name(); }
  unsigned devices() const override { return backend_->devices(); }
  std::string obstacle(const Cell& cell, const World& world) const override;
  std::uint32_t replications_per_block(const Cell& cell) const override;
  BlockResult run(const Cell& cell, ReplicationRange range, unsigned device,
                  const std::atomic<bool>& stop) override;

 private:
  std::unique_ptr<Backend> backend_;
};

}  // namespace armature::cuda
