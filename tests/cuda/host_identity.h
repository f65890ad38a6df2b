// The device's functions, run by the host, beside the step engine.
#pragma once

#include <gtest/gtest.h>

#include "cuda/block_accelerator.h"
#include "cuda/host_backend.h"
#include "support/replications.h"

namespace armature::test {

/// With the smallest numbers that will do, and with large ones.
inline void expect_steps_bytes(const Cell& cell, ReplicationRange range,
                               const cuda::BlockAccelerator::Settings& settings = {}) {
  using cuda::HostBackend;
  const std::atomic<bool> never{false};
  const BlockResult expected = run_block(cell, range, never);
  for (const auto numbers : {HostBackend::Numbers::kSmallest, HostBackend::Numbers::kLarge}) {
    cuda::BlockAccelerator device(std::make_unique<HostBackend>(numbers), settings);
    ASSERT_EQ(device.obstacle(cell, *cell.world(0)), "");
    expect_same(device.run(cell, range, 0, never).replications, expected.replications);
  }
}

}  // namespace armature::test
