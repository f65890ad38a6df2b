// The decision service: experiments over HTTP that never lose what they have acknowledged.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <future>
#include <memory>
#include <tuple>

#include "armature/version.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/serve_demo.h"
#include "cli/store_option.h"
#include "cli/terminal.h"
#include "service/http/host.h"
#include "service/store.h"

namespace armature::cli {
namespace {

using service::http::Host;
using service::http::HostOptions;
using service::http::Journal;

constexpr int kReplaced = 75;     // EX_TEMPFAIL: another process has this node's name
constexpr int kBrokenStore = 74;  // EX_IOERR: a supervisor starts it again, and recovery decides

struct Options {
  std::string directory;
  std::string store;  // a database
  std::string node;
  std::string address;
  std::string lease = "10s";
  std::string read_store;
  std::string peer_authority;
  std::string peer_certificate;
  std::string peer_key;
  std::string listen = "127.0.0.1:8600";
  std::string certificate;
  std::string key;
  bool behind_proxy = false;
  std::string threads = "2";
  std::string rate = "0";
  std::string disk_floor = "256";
  std::string log = "notable";
  std::string lasting;
  bool demo = false;
};

// host:port, [v6]:port.
std::pair<std::string, unsigned short> split_address(const char* option, const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const std::string expected = "ADDRESS:PORT, as 127.0.0.1:8600 or [::1]:8600";
  if (colon == std::string::npos || colon == 0)
    throw Error({"", option, "'" + text + "'", expected});
  std::string address = text.substr(0, colon);
  if (address.starts_with('[') && address.ends_with(']'))
    address = address.substr(1, address.size() - 2);
  const auto port = parse_integer(text.substr(colon + 1));
  if (!port || *port > 65'535) throw Error({"", option, "'" + text + "'", expected});
  return {address, static_cast<unsigned short>(*port)};
}

Journal::Requests requests_told(const std::string& log) {
  if (log == "all") return Journal::Requests::kAll;
  if (log == "notable") return Journal::Requests::kNotable;
  if (log == "none") return Journal::Requests::kNone;
  throw Error({"", "--log", "'" + log + "'", "all, notable or none"});
}

void read_node(const Options& options, bool on_database, HostOptions& host) {
  const std::pair<const char*, const std::string*> given[] = {
      {"--node", &options.node},
      {"--address", &options.address},
      {"--read-store", &options.read_store},
      {"--peer-authority", &options.peer_authority},
      {"--peer-certificate", &options.peer_certificate}};
  for (const auto& [name, value] : given)
    if (!value->empty() && !on_database)
      throw Error(
          {"", name, "'" + *value + "'", "nothing, or several nodes: --store postgresql://…"});
  host.node.name = options.node;
  host.node.address = options.address;
  if (!options.address.empty() &&
      split_address("--address", options.address).first.find_first_of("/@? ") != std::string::npos)
    throw Error({"", "--address", "'" + options.address + "'", "HOST:PORT, without a scheme"});
  host.node.read_store = options.read_store;
  host.server.peer_authority = options.peer_authority;
  if (options.peer_certificate.empty() != options.peer_key.empty())
    throw Error({"", options.peer_key.empty() ? "--peer-key" : "--peer-certificate", "nothing",
                 "a file in PEM: certificate and key belong together"});
  host.peers.certificate = options.peer_certificate;
  host.peers.key = options.peer_key;
  const std::optional<service::Time> lease = service::parse_duration(options.lease, "--lease");
  if (!lease || *lease < service::kSecond || *lease > service::kHour)
    throw Error({"", "--lease", "'" + options.lease + "'", "1s to 1h"});
  host.node.lease = std::chrono::milliseconds(*lease / 1000);
}

HostOptions host_options(const Options& options, bool on_database, Journal& journal) {
  HostOptions host;
  std::tie(host.server.address, host.server.port) = split_address("--listen", options.listen);
  read_node(options, on_database, host);
  host.server.certificate = options.certificate;
  host.server.key = options.key;
  host.server.behind_proxy = options.behind_proxy;
  host.server.threads = static_cast<unsigned>(whole_number("--threads", options.threads, 1, 64));
  host.requests_per_second = real_number("--rate", options.rate, "a number from 0 on");
  if (!(host.requests_per_second >= 0))
    throw Error({"", "--rate", "'" + options.rate + "'", "a number from 0 on"});
  host.service.disk_floor = whole_number("--disk-floor", options.disk_floor, 0, 1 << 30) << 20;
  host.service.on_replay_mismatch = [&journal](const std::string& what) {
    journal.note("replay mismatch", what);
  };
  host.service.on_broken_store = [&journal](const std::string& why) {
    journal.note("broken store", why);
    journal.flush();
    std::_Exit(kBrokenStore);
  };
  host.node.on_replaced = [&journal] {
    journal.flush();
    std::_Exit(kReplaced);
  };
  host.journal = &journal;
  return host;
}

// Signals are waited for, not handled: every thread that starts later has them blocked.
class Signals {
 public:
  Signals() {
    sigemptyset(&set_);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set_, signal);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
  }
  /// 0: it is that late.
  int wait(std::optional<service::Time> until) const {
    if (!until) {
      int signal = 0;
      sigwait(&set_, &signal);
      return signal;
    }
    for (;;) {
      const service::Time left =
          std::max<service::Time>(*until - service::system_clock().monotonic(), 0);
      const timespec time{static_cast<std::time_t>(left / service::kSecond),
                          static_cast<long>(left % service::kSecond * 1000)};
      const int signal = sigtimedwait(&set_, nullptr, &time);
      if (signal > 0) return signal;
      if (errno == EAGAIN) return 0;
    }
  }
  /// From now on they end the process at once: nothing that was acknowledged is lost by that.
  void let_through() const { pthread_sigmask(SIG_UNBLOCK, &set_, nullptr); }

 private:
  sigset_t set_;
};

// A directory, or a database: from the command line or the environment, where passwords are nobody
// else's to see.
std::string store_of(const Options& options) {
  if (!options.directory.empty() && !options.store.empty())
    throw Error({"serve", "--store", "one beside a directory", "one of the two"});
  if (options.directory.empty() && options.store.empty() && options.demo) return "service-demo";
  const std::string typed = options.directory.empty() ? options.store : options.directory;
  if (!typed.empty()) {
    if (!options.store.empty() && !service::is_database(options.store))
      throw Error({"serve", "--store", "something else", "postgresql://USER@HOST/DATABASE"});
    return typed;
  }
  return store_in_environment("serve",
                              "a directory for the store, --store postgresql://…, or --demo");
}

// Recovering may take as long as the log is: whoever does not want to wait for it need not. Null:
// told to end.
std::unique_ptr<Host> recover(const Signals& signals, const std::string& directory,
                              const HostOptions& options) {
  auto making =
      std::async(std::launch::async, [&] { return std::make_unique<Host>(directory, options); });
  while (making.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    const int signal = signals.wait(service::system_clock().monotonic() + service::kSecond / 100);
    if (signal == SIGTERM || signal == SIGINT) {
      static auto abandoned = std::move(making);  // its end would wait
      return nullptr;
    }
  }
  return making.get();
}

void serve(const Options& options) {
  const std::string store = store_of(options);
  const std::optional<service::Time> lasting =
      options.lasting.empty() ? std::nullopt : service::parse_duration(options.lasting, "--for");
  const Signals signals;
  Journal journal(stderr, requests_told(options.log));
  const std::unique_ptr<Host> made =
      recover(signals, store, host_options(options, service::is_database(store), journal));
  if (!made) {
    journal.note("stopped", "while it recovered");
    journal.flush();
    std::_Exit(
        0);  // nothing was acknowledged; whoever recovers now does so again at the next start
  }
  Host& host = *made;
  std::optional<DemoCrowd> crowd;
  if (options.demo) crowd.emplace(host.service());
  journal.note("listening", host.server().url());
  emit(std::nullopt, fmt::format("armature {}{} serves {} at {}\n", version(),
                                 host.node().empty() ? "" : ", node " + host.node() + ",",
                                 visible(service::shown_store(store)), host.server().url()));
  std::optional<service::Time> until;
  if (lasting) until = service::system_clock().monotonic() + *lasting;
  for (;;) {
    const int signal = signals.wait(until);
    if (signal != SIGHUP) break;
    if (options.certificate.empty()) continue;
    try {
      host.reload_certificate();
      journal.note("certificate", "read again");
    } catch (const Error& error) {
      journal.note("certificate", error.what());
    }
  }
  journal.note("stopping");
  signals.let_through();
  crowd.reset();
  host.stop();
  journal.note("stopped");
}

}  // namespace

void add_serve(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "serve", "adaptive experiments over HTTP: nothing acknowledged is ever lost");
  command->add_option("DIR", options->directory, "where the store is, or will be");
  command->add_option("--store", options->store,
                      "instead of DIR a PostgreSQL database that several nodes share: "
                      "postgresql://USER@HOST/DATABASE; or in ARMATURE_STORE");
  command->add_option("--node", options->node,
                      "of several: this one's name, the same after a restart; by default after the "
                      "machine and the port");
  command->add_option("--address", options->address,
                      "of several: HOST:PORT where the others reach this one, if not as --listen");
  command
      ->add_option("--lease", options->lease,
                   "of several: whoever is not heard of for so long is taken for dead")
      ->capture_default_str();
  command->add_option("--read-store", options->read_store,
                      "of several: a standby database for downloads of logs and snapshots");
  command->add_option("--peer-authority", options->peer_authority,
                      "of several: nodes prove themselves by certificates of this authority (PEM), "
                      "not by the secret in the store");
  command->add_option("--peer-certificate", options->peer_certificate,
                      "of several: what this node shows to others, if not --certificate");
  command->add_option("--peer-key", options->peer_key, "its private key in PEM");
  command->add_option("--listen,-l", options->listen, "ADDRESS:PORT; port 0: any that is free")
      ->capture_default_str();
  command->add_option("--certificate", options->certificate,
                      "TLS: the certificate chain in PEM, read again on SIGHUP");
  command->add_option("--key", options->key, "its private key in PEM");
  command->add_flag(
      "--behind-proxy", options->behind_proxy,
      "a reverse proxy sees to TLS: plain HTTP beyond this machine, or from the proxy "
      "on it; tokens are needed in any case");
  command->add_option("--threads,-j", options->threads, "that read and answer requests")
      ->capture_default_str();
  command->add_option("--rate", options->rate, "requests a second of one token; 0: no limit")
      ->capture_default_str();
  command
      ->add_option("--disk-floor", options->disk_floor,
                   "MiB that must be free for new decisions; reports go on below")
      ->capture_default_str();
  command
      ->add_option(
          "--log", options->log,
          "requests told of on standard error: all, notable (changes and failures) or none")
      ->capture_default_str();
  command->add_flag("--demo", options->demo,
                    "with an experiment and a crowd of made-up users at work");
  command->add_option("--for", options->lasting, "stop after so long: 90s, 30m, 24h");
  command->footer(
      "On this machine nobody needs a token until the first one is made; elsewhere it does not "
      "start without tokens, and without TLS or --behind-proxy. SIGTERM: answers what was asked "
      "and leaves one plain file; a second one: at once, and nothing acknowledged is lost.\n\n"
      "Examples:\n"
      "  armature serve mail-service --demo --listen 127.0.0.1:0 --for 1s\n"
      "  armature serve mail-service --listen 127.0.0.1:0 --log all --for 1s\n\n"
      "Several nodes: armature service migrate URL, and then on each machine armature serve --store "
      "URL (docs/service.md).");
  command->callback([options] { serve(*options); });
}

}  // namespace armature::cli
