#include "armature/error.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace armature {
namespace {

std::string message_of(const ErrorReport& report) {
  std::string message;
  if (!report.file.empty()) message += report.file + ": ";
  if (!report.field.empty()) message += report.field + ": ";
  if (!report.value.empty()) message += "got " + report.value;
  if (!report.expected.empty()) {
    if (!report.value.empty()) message += ", ";
    message += "expected " + report.expected;
  }
  return message;
}

}  // namespace

Error::Error(ErrorReport report) : report_(std::move(report)), message_(message_of(report_)) {}

Error Error::in_file(const std::string& file) const {
  ErrorReport report = report_;
  report.file = file;
  return Error(std::move(report));
}

void check_failed(const char* file, int line, const char* condition, const char* why) {
  std::fprintf(stderr, "%s:%d: check failed: %s (%s)\n", file, line, condition, why);
  std::abort();
}

}  // namespace armature
