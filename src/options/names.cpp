#include "options/names.h"

#include "base/text.h"

namespace armature {

// A long option may be cut short.
std::string nearest_long_option(const std::string& word, const std::vector<std::string>& names) {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> longer;
  for (const std::string& option : names)
    if (option.starts_with(name)) longer.push_back(option);
  return longer.size() == 1 ? "; did you mean '" + longer[0] + "'?" : did_you_mean(name, names);
}

Error unknown_option(const std::string& command, const std::string& word,
                     const std::string& nearest, const std::vector<std::string>& names) {
  return Error(
      {command, "option", "'" + word + "'",
       nearest.empty() ? "one of " + join(names, ", ") : "one that --help lists" + nearest});
}

}  // namespace armature
