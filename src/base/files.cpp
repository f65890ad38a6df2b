#include "armature/files.h"

#include <filesystem>

#include "armature/error.h"
#include "base/file.h"

namespace armature {

namespace fs = std::filesystem;

Files Files::only(FileTable kept) {
  Files files("", std::move(kept));
  files.folder_.reset();
  return files;
}

std::string Files::where(const std::string& path) const {
  // As it was written where nothing is added to it: fs::path would not change it either, but
  // messages are to repeat what people wrote.
  return !folder_ || folder_->empty() ? path : (fs::path(*folder_) / path).string();
}

bool Files::from_kept(const std::string& path) const {
  std::error_code ignored;
  return kept_.contains(path) && !(folder_ && fs::is_regular_file(where(path), ignored));
}

bool Files::has(const std::string& path) const {
  std::error_code ignored;
  return (folder_ && fs::is_regular_file(where(path), ignored)) || from_kept(path);
}

std::string Files::read(const std::string& path) const {
  if (from_kept(path)) return kept_.at(path);
  if (!folder_) throw Error({path, "file", "nothing kept of it", "one kept with its study"});
  return read_file(where(path));
}

std::string Files::read_text(const std::string& path) const {
  // What is kept was read as text once (study/files.cpp).
  return from_kept(path) || !folder_ ? read(path) : read_text_file(where(path));
}

}  // namespace armature
