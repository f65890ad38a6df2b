// Names by number: the different values of a column, as they first appear.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace armature {

class Levels {
 public:
  std::optional<std::uint32_t> find(std::string_view name) const {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }
  std::uint32_t add(std::string name) {
    const auto number = static_cast<std::uint32_t>(names_.size());
    names_.push_back(name);
    numbers_.emplace(std::move(name), number);
    return number;
  }
  const std::vector<std::string>& names() const { return names_; }
  std::size_t size() const { return names_.size(); }

 private:
  // Looks up a view without making a string of it.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
};

}  // namespace armature
