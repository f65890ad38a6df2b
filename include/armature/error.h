// Two kinds of failure. A bug in armature or in a caller's C++: ARMATURE_CHECK aborts with a
// message. An expected failure (a bad file, a bad parameter, a full disk): one exception type that
// carries what a person needs to mend it, caught at the outer doors (command line: stderr and exit
// status 2).
#pragma once

#include <exception>
#include <string>

namespace armature {

/// What went wrong with an input: where (file, field), what was found, what was expected. Empty
/// parts are left out of the message.
struct ErrorReport {
  std::string file;
  std::string field;
  std::string value;
  std::string expected;
};

class Error : public std::exception {
 public:
  explicit Error(ErrorReport report);

  const char* what() const noexcept override { return message_.c_str(); }
  const ErrorReport& report() const { return report_; }

  /// The same failure, told from further out: names the file it was found in.
  Error in_file(const std::string& file) const;

 private:
  ErrorReport report_;
  std::string message_;
};

[[noreturn]] void check_failed(const char* file, int line, const char* condition, const char* why);

}  // namespace armature

/// Aborts when a promise between parts of the program is broken. Never for user input.
#define ARMATURE_CHECK(condition, why)                 \
  (static_cast<bool>(condition) ? static_cast<void>(0) \
                                : ::armature::check_failed(__FILE__, __LINE__, #condition, why))
