// One field list per policy serves saving, loading, digests and dumps: a policy's visit_state names
// each field once, so the lists cannot drift apart.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace armature {

/// Names the parts of one structure of a list.
class ItemVisitor {
 public:
  virtual ~ItemVisitor() = default;
  virtual void field(std::string_view name, std::uint32_t& value) = 0;
  virtual void field(std::string_view name, std::uint64_t& value) = 0;
  virtual void field(std::string_view name, double& value) = 0;
};

class StateVisitor {
 public:
  virtual ~StateVisitor() = default;

  /// True while fields are being overwritten: a policy then rebuilds what it derives from them.
  virtual bool reading() const { return false; }

  virtual void field(std::string_view name, bool& value) = 0;
  virtual void field(std::string_view name, std::uint64_t& value) = 0;
  virtual void field(std::string_view name, double& value) = 0;
  virtual void field(std::string_view name, std::string& text) = 0;
  /// Lists whose length is part of the policy: another length is refused.
  virtual void field(std::string_view name, std::vector<std::uint32_t>& values) = 0;
  virtual void field(std::string_view name, std::vector<std::uint64_t>& values) = 0;
  virtual void field(std::string_view name, std::vector<double>& values) = 0;
  /// Lists that grow and shrink.
  virtual void list(std::string_view name, std::vector<std::uint32_t>& values) = 0;
  virtual void list(std::string_view name, std::vector<std::uint64_t>& values) = 0;
  virtual void list(std::string_view name, std::vector<double>& values) = 0;

  /// A list of fixed length that is zero throughout most of the time, and then no part of the
  /// state: neither saved nor hashed nor shown.
  virtual void rare(std::string_view name, std::vector<std::uint64_t>& values) {
    if (std::any_of(values.begin(), values.end(), [](std::uint64_t value) { return value != 0; }))
      field(name, values);
  }

  /// Structures: `visit_item(ItemVisitor&, Item&)` names the parts of one. What is saved is one
  /// list per part, `name_part`, so that a list of structures and lists side by side are the same
  /// bytes.
  template <class Item, class VisitItem>
  void list(std::string_view name, std::vector<Item>& items, const VisitItem& visit_item) {
    Item sample{};
    structures(name,
               {.count = items.size(),
                .sample = [&](ItemVisitor& visitor) { visit_item(visitor, sample); },
                .at = [&](ItemVisitor& visitor, std::size_t i) { visit_item(visitor, items[i]); },
                .resize = [&](std::size_t count) { items.resize(count); }});
  }

  /// What must hold of fields that were read, or the state is refused with an Error naming the
  /// field. Nothing is asked while nothing is read.
  void require(bool fits, std::string_view name) const;
  void require_below(std::uint32_t bound, std::string_view name,
                     std::span<const std::uint32_t> values) const;
  void require_finite(std::string_view name, std::span<const double> values) const;
  void require_within(double low, double high, std::string_view name,
                      std::span<const double> values) const;
  /// Each a sum of as many rewards in [0,1] as its count says.
  void require_sums_of_rewards(std::string_view name, std::span<const double> sums,
                               std::span<const std::uint64_t> counts) const;
  /// No count above the one it is part of, nor any so large that it could overflow.
  void require_counts_within(std::span<const std::uint64_t> wholes, std::string_view name,
                             std::span<const std::uint64_t> parts) const;

 private:
  struct Structures {
    std::size_t count;
    std::function<void(ItemVisitor&)> sample;  // for the names of the parts
    std::function<void(ItemVisitor&, std::size_t)> at;
    std::function<void(std::size_t)> resize;
  };
  void structures(std::string_view name, const Structures& items);
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
/// Throws Error, leaving the fields as they were, unless `saved` is whole, was saved by `owner`,
/// and holds what `visit` requires.
void load_state(std::string_view owner, std::string_view saved, const StateVisit& visit);
std::uint64_t state_digest(const StateVisit& visit);
/// For people: one `name = value` line per field.
std::string dump_state(const StateVisit& visit);

}  // namespace armature
