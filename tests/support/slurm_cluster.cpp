#include "support/slurm_cluster.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <stdexcept>

#include "base/file.h"

namespace armature::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestFolder = 40;  // a socket's whole path has 107 bytes at most
constexpr int kStarts = 5;                  // a free port may be somebody's by the time it is used

// Daemons are in sbin, which is on nobody's PATH but root's.
std::string program(const std::string& name) {
  for (const char* folder : {"/usr/sbin/", "/usr/bin/", "/usr/local/sbin/", "/usr/local/bin/"})
    if (access((folder + name).c_str(), X_OK) == 0) return folder + name;
  return "";
}

std::string user_name() {
  const passwd* user = getpwuid(geteuid());
  if (user == nullptr) throw std::runtime_error("a user without a name");
  return user->pw_name;
}

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  const std::string whole = name;
  return whole.substr(0, whole.find('.'));
}

// Everything that belongs to a cluster has the path of its slurm.conf in its environment: daemons,
// what they start for a job, and the job's own processes. There is no other bond between them all.
std::string mark_of(const std::string& directory) {
  return "SLURM_CONF=" + directory + "/slurm.conf";
}

std::vector<pid_t> processes_of(const std::string& directory) {
  const std::string mark = '\0' + mark_of(directory) + '\0';
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const pid_t process = std::atoi(entry.path().filename().c_str());
    if (process <= 0) continue;
    const int file = open((entry.path() / "environ").c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;  // gone, or somebody else's
    std::string environment(1, '\0');
    char bytes[4096];
    for (ssize_t count = 0; (count = read(file, bytes, sizeof bytes)) > 0;)
      environment.append(bytes, static_cast<std::size_t>(count));
    close(file);
    if (environment.find(mark) != std::string::npos) found.push_back(process);
  }
  return found;
}

void make_folder(const std::string& path, mode_t mode) {
  if (mkdir(path.c_str(), mode) != 0 || chmod(path.c_str(), mode) != 0)
    throw std::runtime_error("cannot make " + path);
}

}  // namespace

std::string SlurmCluster::missing() {
  std::vector<std::string> names;
  for (const char* name : {"munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue"})
    if (program(name).empty()) names.push_back(name);
  if (names.empty()) return "";
  return fmt::format("no {} here: install slurm-wlm, slurm-wlm-basic-plugins and munge",
                     fmt::join(names, ", "));
}

SlurmCluster::SlurmCluster(int processors) : processors_(processors) {
  try {
    make_directory();
    start();
  } catch (...) {
    end();
    throw;
  }
}

SlurmCluster::~SlurmCluster() { end(); }

void SlurmCluster::make_directory() {
  fs::path folder = fs::temp_directory_path();
  if (folder.string().size() > kLongestFolder) folder = "/tmp";
  std::string pattern = folder / "armature-slurm-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
  directory_ = pattern;
  will_ = std::make_unique<LastWill>(
      fmt::format("for i in 1 2 3; do for p in /proc/[0-9]*; do\n"
                  "  grep -qzx '{0}' $p/environ 2>/dev/null && kill -KILL ${{p#/proc/}}\n"
                  "done; done\nrm -rf '{1}'",
                  mark_of(directory_), directory_));
  chmod(directory_.c_str(), 0755);  // or munged takes its socket to be out of reach
  make_folder(directory_ + "/munge", 0755);
  make_folder(directory_ + "/state", 0755);
  for (const char* node : {"n1", "n2"}) {
    make_folder(directory_ + "/spool-" + node, 0755);
    make_folder(directory_ + "/tmp-" + node, 0777);
  }
  // Whoever reads it may act for anybody, on this cluster.
  FileWriter key(directory_ + "/munge/key", FileReaders::kOwner);
  const int source = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  std::string bytes(128, '\0');
  const ssize_t count = read(source, bytes.data(), bytes.size());
  close(source);
  if (count != static_cast<ssize_t>(bytes.size())) throw std::runtime_error("no random bytes");
  key.write(bytes);
  key.commit();
}

// No accounting, no control groups, no systemd. Two nodes on one machine keep apart what they
// spool and what PMIx puts into the folder for temporary files. Jobs start as soon as they can; no
// node is given up because a busy machine was slow to answer.
void SlurmCluster::configure() const {
  write_file(directory_ + "/slurm.conf",
             fmt::format(R"(ClusterName=armature
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmdSpoolDir={folder}/spool-%n
TmpFS={folder}/tmp-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
MpiDefault=none
SlurmdParameters=config_overrides
SlurmdTimeout=0
MessageTimeout=60
ReturnToService=2
KillWait=1
MinJobAge=3600
MailProg=/bin/true
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={first} CPUs={processors}
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={second} CPUs={processors}
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
PartitionName=short Nodes=n1,n2 MaxTime=30 State=UP
PartitionName=closed Nodes=n1,n2 MaxTime=INFINITE State=DOWN
)",
                         fmt::arg("host", host_name()), fmt::arg("user", user_name()),
                         fmt::arg("folder", directory_), fmt::arg("port", free_port()),
                         fmt::arg("first", free_port()), fmt::arg("second", free_port()),
                         fmt::arg("processors", processors_)));
}

void SlurmCluster::begin(const std::string& name, std::vector<std::string> arguments) {
  const int journal =
      open((directory_ + "/journal").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  ProgramStart start;
  start.arguments = std::move(arguments);
  start.arguments.insert(start.arguments.begin(), program(name));
  start.environment = {{"SLURM_CONF", directory_ + "/slurm.conf"}};
  start.directory = directory_;
  start.output = journal;
  start.error = journal;
  daemons_.push_back(begin_program(start));
  close(journal);
}

void SlurmCluster::start() {
  if (const std::string none = missing(); !none.empty()) throw std::runtime_error(none);
  const std::string munge = directory_ + "/munge/";
  begin("munged", {"--foreground", "--force", "--key-file=" + munge + "key",
                   "--socket=" + munge + "socket", "--pid-file=" + munge + "pid",
                   "--log-file=" + munge + "log", "--seed-file=" + munge + "seed"});
  if (!comes_true([&] { return has_failed() || fs::exists(munge + "socket"); }) || has_failed())
    throw std::runtime_error("munged did not start:\n" + journal());
  for (int attempt = 1; attempt <= kStarts; ++attempt) {
    configure();
    begin("slurmctld", {"-D", "-c"});
    begin("slurmd", {"-D", "-N", "n1"});
    begin("slurmd", {"-D", "-N", "n2"});
    bool failed = false;
    const bool ready = comes_true([&] {
      failed = has_failed();
      return failed || shell("sinfo -h -o '%D %t'").out == "2 idle\n";
    });
    if (ready && !failed) return;
    while (daemons_.size() > 1) {
      ::kill(daemons_.back(), SIGKILL);
      wait_for_end(daemons_.back());
      daemons_.pop_back();
    }
  }
  throw std::runtime_error("Slurm did not start:\n" + journal());
}

bool SlurmCluster::has_failed() {
  return std::any_of(daemons_.begin(), daemons_.end(), [](pid_t daemon) {
    siginfo_t ended = {};
    return waitid(P_PID, static_cast<id_t>(daemon), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           ended.si_pid == daemon;
  });
}

// Nothing that is killed here is wanted again, so nobody is asked to end. A process may have been
// forked while others were looked for.
void SlurmCluster::end() {
  if (directory_.empty()) return;
  for (const pid_t daemon : daemons_) ::kill(daemon, SIGKILL);
  for (const pid_t daemon : daemons_) wait_for_end(daemon);
  daemons_.clear();
  comes_true([&] {
    const std::vector<pid_t> left = processes_of(directory_);
    for (const pid_t process : left) ::kill(process, SIGKILL);
    return left.empty();
  });
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

// Where the tests are themselves a job of some Slurm, nothing of that one is meant. Both nodes have
// this machine's name: by it Open MPI would take ranks of different nodes to share memory, and mix
// up the segments of ranks with the same number on theirs.
ProgramResult SlurmCluster::shell(const std::string& command, const std::string& directory) const {
  return run_shell("unset ${!SLURM*} ${!SBATCH*} ${!SRUN*} ${!PMI*}\nexport " +
                       mark_of(directory_) +
                       " OMPI_MCA_btl=tcp,self OMPI_MCA_btl_tcp_if_include=lo\n" + command,
                   directory);
}

void SlurmCluster::wait_for_jobs() const {
  const auto none_left = [this] {
    const ProgramResult queue = shell("squeue -h");
    return queue.status == 0 && queue.out.empty();
  };
  if (!comes_true(none_left))
    throw std::runtime_error("jobs do not end:\n" + shell("squeue").out + journal());
}

std::string SlurmCluster::journal() const {
  return fs::exists(directory_ + "/journal") ? read_file(directory_ + "/journal") : "";
}

}  // namespace armature::test
