// Files that texts name (an instance, a graph and its tables), by the path as it is written there:
// on disk from some folder on, or kept beside a study, where they outlive the disk.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace armature {

/// Path as it is written → content.
using FileTable = std::map<std::string, std::string>;

class Files {
 public:
  /// On disk; relative paths start from the working directory.
  Files() : folder_("") {}
  /// On disk, from this folder on (empty: the working directory); what is not there is looked for
  /// among those kept.
  explicit Files(std::string folder, FileTable kept = {})
      : folder_(std::move(folder)), kept_(std::move(kept)) {}
  /// Those kept and no others.
  static Files only(FileTable kept);

  /// Is it a file (no folder, no pipe), or kept?
  bool has(const std::string& path) const;
  /// Throws Error if it cannot be read.
  std::string read(const std::string& path) const;
  /// The same for text in UTF-8, as read_text_file.
  std::string read_text(const std::string& path) const;
  /// What complaints call it: its path from the working directory.
  std::string where(const std::string& path) const;

 private:
  bool from_kept(const std::string& path) const;  // not on disk but kept

  std::optional<std::string> folder_;  // none: nothing is on disk
  FileTable kept_;
};

}  // namespace armature
