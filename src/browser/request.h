// What a page asks for, read as the command line is: the same names, the same complaints.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "armature/files.h"

namespace armature::browser {

/// What the command's option parser says in words of its own.
struct Complaint : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An option of a command and where its value goes. Of those that make no sense here the name is
/// known all the same: whoever copies a command line is told why not.
struct Option {
  using Target = std::variant<std::monostate, std::string*, std::optional<std::string>*,
                              std::vector<std::string>*, bool*>;

  std::string name;  // without dashes
  Target target = {};
  bool required = false;
  std::vector<std::string> choices = {};  // as the command knows them; none: anything
  std::string refused = {};               // what is expected instead of this option
};

class Request {
 public:
  /// Throws Error on what is no object with a command.
  explicit Request(const std::string& text);

  const std::string& command() const { return command_; }
  /// Fills in what was given. Throws Error, or Complaint where the option parser would complain.
  /// `beside`: keys that the request may have beside options.
  void read(const std::vector<Option>& options, const std::vector<std::string>& beside = {}) const;
  /// Of a key beside options: contents by name, for what texts name, as there is no disk; a text,
  /// which must be there.
  FileTable files(const std::string& key) const;
  std::string text(const std::string& key) const;

 private:
  void refuse_unknown(const std::vector<Option>& options,
                      const std::vector<std::string>& beside) const;

  nlohmann::ordered_json json_;
  std::string command_;
};

/// Options of the command that no page needs.
Option refused_option(const std::string& name, const std::string& expected);
/// --format, one of these: answers to pages are JSON.
Option json_option(std::vector<std::string> formats);
/// --color and --wide, the last options of all commands.
std::vector<Option> with_terminal_options(std::vector<Option> options);

}  // namespace armature::browser
