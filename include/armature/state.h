// One field list per policy serves saving, loading, digests and dumps: a policy's visit_state names
// each field once, so the lists cannot drift apart.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace armature {

class StateVisitor {
 public:
  virtual ~StateVisitor() = default;

  /// True while fields are being overwritten: a policy then rebuilds what it derives from them.
  virtual bool reading() const { return false; }

  virtual void field(std::string_view name, bool& value) = 0;
  virtual void field(std::string_view name, std::uint64_t& value) = 0;
  virtual void field(std::string_view name, double& value) = 0;
  /// Lists whose length is part of the policy: another length is refused.
  virtual void field(std::string_view name, std::vector<std::uint32_t>& values) = 0;
  virtual void field(std::string_view name, std::vector<std::uint64_t>& values) = 0;
  virtual void field(std::string_view name, std::vector<double>& values) = 0;
  /// Lists that grow and shrink.
  virtual void list(std::string_view name, std::vector<std::uint32_t>& values) = 0;
  virtual void list(std::string_view name, std::vector<std::uint64_t>& values) = 0;
  virtual void list(std::string_view name, std::vector<double>& values) = 0;
};

using StateVisit = std::function<void(StateVisitor&)>;

/// A 64-bit FNV-1a hash of bytes and numbers, for digests and fingerprints (not for secrets).
class Fingerprint {
 public:
  void add(const void* bytes, std::size_t size);
  void add(std::string_view text) { add(text.data(), text.size()); }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

/// The saved form (docs/formats.md): a header naming `owner`, the fields in order, a digest of it
/// all.
std::string save_state(std::string_view owner, const StateVisit& visit);
/// Throws Error, leaving the fields untouched, unless `saved` is whole and was saved by `owner`.
void load_state(std::string_view owner, std::string_view saved, const StateVisit& visit);
std::uint64_t state_digest(const StateVisit& visit);
/// For people: one `name = value` line per field.
std::string dump_state(const StateVisit& visit);

}  // namespace armature
