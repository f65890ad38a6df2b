// A directory that one process at a time works in, on whichever machine that sees it.
//
// On one machine a lock of the kernel decides (base/directory_lock.h): at once, and exactly. Across
// machines nobody can ask whether a process lives, and file systems differ in what their locks are
// worth. So whoever works in a directory leaves a file there, DIR/lease, and renews it every two
// seconds; another machine watches whether that happens before it takes over, which compares no
// clock of one machine with that of another. Who only asks goes by the calendars of both, and by
// them alone only to be told that somebody is at work.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace armature {

/// Which process on which machine. Those of other machines cannot be asked about.
struct LeaseIdentity {
  std::string host;
  std::string boot;          // the kernel's own, new with every start of the machine
  std::string processes;     // the space that process numbers belong to: a container has its own
  std::int64_t process = 0;  // its number…
  std::string started;       // …and when it began, as numbers are used again

  /// This process.
  static LeaseIdentity own();
  /// Can `other` be looked up among the processes that this one sees?
  bool same_machine(const LeaseIdentity& other) const;
};

/// What a file system may hang in while a lease is taken or renewed.
enum class LeaseStep { kWrite, kRename };

/// How a lease is held: the defaults are for everybody but tests.
struct LeaseTerms {
  LeaseIdentity identity = LeaseIdentity::own();
  double renewal = 2;   // seconds from one renewal to the next
  double silence = 12;  // seconds without one until somebody else may take over
  double settle = 2;    // seconds for those who take over at the same time to see who was last
  bool locks = true;    // use the kernel's locks where there are some
  /// Called as the first thing in each of them: tests hang there.
  std::function<void(LeaseStep)> within = {};
  /// Told, in words, why it takes long.
  std::function<void(const std::string&)> notice = {};
  /// Once set, no more waiting: LeaseWaitStopped is thrown.
  const std::atomic<bool>* stop = nullptr;
};
struct LeaseWaitStopped {};

class DirectoryLease {
 public:
  struct Holder {
    std::string host;
    std::int64_t process = 0;  // 0: unknown
    std::string note;
    double silent_seconds = 0;  // since its last renewal, by the clocks of both machines
    bool alive = true;          // false: on another machine, and silent for more than a minute
    bool here = true;           // on this machine
  };

  /// Throws Error naming machine and process if another holds it. If a holder on another machine
  /// may have died, it waits to be sure.
  explicit DirectoryLease(const std::string& directory, const LeaseTerms& terms = {});
  /// Gives it back: the file is removed.
  ~DirectoryLease();
  DirectoryLease(const DirectoryLease&) = delete;
  DirectoryLease& operator=(const DirectoryLease&) = delete;

  /// What others see of the work; written with the next renewal.
  void note(const std::string& text);
  /// To be asked before each write: somebody else has taken it, or may have, as it could not be
  /// renewed for so long. Looks at the file.
  bool lost() const;
  /// The same as an Error that names who has it now.
  void require() const;

  /// Who is at work there now, as far as can be told without waiting.
  static std::optional<Holder> holder(const std::string& directory, const LeaseTerms& terms = {});
  /// Who on another machine is at work there, for those who must not look at its files meanwhile.
  /// One that seems to be dead is watched until that is sure.
  static std::optional<Holder> holder_elsewhere(const std::string& directory,
                                                const LeaseTerms& terms = {});
  /// Is this name in a directory the lease's own, or what a killed process left of one?
  static bool is_lease_file(const std::string& name);

 private:
  class Tenure;
  std::unique_ptr<Tenure> tenure_;
};

/// "process 12 on node3".
std::string holder_words(const DirectoryLease::Holder& holder);

}  // namespace armature
