#include "audit/log.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "armature/error.h"
#include "base/file.h"
#include "base/text.h"

namespace armature {
namespace {

class PlainLog final : public LogSource {
 public:
  PlainLog(const std::string& path, const LogOptions& options)
      : path_(path), options_(options), text_(read_file(path)) {
    rewind();
    for (const std::string& name : fields_) header_ += name + ",";
    action_ = column(options.action);
    for (const std::string& name : options.context) context_.push_back(column(name));
    reward_ = column(options.reward);
    if (!options.propensity.empty()) propensity_ = column(options.propensity);
  }
  bool next(LogRow& row) override {
    if (!split()) return false;
    row = {};
    row.line = line_;
    row.action = number(action_names_, action_numbers_, fields_.at(action_));
    std::string context;
    for (const std::size_t place : context_)
      context += (context.empty() ? "" : ",") + fields_.at(place);
    row.context = number(context_names_, context_numbers_, context);
    row.reward = parse_real(fields_.at(reward_)).value();
    if (propensity_ < SIZE_MAX) row.propensity = parse_real(fields_.at(propensity_)).value();
    return true;
  }
  void rewind() override {
    stream_.clear();
    stream_.str(text_);
    line_ = 0;
    split();
  }
  const std::vector<std::string>& actions() const override { return action_names_; }
  const std::vector<std::string>& contexts() const override { return context_names_; }
  bool adaptive() const override { return options_.adaptive || said_adaptive_; }

 private:
  bool split() {
    std::string line;
    do {
      if (!std::getline(stream_, line)) return false;
      ++line_;
      if (line.find("adaptive") != std::string::npos && line.starts_with("#"))
        said_adaptive_ = true;
    } while (line.starts_with("#") || line.empty());
    fields_.clear();
    std::istringstream parts(line);
    for (std::string part; std::getline(parts, part, ',');) fields_.push_back(part);
    return true;
  }
  std::size_t column(const std::string& name) const {
    const auto found = std::find(fields_.begin(), fields_.end(), name);
    if (found == fields_.end())
      throw Error(
          {path_, "column", "'" + name + "'", "one of " + header_ + did_you_mean(name, fields_)});
    return static_cast<std::size_t>(found - fields_.begin());
  }
  static std::uint32_t number(std::vector<std::string>& names,
                              std::map<std::string, std::uint32_t>& numbers,
                              const std::string& name) {
    const auto [place, fresh] = numbers.try_emplace(name, static_cast<std::uint32_t>(names.size()));
    if (fresh) names.push_back(name);
    return place->second;
  }

  std::string path_;
  LogOptions options_;
  std::string text_;
  std::istringstream stream_;
  std::string header_;
  std::vector<std::string> fields_;
  std::vector<std::size_t> context_;
  std::size_t action_ = 0, reward_ = 0, propensity_ = SIZE_MAX;
  std::vector<std::string> action_names_, context_names_;
  std::map<std::string, std::uint32_t> action_numbers_, context_numbers_;
  std::uint64_t line_ = 0;
  bool said_adaptive_ = false;
};

}  // namespace

std::unique_ptr<LogSource> open_log(const std::string& path, const LogOptions& options) {
  return std::make_unique<PlainLog>(path, options);
}

}  // namespace armature
