// Two kinds of failure. A bug in armature or in a caller's C++: ARMATURE_CHECK aborts with a
// message, or throws where a host that must live on has asked for it (ThrowingChecks). An expected
// failure (a bad file, a bad parameter, a full disk): one exception type that carries what a person
// needs to mend it, caught at the outer doors (command line: stderr and exit status 2).
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

/// A broken promise between parts of the program, in a thread with ThrowingChecks. No Error: it is
/// a bug, and no other input would mend it. The check may have failed half way through a change:
/// what the failing call was made on (a policy, a session, a book) must be thrown away.
class CheckFailure : public std::exception {
 public:
  CheckFailure(const char* file, int line, const char* condition, const char* why);

  const char* what() const noexcept override { return message_.c_str(); }
  const std::string& file() const { return file_; }
  int line() const { return line_; }
  const std::string& condition() const { return condition_; }
  const std::string& why() const { return why_; }

 private:
  std::string file_;
  int line_;
  std::string condition_;
  std::string why_;
  std::string message_;
};

/// While one lives, failed checks of this thread throw CheckFailure instead of aborting: for
/// services and bindings, whose host must survive a caller's mistake. Nests. Other threads are as
/// they were, so each thread that calls armature needs one of its own.
class ThrowingChecks {
 public:
  ThrowingChecks();
  ~ThrowingChecks();
  ThrowingChecks(const ThrowingChecks&) = delete;
  ThrowingChecks& operator=(const ThrowingChecks&) = delete;
};

[[noreturn]] void check_failed(const char* file, int line, const char* condition, const char* why);

}  // namespace armature

/// Aborts (or throws, see ThrowingChecks) when a promise between parts of the program is broken.
/// Never for user input, and never in a destructor or a noexcept function, where nothing can throw.
#define ARMATURE_CHECK(condition, why)                 \
  (static_cast<bool>(condition) ? static_cast<void>(0) \
                                : ::armature::check_failed(__FILE__, __LINE__, #condition, why))
