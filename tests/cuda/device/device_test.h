// Tests that need a GPU: skipped, and saying so, where there is none; failed there if
// ARMATURE_REQUIRE_GPU is set.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

#include "armature/error.h"
#include "base/machine.h"
#include "cuda/open.h"

namespace armature::test {

class DeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      device_ = cuda::open_accelerator(cores_given());
    } catch (const Error& error) {
      if (std::getenv("ARMATURE_REQUIRE_GPU")) FAIL() << "there is no GPU here: " << error.what();
      GTEST_SKIP() << "not tested, for there is no GPU here: " << error.what();
    }
  }

  std::shared_ptr<Accelerator> device_;
};

}  // namespace armature::test
