// Tests that need a GPU: skipped, and saying so, where there is none.
#pragma once

#include <gtest/gtest.h>

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
      GTEST_SKIP() << "not tested, for there is no GPU here: " << error.what();
    }
  }

  std::shared_ptr<Accelerator> device_;
};

}  // namespace armature::test
