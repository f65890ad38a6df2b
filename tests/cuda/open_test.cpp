// The way to a device: what is said where there is none.
#include "cuda/open.h"

#include <gtest/gtest.h>

#include <fstream>

#include "armature/error.h"
#include "base/refusal.h"
#include "support/program.h"

namespace armature {
namespace {

using test::contains;
using test::refusal;
using test::run_armature;

TEST(OpenAccelerator, WithoutTheModuleSaysHowToGetIt) {
  const std::string error = refusal([] { cuda::open_accelerator(1, "/nowhere/cuda.so"); });
  EXPECT_TRUE(contains(error, "no device: this armature was built without CUDA")) << error;
  EXPECT_TRUE(contains(error, "cmake --preset cuda")) << error;
}

TEST(OpenAccelerator, RefusesWhatIsNoModule) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.file("cuda.so");
  std::ofstream(path) << "no module";
  EXPECT_TRUE(contains(refusal([&] { cuda::open_accelerator(1, path); }), "cuda.so"));
}

TEST(OpenAccelerator, OpensADeviceOrSaysNoDevice) {
  try {
    const auto accelerator = cuda::open_accelerator(1);
    EXPECT_NE(accelerator->name(), "");
    EXPECT_GE(accelerator->devices(), 1u);
  } catch (const Error& error) {
    EXPECT_TRUE(contains(error.what(), "engine: got cuda, and no device: ")) << error.what();
  }
}

class WithoutADevice : public testing::Test {
 protected:
  void SetUp() override {
    try {
      cuda::open_accelerator(1);
      GTEST_SKIP() << "there is a device here";
    } catch (const Error&) {
    }
  }
};

TEST_F(WithoutADevice, TheCommandSaysSoAndEndsWithStatus2) {
  for (const char* arguments : {"simulate --engine cuda -i hidden-arm -p ucb -T 100",
                                "demo engine=cuda replications=2 horizons=100 --out run"}) {
    const auto result = run_armature(arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_TRUE(contains(result.err, "armature: engine: got cuda, and no device")) << result.err;
    EXPECT_EQ(result.out, "") << arguments;
  }
}

TEST_F(WithoutADevice, DevicesTellsOfTheCoresAndOfWhatIsMissing) {
  const auto text = run_armature("devices");
  EXPECT_EQ(text.status, 0);
  EXPECT_TRUE(contains(text.out, "core")) << text.out;
  EXPECT_TRUE(contains(text.out, "no GPU: ")) << text.out;
  const auto json = run_armature("devices --format json");
  EXPECT_TRUE(contains(json.out, "\"gpus\": 0")) << json.out;
}

}  // namespace
}  // namespace armature
