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
