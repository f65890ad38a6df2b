// `armature serve` as a process of its own, that can be killed.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/child_process.h"
#include "support/program.h"

namespace armature::test {

class ServeProcess {
 public:
  /// Begins `armature serve ARGUMENTS…`, and waits until it says where it listens; that is at a
  /// free port unless they say `--listen`. A port asked for may still be somebody's who is just
  /// ending: it is asked for again, for a while.
  explicit ServeProcess(std::vector<std::string> arguments,
                        std::map<std::string, std::string> environment = {});
  ~ServeProcess();
  ServeProcess(const ServeProcess&) = delete;
  ServeProcess& operator=(const ServeProcess&) = delete;

  /// 0: it did not come so far, and `journal()` says why.
  unsigned short port() const { return port_; }
  const std::string& url() const { return url_; }
  pid_t pid() const { return process_; }
  bool running();

  void signal(int number) const;
  /// Sends it the signal, if it is not 0, and waits for its end. The wait status.
  int end(int number);
  /// What it has written to standard error.
  std::string journal() const;

 private:
  void begin();
  void wait_until_it_serves();

  std::vector<std::string> arguments_;
  std::map<std::string, std::string> environment_;
  TemporaryDirectory directory_;
  std::unique_ptr<LastWill> will_;
  pid_t process_ = -1;
  int said_ = -1;   // what it writes to standard output
  int status_ = 0;  // once it has ended
  std::string url_;
  unsigned short port_ = 0;
};

}  // namespace armature::test
