#include "base/directory_lease.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>
#include <utility>

#include "armature/error.h"
#include "base/directory_lock.h"
#include "base/machine.h"

namespace armature {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kName = "lease";
constexpr double kLongSilence = 60;             // seconds: what who only asks takes for dead
constexpr std::size_t kMostBytes = 1 << 16;     // of the file: it holds a few lines
constexpr double kLooksPerRenewal = 4;          // of who watches
constexpr double kPauseBeforeAnotherTry = .01;  // seconds: the file has just changed

std::string path_in(const std::string& directory) { return directory + "/" + kName; }

// --- Time, numbers and processes -----------------------------------------------------------------

// Of this machine alone, and on while it sleeps: a lease runs out meanwhile.
double seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// By the calendar, for people.
double calendar_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void sleep_seconds(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

std::string random_id() {
  std::uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number)
    number = static_cast<std::uint64_t>(calendar_seconds() * 1e9) ^
             (static_cast<std::uint64_t>(getpid()) << 40);
  return fmt::format("{:016x}", number);
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// State and start of a process, from the line that the kernel has of it: "12 (a name) S 1 …", where
// the name may hold anything. Nothing where it is gone, or hidden from us.
struct ProcessLine {
  char state;
  std::string started;
};
std::optional<ProcessLine> process_line(std::int64_t process) {
  const std::string line = first_line(fmt::format("/proc/{}/stat", process));
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(line.substr(name_end + 1));
  constexpr int kStarted = 22, kState = 3;  // as proc(5) counts them
  ProcessLine result{};
  std::string field;
  for (int i = kState; i <= kStarted && fields >> field; ++i) {
    if (i == kState) result.state = field.front();
    if (i == kStarted) result.started = field;
  }
  return result;
}

// A process of this machine. One that may not be looked at is taken to be what it was.
bool process_lives(const LeaseIdentity& identity) {
  if (identity.process <= 0) return false;
  if (kill(static_cast<pid_t>(identity.process), 0) != 0 && errno == ESRCH) return false;
  const auto line = process_line(identity.process);
  if (!line) return true;
  return line->state != 'Z' && line->started == identity.started;
}

// --- The file ------------------------------------------------------------------------------------

struct Lease {
  LeaseIdentity identity;
  std::string id;  // of one tenure: nobody else's
  std::uint64_t counter = 0;
  bool locked = false;  // the holder has the kernel's lock, too
  double time = 0;      // by the holder's calendar
  std::string note;
};

std::string text_of(const Lease& lease) {
  return Json{{"host", lease.identity.host},
              {"boot", lease.identity.boot},
              {"processes", lease.identity.processes},
              {"process", lease.identity.process},
              {"started", lease.identity.started},
              {"id", lease.id},
              {"counter", lease.counter},
              {"locked", lease.locked},
              {"time", lease.time},
              {"note", lease.note}}
             .dump(1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

// Nothing of what is not whole, or not ours.
std::optional<Lease> lease_from(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    Lease lease;
    lease.identity = {json.at("host"), json.at("boot"), json.at("processes"), json.at("process"),
                      json.at("started")};
    lease.id = json.at("id");
    lease.counter = json.at("counter");
    lease.locked = json.at("locked");
    lease.time = json.at("time");
    lease.note = json.at("note");
    return lease;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

// What stands in the file now.
struct Sight {
  int error = 0;     // 0: it was read
  std::string text;  // all of it: any change of it is a sign of life
  std::optional<Lease> lease;

  // What cannot even be asked for is not there.
  bool none() const { return error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG; }
  bool of(const std::string& id) const { return lease && lease->id == id; }
};

Sight look_once(const std::string& path) {
  Sight sight;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    sight.error = errno;
    return sight;
  }
  std::string text(kMostBytes, '\0');
  const ssize_t count = read(file, text.data(), text.size());
  if (count < 0) sight.error = errno;
  close(file);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  sight.lease = lease_from(text);
  sight.text = std::move(text);
  return sight;
}

// Of a file that is replaced meanwhile, a network's file system may say that it has gone stale.
Sight look(const std::string& directory) {
  Sight sight = look_once(path_in(directory));
  for (int i = 0; i < 3 && sight.error == ESTALE; ++i) sight = look_once(path_in(directory));
  return sight;
}

// Whole or not at all, as far as it is seen: not synced, for after a power cut nobody holds it.
bool write_whole(const std::string& path, const std::string& text, int flags) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
  if (file < 0) return false;
  const ssize_t count = write(file, text.data(), text.size());
  const int write_error = count < 0 ? errno : ENOSPC;
  const bool closed = close(file) == 0;  // a network's file system tells of a full disk only here
  if (count == static_cast<ssize_t>(text.size())) return closed;
  errno = write_error;
  return false;
}

[[noreturn]] void fail(const std::string& directory, int error) {
  throw Error({directory, "directory", std::strerror(error),
               fmt::format("one to write to: who works in it leaves a file '{}' there", kName)});
}

[[noreturn]] void refuse(const std::string& directory, const std::string& who) {
  throw Error({directory, "directory", who + " at work in it", "one at a time"});
}

// --- Who holds it --------------------------------------------------------------------------------

DirectoryLease::Holder holder_of(const Sight& sight, const LeaseIdentity& asking) {
  DirectoryLease::Holder holder;
  if (!sight.lease) {
    holder.host = "unknown";
    holder.here = holder.alive = false;
    return holder;
  }
  const Lease& lease = *sight.lease;
  holder.host = lease.identity.host;
  holder.process = lease.identity.process;
  holder.note = lease.note;
  holder.silent_seconds = std::max(0.0, calendar_seconds() - lease.time);
  holder.here = asking.same_machine(lease.identity);
  holder.alive = holder.here || holder.silent_seconds <= kLongSilence;
  return holder;
}

void require_not_stopped(const LeaseTerms& terms) {
  if (terms.stop != nullptr && terms.stop->load()) throw LeaseWaitStopped{};
}

void wait_seconds(double seconds, const LeaseTerms& terms) {
  const double end = seconds_now() + seconds;
  for (double left = seconds; left > 0; left = end - seconds_now()) {
    require_not_stopped(terms);
    sleep_seconds(std::min(left, .1));
  }
}

// When this process first saw what stands in a directory's file now. The file never says the same
// twice: a wait that was long enough for who looks is also one for who takes over.
double first_seen(const std::string& directory, const std::string& text) {
  static std::mutex mutex;
  static std::map<std::string, std::pair<std::string, double>> seen;
  const std::lock_guard lock(mutex);
  auto& [last, since] = seen[directory];
  if (since == 0 || last != text) {
    last = text;
    since = seconds_now();
  }
  return since;
}

// Waits for a change of what was seen, as long as a holder that lives may let others wait.
Sight watch(const std::string& directory, const Sight& seen, const LeaseTerms& terms) {
  const double begun = first_seen(directory, seen.text);
  if (terms.notice && seconds_now() - begun < terms.silence)
    terms.notice(fmt::format("waiting up to {:.0f} s to see whether {} is still at work in {}",
                             terms.silence, holder_words(holder_of(seen, terms.identity)),
                             directory));
  Sight now = seen;
  while (now.text == seen.text && !now.none() && seconds_now() - begun < terms.silence) {
    wait_seconds(terms.renewal / kLooksPerRenewal, terms);
    // What cannot be read just now is no sign of life, nor of death.
    if (Sight next = look(directory); next.error == 0 || next.none()) now = std::move(next);
  }
  return now;
}

}  // namespace

std::string holder_words(const DirectoryLease::Holder& holder) {
  const std::string process =
      holder.process > 0 ? fmt::format("process {}", holder.process) : "another process";
  return holder.host == "unknown" ? process : process + " on " + holder.host;
}

LeaseIdentity LeaseIdentity::own() {
  LeaseIdentity identity;
  identity.host = host_name();
  identity.boot = first_line("/proc/sys/kernel/random/boot_id");
  std::error_code none;
  identity.processes = fs::read_symlink("/proc/self/ns/pid", none).string();
  identity.process = getpid();
  if (const auto line = process_line(identity.process)) identity.started = line->started;
  return identity;
}

bool LeaseIdentity::same_machine(const LeaseIdentity& other) const {
  return !boot.empty() && boot == other.boot && host == other.host && processes == other.processes;
}

bool DirectoryLease::is_lease_file(const std::string& name) {
  return name == kName || name.starts_with(std::string(kName) + ".");
}

namespace {

// A thread begun while this lives takes none: they are for whoever works.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

// --- Holding it ----------------------------------------------------------------------------------

// From the taking to the giving back. The thread that renews shares it with those who ask.
class DirectoryLease::Tenure {
 public:
  Tenure(const std::string& directory, const LeaseTerms& terms)
      : directory_(directory), terms_(terms), aside_(path_in(directory) + ".") {
    mine_.identity = terms.identity;
    mine_.id = random_id();
    aside_ += mine_.id;
    take();
    remove_leftovers();
    const NoSignals in_the_thread;
    renewing_ = std::jthread([this](const std::stop_token& stop) { keep_renewing(stop); });
  }

  ~Tenure() {
    renewing_.request_stop();
    renewing_.join();
    if (!lost_ && look(directory_).of(mine_.id)) unlink(path_in(directory_).c_str());
    unlink(aside_.c_str());
  }
  Tenure(const Tenure&) = delete;
  Tenure& operator=(const Tenure&) = delete;

  void note(const std::string& text) {
    const std::lock_guard lock(note_mutex_);
    note_ = text;
  }

  bool lost() {
    const std::lock_guard lock(mutex_);
    return is_lost();
  }

  void require() {
    const std::lock_guard lock(mutex_);
    if (!is_lost()) return;
    const Sight now = look(directory_);
    if (now.lease && !now.of(mine_.id))
      refuse(directory_, holder_words(holder_of(now, terms_.identity)));
    throw Error({directory_, "lease",
                 now.none() ? "none left in the directory"
                            : fmt::format("one that could not be renewed for {:.0f} s", silent()),
                 "this process's own: others may be at work there now"});
  }

 private:
  // Another machine waits for longer than this before it takes over.
  double trusted_seconds() const { return terms_.silence - terms_.renewal; }
  double silent() const { return seconds_now() - renewed_; }
  bool ran_out() const { return silent() > trusted_seconds(); }
  // Who takes it, having looked then, may replace one who has seen itself settled.
  bool too_long_since(double looked) const { return seconds_now() - looked > terms_.settle / 2; }

  // --- Taking

  void take() {
    DirectoryLock::Outcome outcome = DirectoryLock::Outcome::kNone;
    if (terms_.locks) std::tie(outcome, lock_) = DirectoryLock::attempt(directory_);
    while (true) {
      const Sight seen = look(directory_);
      if (!seen.none() && seen.error != 0) fail(path_in(directory_), seen.error);
      if (outcome == DirectoryLock::Outcome::kTheirs && !may_be_a_dead_machines_lock(seen))
        refuse(directory_, words_for_lock_of(seen));
      mine_.locked = lock_ != nullptr;
      renewed_ = seconds_now();
      if (seen.none() ? create() : take_over(seen)) return;
      require_not_stopped(terms_);
      sleep_seconds(kPauseBeforeAnotherTry);
    }
  }

  // A server may keep the lock of a machine that is no more.
  bool may_be_a_dead_machines_lock(const Sight& seen) const {
    return seen.lease && !terms_.identity.same_machine(seen.lease->identity) &&
           on_network_file_system(directory_);
  }

  // The file may be older than the lock, and of a process that is gone.
  std::string words_for_lock_of(const Sight& seen) const {
    if (!seen.lease) return "another process";
    const Holder holder = holder_of(seen, terms_.identity);
    const bool lives = holder.here ? process_lives(seen.lease->identity) : holder.alive;
    return lives ? holder_words(holder) : "another process";
  }

  // The first: exactly one can make a link that was not there. False: another was faster.
  bool create() {
    if (!write_aside()) fail(directory_, errno);
    const std::string path = path_in(directory_);
    const int error = link(aside_.c_str(), path.c_str()) == 0 ? 0 : errno;
    unlink(aside_.c_str());
    // A server may have done it and its answer be lost.
    if (error == 0 || look(directory_).of(mine_.id)) return true;
    if (error == EEXIST || error == ENOENT) return false;
    // No links here: the next best.
    if (write_whole(path, text_of(mine_), O_EXCL)) return true;
    if (errno == EEXIST) return false;
    fail(directory_, errno);
  }

  // False: it has changed meanwhile, or somebody else took it over at the same time.
  bool take_over(const Sight& seen) {
    const Standing standing = standing_of(seen);
    if (standing == Standing::kAtWork)
      refuse(directory_, holder_words(holder_of(seen, terms_.identity)));
    if (standing == Standing::kUnknown) {
      const Sight later = watch(directory_, seen, terms_);
      if (later.none()) return false;
      if (later.text != seen.text)
        refuse(directory_, holder_words(holder_of(later, terms_.identity)));
    }
    if (!write_aside()) {
      if (errno == ENOENT) return false;
      fail(directory_, errno);
    }
    // Nothing slow from here on: all who settle count on it.
    const double looked = seconds_now();
    const Sight last = look(directory_);
    if (last.error != 0 || last.text != seen.text || slow_since(looked)) {
      unlink(aside_.c_str());
      return false;
    }
    renewed_ = seconds_now();
    if (!move_into_place()) {
      const int error = errno;
      unlink(aside_.c_str());
      if (error == ENOENT) return false;
      fail(directory_, error);
    }
    if (slow_since(looked)) return false;
    // Of one machine the lock lets one through; of several the last to write stays.
    if (lock_ == nullptr || standing == Standing::kUnknown) sleep_seconds(terms_.settle);
    return look(directory_).of(mine_.id);
  }

  bool slow_since(double looked) const {
    if (!too_long_since(looked)) return false;
    if (terms_.notice)
      terms_.notice(fmt::format("the file system took {:.1f} s to answer in {}: trying again",
                                seconds_now() - looked, directory_));
    return true;
  }

  enum class Standing { kAtWork, kGone, kUnknown };
  Standing standing_of(const Sight& seen) const {
    // Written too late: one who had it by then has to notice first.
    if (seen.of(mine_.id)) return Standing::kUnknown;
    if (!seen.lease || !terms_.identity.same_machine(seen.lease->identity))
      return Standing::kUnknown;
    if (!process_lives(seen.lease->identity)) return Standing::kGone;
    // It lives and does not have the lock that it says it has: the directory is a copy of its own,
    // or it could not remove the file.
    return lock_ != nullptr && seen.lease->locked ? Standing::kUnknown : Standing::kAtWork;
  }

  // What those who were killed in the middle of a renewal have left, and what one who hangs there
  // would still put into place.
  void remove_leftovers() const {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(directory_, ignored)) {
      const std::string name = entry.path().filename().string();
      if (name != kName && is_lease_file(name)) unlink(entry.path().c_str());
    }
  }

  // --- Keeping

  bool write_aside() {
    {
      const std::lock_guard lock(note_mutex_);
      mine_.note = note_;
    }
    mine_.time = calendar_seconds();
    if (terms_.within) terms_.within(LeaseStep::kWrite);
    if (write_whole(aside_, text_of(mine_), O_TRUNC)) return true;
    const int error = errno;
    unlink(aside_.c_str());
    errno = error;
    return false;
  }

  bool move_into_place() {
    if (terms_.within) terms_.within(LeaseStep::kRename);
    return rename(aside_.c_str(), path_in(directory_).c_str()) == 0;
  }

  // What cannot be read just now is nobody's; and what is not there is looked for twice, as a
  // network's file system may lose sight of a file that is being replaced. True: seen to be mine.
  bool see_who_has_it() {
    Sight now = look(directory_);
    if (now.none()) {
      sleep_seconds(kPauseBeforeAnotherTry);
      now = look(directory_);
    }
    if (now.none() || (now.error == 0 && !now.of(mine_.id))) lost_ = true;
    return now.error == 0 && !lost_;
  }

  bool is_lost() {
    if (lost_) return true;
    see_who_has_it();
    // Stopped for a long time, or no room for the file: it may have been taken for dead.
    if (!lost_ && ran_out()) renew();
    return lost_ || ran_out();
  }

  // A failure is no loss yet: the next one may go well.
  void renew() {
    see_who_has_it();
    if (lost_) return;
    ++mine_.counter;
    if (!write_aside()) return;
    // Any of these steps may take as long as the file system likes. In time nobody else comes; late
    // it is to be taken again, as by anyone else.
    const bool late = ran_out();
    const double looked = seconds_now();
    if (late && (!see_who_has_it() || too_long_since(looked))) {
      unlink(aside_.c_str());
      return;
    }
    const double begun = seconds_now();
    const bool moved = move_into_place();
    // Over whatever stood there by then; and a failure may be that of the answer alone.
    if (late ? too_long_since(looked) : ran_out()) lost_ = true;
    if (lost_ || !moved) return;
    if (late) {
      // Somebody may be about to take over, having seen nothing for so long.
      sleep_seconds(terms_.settle);
      if (!see_who_has_it()) return;
    }
    renewed_ = begun;
  }

  void keep_renewing(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const auto pause = std::chrono::duration<double>(terms_.renewal);
    while (!lost_ && !wake_.wait_for(lock, stop, pause, [&] { return stop.stop_requested(); }))
      renew();
  }

  const std::string directory_;
  const LeaseTerms terms_;
  std::string aside_;                    // where it is written before it is moved into place
  std::unique_ptr<DirectoryLock> lock_;  // until the file is removed
  std::mutex note_mutex_;                // never held for long, unlike the other
  std::string note_;
  std::mutex mutex_;
  Lease mine_;
  double renewed_ = 0;
  bool lost_ = false;
  std::condition_variable_any wake_;
  std::jthread renewing_;
};

DirectoryLease::DirectoryLease(const std::string& directory, const LeaseTerms& terms)
    : tenure_(std::make_unique<Tenure>(directory, terms)) {}
DirectoryLease::~DirectoryLease() = default;

void DirectoryLease::note(const std::string& text) { tenure_->note(text); }
bool DirectoryLease::lost() const { return tenure_->lost(); }
void DirectoryLease::require() const { tenure_->require(); }

// --- Asking --------------------------------------------------------------------------------------

namespace {

// Of one machine: the lock knows, if the holder had it, or else the list of processes. A process
// that lives without the lock it had is at work elsewhere, and this is a copy of its directory.
bool at_work_here(const std::string& directory, const Lease& lease, const LeaseTerms& terms) {
  return process_lives(lease.identity) &&
         (!lease.locked || !terms.locks || DirectoryLock::held(directory));
}

}  // namespace

std::optional<DirectoryLease::Holder> DirectoryLease::holder(const std::string& directory,
                                                             const LeaseTerms& terms) {
  // What may not be entered holds nothing that could be asked about.
  if (access(directory.c_str(), R_OK | X_OK) != 0) return std::nullopt;
  const Sight seen = look(directory);
  if (!seen.none()) {
    const Holder holder = holder_of(seen, terms.identity);
    // Who comes back to take over has waited since now.
    if (!holder.here && seen.error == 0) first_seen(directory, seen.text);
    if (!holder.here || at_work_here(directory, *seen.lease, terms)) return holder;
  }
  // Its file may not be there yet, or may be that of one that is gone.
  std::error_code ignored;
  if (!terms.locks || !fs::is_directory(directory, ignored) || !DirectoryLock::held(directory))
    return std::nullopt;
  Holder unknown;
  unknown.host = terms.identity.host;
  return unknown;
}

std::optional<DirectoryLease::Holder> DirectoryLease::holder_elsewhere(const std::string& directory,
                                                                       const LeaseTerms& terms) {
  if (access(directory.c_str(), X_OK) != 0) return std::nullopt;
  const Sight seen = look(directory);
  if (seen.none()) return std::nullopt;
  const Holder holder = holder_of(seen, terms.identity);
  if (holder.here) return std::nullopt;
  // Clocks that agree say enough to refuse, never enough to allow. What cannot be read cannot be
  // watched.
  if (seen.error != 0) return holder;
  if (seen.lease && std::abs(calendar_seconds() - seen.lease->time) <= kLongSilence) return holder;
  const Sight later = watch(directory, seen, terms);
  if (later.none() || later.text == seen.text) return std::nullopt;
  return holder_of(later, terms.identity);
}

}  // namespace armature
