// A log in memory.
#pragma once

#include <utility>

#include "armature/log.h"

namespace armature::test {

class VectorSource : public LogSource {
 public:
  VectorSource(std::vector<LogRow> rows, std::vector<std::string> actions,
               std::vector<std::string> contexts, bool adaptive = false)
      : rows_(std::move(rows)),
        actions_(std::move(actions)),
        contexts_(std::move(contexts)),
        adaptive_(adaptive) {}

  bool next(LogRow& row) override {
    if (at_ == rows_.size()) return false;
    row = rows_[at_++];
    return true;
  }
  void rewind() override { at_ = 0; }
  const std::vector<std::string>& actions() const override { return actions_; }
  const std::vector<std::string>& contexts() const override { return contexts_; }
  bool adaptive() const override { return adaptive_; }

 private:
  std::vector<LogRow> rows_;
  std::vector<std::string> actions_, contexts_;
  bool adaptive_;
  std::size_t at_ = 0;
};

}  // namespace armature::test
