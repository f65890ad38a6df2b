// The project's own files, as text.
#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"

namespace armature::test {

struct SourceFile {
  std::string path;  // relative to the root: "src/base/text.h"
  std::vector<std::string> lines;
};

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

/// All files under a folder of the project whose names end in one of these, sorted by path.
inline std::vector<SourceFile> files_under(const std::string& folder,
                                           const std::vector<std::string>& endings) {
  const std::filesystem::path root = ARMATURE_SOURCE_DIR;
  std::vector<SourceFile> files;
  if (!std::filesystem::exists(root / folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string name = entry.path().filename().string();
    const auto fits = [&](const std::string& ending) { return name.ends_with(ending); };
    if (!std::any_of(endings.begin(), endings.end(), fits)) continue;
    files.push_back({std::filesystem::relative(entry.path(), root).string(),
                     lines_of(read_file(entry.path().string()))});
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

/// Is this word in the text, with no letter, digit or underscore on either side?
inline bool has_word(const std::string& text, const std::string& word) {
  const auto part_of_word = [&](std::size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
  };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    if (!(at > 0 && part_of_word(at - 1)) && !part_of_word(at + word.size())) return true;
  return false;
}

/// "file:line: what", as compilers say it.
inline std::string remark(const SourceFile& file, std::size_t line, const std::string& what) {
  return file.path + ":" + std::to_string(line + 1) + ": " + what;
}

}  // namespace armature::test
