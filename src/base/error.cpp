#include "armature/error.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/text.h"

namespace armature {
namespace {

// In characters. Values, files and fields hold what somebody wrote, of any length; a message must
// stay one that is read.
constexpr std::size_t kLongestValue = 120;
constexpr std::size_t kLongestPlace = 240;
constexpr std::size_t kLongestExpected = 2000;

std::string message_of(const ErrorReport& report) {
  std::string message;
  if (!report.file.empty()) message += shown(report.file, kLongestPlace) + ": ";
  if (!report.field.empty()) message += shown(report.field, kLongestPlace) + ": ";
  if (!report.value.empty()) message += "got " + shown(report.value, kLongestValue);
  if (!report.expected.empty()) {
    if (!report.value.empty()) message += ", ";
    message += "expected " + shown(report.expected, kLongestExpected);
  }
  return message;
}

thread_local int throwing_checks = 0;  // how many ThrowingChecks this thread has

}  // namespace

Error::Error(ErrorReport report) : report_(std::move(report)), message_(message_of(report_)) {}

Error Error::in_file(const std::string& file) const {
  ErrorReport report = report_;
  report.file = file;
  return Error(std::move(report));
}

CheckFailure::CheckFailure(const char* file, int line, const char* condition, const char* why)
    : file_(file),
      line_(line),
      condition_(condition),
      why_(why),
      message_(file_ + ":" + std::to_string(line) + ": check failed: " + condition_ + " (" + why_ +
               ")") {}

ThrowingChecks::ThrowingChecks() { ++throwing_checks; }
ThrowingChecks::~ThrowingChecks() { --throwing_checks; }

void check_failed(const char* file, int line, const char* condition, const char* why) {
  const CheckFailure failure(file, line, condition, why);
  if (throwing_checks > 0) throw failure;
  std::fprintf(stderr, "%s\n", failure.what());
  std::abort();
}

}  // namespace armature
