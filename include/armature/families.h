// Named families of instances (spec §8) and instance files, behind one text form:
// `pareto-benign:actions=50,gap=0.01`, `random-benign:contexts=10,epsilon=0.05` or
// `my-instance.json`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "armature/files.h"
#include "armature/model.h"
#include "armature/parameters.h"

namespace armature {

/// What a family is built from: its keys, the horizon if known, and the replication's own stream.
struct FamilyRequest {
  const Arguments& arguments;
  std::optional<Round> horizon;
  Stream& stream;
};

struct Family {
  std::string name;
  std::string summary;  // one line
  std::string text;     // what it is for, in a few sentences
  std::string section;
  std::vector<Parameter> parameters;
  bool random = false;  // draws from the stream: a fresh instance per replication
  Instance::Parts (*build)(const FamilyRequest&) = nullptr;
};

const std::vector<Family>& families();
/// Throws Error with the nearest name.
const Family& find_family(const std::string& name);

/// Does this text name an instance file? A family's name always means the family, whatever files
/// lie about; otherwise what exists as a file, ends in .json or has a slash in it is a path, unless
/// it is written like a family with keys.
bool names_instance_file(const std::string& text, const Files& files = {});

/// Where the instances of a run come from. Safe to use from many threads.
class InstanceSource {
 public:
  /// `text` is a family's text form or the path of an instance file. Formulas in it may speak of
  /// the horizon and of the family's own sizes. Files are read now, and not asked for again.
  InstanceSource(const std::string& text, std::optional<Round> horizon, std::uint64_t seed,
                 const Files& files = {});

  /// Policies are told this instead of what the instance says.
  void tell(Problem given);

  const std::string& text() const { return text_; }  // canonical
  bool fresh_per_replication() const { return fixed_ == nullptr; }
  std::shared_ptr<const Instance> instance(std::uint32_t replication) const;

 private:
  Instance build(std::uint32_t replication) const;

  std::string text_;
  std::optional<Round> horizon_;
  std::uint64_t seed_;
  const Family* family_ = nullptr;      // null for a file
  std::optional<Arguments> arguments_;  // of the family
  std::optional<Problem> given_;
  std::shared_ptr<const Instance> fixed_;  // the one instance of a family that is not random
};

}  // namespace armature
