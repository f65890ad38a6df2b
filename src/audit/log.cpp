#include "audit/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "armature/error.h"
#include "base/file.h"
#include "base/text.h"

namespace armature {
namespace {

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line)
    if (c == ',')
      fields.emplace_back();
    else if (c != '\r')
      fields.back() += c;
  return fields;
}

class PlainLog : public LogSource {
 public:
  PlainLog(std::string path, const LogOptions& options)
      : path_(std::move(path)), given_(options.given.has_value()), adaptive_(options.adaptive) {
    text_ = read_text_file(path_);
    if (given_) {
      actions_ = options.given->action_names;
      contexts_ = options.given->context_names;
    }
    rewind();
    const auto column = [&](const std::string& name) {
      const auto found = std::find(header_.begin(), header_.end(), name);
      if (found == header_.end())
        throw Error({path_, "column", "'" + name + "'",
                     "one of " + join(header_, ", ") + did_you_mean(name, header_)});
      return static_cast<std::size_t>(found - header_.begin());
    };
    action_ = column(options.action);
    for (const std::string& name : options.contexts) context_.push_back(column(name));
    reward_ = column(options.reward);
    const bool there = std::count(header_.begin(), header_.end(), "propensity") > 0;
    if (!options.propensity.empty() || there)
      propensity_ = column(options.propensity.empty() ? "propensity" : options.propensity);
  }

  bool next(LogRow& row) override {
    std::string line;
    if (!read_line(line)) return false;
    const std::vector<std::string> fields = fields_of(line);
    if (fields.size() != header_.size())
      throw Error({path_, fmt::format("line {}", line_), fmt::format("{} fields", fields.size()),
                   fmt::format("{}", header_.size())});
    std::vector<std::string> context;
    for (const std::size_t column : context_) context.push_back(fields[column]);
    row = {};
    row.action = number(actions_, fields[action_], header_[action_]);
    row.context = number(contexts_, join(context, ", "), "context");
    row.reward = real(fields[reward_], header_[reward_], 1);
    if (propensity_) row.propensity = real(fields[*propensity_], header_[*propensity_], 1);
    row.line = line_;
    return true;
  }
  void rewind() override {
    at_ = line_ = 0;
    std::string line;
    if (!read_line(line)) throw Error({path_, "rows", "none", "a header and rows"});
    header_ = fields_of(line);
  }
  const std::vector<std::string>& actions() const override { return actions_; }
  const std::vector<std::string>& contexts() const override { return contexts_; }
  bool adaptive() const override { return adaptive_; }

 private:
  bool read_line(std::string& line) {
    do {
      if (at_ >= text_.size()) return false;
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      line = text_.substr(at_, end - at_);
      at_ = end + 1;
      ++line_;
    } while (line.empty() || line[0] == '#');
    return true;
  }
  std::uint32_t number(std::vector<std::string>& names, const std::string& name,
                       const std::string& column) const {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      if (given_)
        throw Error({path_, fmt::format("line {}, {}", line_, column), "'" + name + "'",
                     "a name of the given problem" + did_you_mean(name, names)});
      names.push_back(name);
      return static_cast<std::uint32_t>(names.size() - 1);
    }
    return static_cast<std::uint32_t>(found - names.begin());
  }
  double real(const std::string& text, const std::string& column, double most) const {
    const std::optional<double> value = parse_real(text);
    if (!value || *value < 0 || *value > most)
      throw Error({path_, fmt::format("line {}, {}", line_, column), "'" + text + "'",
                   "a number in [0,1]"});
    return *value;
  }

  std::string path_, text_;
  bool given_, adaptive_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 0;
  std::vector<std::string> header_, actions_, contexts_;
  std::size_t action_ = 0, reward_ = 0;
  std::vector<std::size_t> context_;
  std::optional<std::size_t> propensity_;
};

}  // namespace

std::unique_ptr<LogSource> open_log(const std::string& path, const LogOptions& options) {
  return std::make_unique<PlainLog>(path, options);
}

}  // namespace armature
