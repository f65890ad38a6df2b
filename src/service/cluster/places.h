// Where an experiment is at work, for whoever is asked about it and may not be the one: of several
// nodes on one store each experiment has one owner, who alone writes to it.
#pragma once

#include <functional>
#include <string>

namespace armature::service {

struct Place {
  enum class Kind {
    kHere,     // this node
    kPeer,     // another one: `node` at `url`
    kNobody,   // it changes hands: soon it is somebody's
    kUnknown,  // there is none of this name, as far as this node has heard
  };
  Kind kind = Kind::kUnknown;
  std::string node = {};
  std::string url = {};  // http://10.0.0.2:8600; also of this node
};

/// Any thread. What it knows lags a little behind the store.
class Places {
 public:
  virtual ~Places() = default;
  virtual Place of_experiment(const std::string& name) const = 0;
  /// Who is to create one of this name: never kUnknown.
  virtual Place of_new(const std::string& name) const = 0;
  /// Who adds and removes tokens: never kUnknown.
  virtual Place of_tokens() const = 0;
  /// Looks at the store again, soon, and then calls back, on any thread, exactly once, whether it
  /// could be read or not. Many who ask at a time are told by one look.
  virtual void look_again(std::function<void()> then) = 0;
};

}  // namespace armature::service
