// The lease of a process on a machine that there is not.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "base/file.h"

namespace armature::test {

inline constexpr const char* kForgedHost = "node7";
inline constexpr int kForgedProcess = 4242;

inline double calendar_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// What DIR/lease holds while that process is at work, or has died.
inline std::string forged_lease(double silent_seconds = 0, const std::string& note = "",
                                int counter = 1) {
  return nlohmann::json{{"host", kForgedHost},
                        {"boot", "of another machine"},
                        {"processes", ""},
                        {"process", kForgedProcess},
                        {"started", "7"},
                        {"id", "0123456789abcdef"},
                        {"counter", counter},
                        {"locked", true},
                        {"time", calendar_now() - silent_seconds},
                        {"note", note}}
             .dump() +
         "\n";
}

/// Renews it as long as this lives; then it has died without a word.
class ForgedHolder {
 public:
  explicit ForgedHolder(const std::string& directory, const std::string& note = "") {
    const std::string file = directory + "/lease";
    write_file(file, forged_lease(0, note));
    renewing_ = std::jthread([file, note](const std::stop_token& stop) {
      for (int counter = 2; !stop.stop_requested(); ++counter) {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        write_file(file, forged_lease(0, note, counter));
      }
    });
  }

 private:
  std::jthread renewing_;
};

}  // namespace armature::test
