// What the server has to say, one JSON object a line: never a token, never a body.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "service/clock.h"

namespace armature::service::http {

/// Lines are written by a thread of its own: who has something to say never waits for a reader that
/// does not read. Beyond a thousand lines that wait the next ones are dropped, and counted.
class Journal {
 public:
  /// Which requests are told of: all; those that changed an experiment's course or failed; none.
  enum class Requests { kAll, kNotable, kNone };

  Journal(std::FILE* out, Requests requests, const Clock& clock = system_clock());
  ~Journal();  // flush()
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Something of the server's own life: started, stopping, stopped.
  void note(std::string_view what, std::string_view detail = {});
  struct Answered {
    std::string method;
    std::string path;
    int status = 0;
    Time took = 0;  // microseconds
    bool notable = false;
    std::uint64_t request = 0;
    std::string kind = {};   // of the complaint
    std::string token = {};  // the name of whose it was
  };
  bool tells_of(bool notable) const {
    return requests_ == Requests::kAll || (requests_ == Requests::kNotable && notable);
  }
  void answered(const Answered& request);
  /// Until all that was said is written, but no longer than this.
  void flush(std::chrono::milliseconds most = std::chrono::seconds(1));

 private:
  std::string noted(std::string_view what, std::string_view detail) const;
  void add(std::string line);
  void work();
  bool write(std::string_view line);

  const int out_;
  Requests requests_;
  const Clock& clock_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable written_;
  std::deque<std::string> lines_;
  std::uint64_t dropped_ = 0;
  bool writing_ = false;
  bool stopping_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace armature::service::http
