// The client's Asio; server.cpp has the server's, and nobody else knows it.
#include "service/http/peers.h"

#include <fmt/format.h>

#include <utility>  // Boost 1.74's Asio forgets it
//
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/connect.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "service/http/reader.h"

namespace armature::service::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using TlsStream = asio::ssl::stream<tcp::socket>;

constexpr std::size_t kReadBytes = std::size_t{16} << 10;
constexpr std::size_t kEachBytes = 1'024;  // of a request beside its body, for the budget
constexpr std::size_t kShortestSecret = 16;

// http://host:port, taken apart.
struct Address {
  bool tls = false;
  std::string authority;  // host:port, as the header has it
  std::string host;       // without brackets
  std::string port;
};

std::optional<Address> address_in(std::string_view url) {
  Address address;
  address.tls = url.starts_with("https://");
  if (!address.tls && !url.starts_with("http://")) return std::nullopt;
  url.remove_prefix(address.tls ? 8 : 7);
  if (url.ends_with('/')) url.remove_suffix(1);
  address.authority = url;
  std::size_t end = url.rfind(':');
  if (url.starts_with('[')) {
    const std::size_t bracket = url.find(']');
    if (bracket == std::string_view::npos) return std::nullopt;
    address.host = url.substr(1, bracket - 1);
    end = bracket + 1 < url.size() && url[bracket + 1] == ':' ? bracket + 1 : std::string::npos;
  } else {
    address.host = url.substr(0, end);
  }
  address.port = end == std::string_view::npos ? (address.tls ? "443" : "80")
                                               : std::string(url.substr(end + 1));
  const bool sound = !address.host.empty() && !address.port.empty() &&
                     address.host.find_first_of("/?#@ ") == std::string::npos &&
                     address.port.find_first_not_of("0123456789") == std::string::npos;
  return sound ? std::optional(address) : std::nullopt;
}

// Its end alone says that the request is whole: a node does nothing before it has it all.
std::string head_of(const HttpRequest& request, const Address& to, const PeerOptions& own) {
  std::string head = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nArmature-Peer: {}{}{}\r\n",
                                 request.method, request.target, to.authority, own.node,
                                 own.secret.empty() ? "" : " ", own.secret);
  if (!request.authorization.empty())
    head += fmt::format("Authorization: {}\r\n", request.authorization);
  if (request.idempotency_key)
    head += fmt::format("Idempotency-Key: {}\r\n", *request.idempotency_key);
  return head + fmt::format("Content-Length: {}\r\n\r\n", request.body.size());
}

std::shared_ptr<asio::ssl::context> tls_context(const PeerOptions& options) {
  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_client);
  context->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_sslv2 |
                       asio::ssl::context::no_sslv3 | asio::ssl::context::no_tlsv1 |
                       asio::ssl::context::no_tlsv1_1);
  context->set_verify_mode(asio::ssl::verify_peer);
  error_code error;
  if (options.authority.empty())
    context->set_default_verify_paths(error);
  else
    context->add_certificate_authority(asio::buffer(read_file(options.authority)), error);
  if (error) throw Error({options.authority, "authority", error.message(), "certificates in PEM"});
  if (options.certificate.empty()) return context;
  context->use_certificate_chain(asio::buffer(read_file(options.certificate)), error);
  if (error) throw Error({options.certificate, "certificate", error.message(), "a chain in PEM"});
  context->use_private_key(asio::buffer(read_file(options.key)), asio::ssl::context::pem, error);
  if (error)
    throw Error({options.key, "key", error.message(), "the certificate's private key in PEM"});
  return context;
}

// The node did not believe what was shown to it: TLS 1.3 says so only after the handshake.
bool refuses_certificate(error_code error) {
  if (error.category() != asio::error::get_ssl_category()) return false;
  switch (ERR_GET_REASON(static_cast<unsigned long>(error.value()))) {
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_TLSV1_ALERT_DECRYPT_ERROR:
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
      return true;
    default:
      return false;
  }
}

class Line;

// A request on its way to its answer.
struct Exchange {
  Exchange(asio::io_context& io, Budget::Share room) : share(std::move(room)), timer(io) {}

  std::string url;
  std::shared_ptr<const HttpRequest> request;
  bool repeatable = false;
  bool repeated = false;     // it is on its second line
  bool late = false;         // it has taken all the time it had
  std::weak_ptr<Line> line;  // none: it waits for one
  Peers::Done done;
  Budget::Share share;
  asio::steady_timer timer;

  void end(PeerAnswer answer) {
    timer.cancel();
    line.reset();
    request.reset();
    share = {};
    if (const Peers::Done call = std::exchange(done, nullptr)) call(std::move(answer));
  }
};
using Held = std::shared_ptr<Exchange>;

// One node, as far as it is asked.
struct Peer {
  Address address;
  std::vector<std::shared_ptr<Line>> idle;  // the last one used is the next: the others grow old
  std::deque<Held> waiting;
  std::size_t lines = 0;  // all there are…
  std::size_t open = 0;   // …and those of them that stand
};

// What lines need of their pool. All of it is used on one thread.
class Pool {
 public:
  Pool(RequestCounts& counters, PeerOptions settings)
      : counts(counters), options(std::move(settings)) {}
  virtual ~Pool() = default;

  /// A line that stands and that nobody uses: for who waits, or for later.
  virtual void rest(Peer& peer, const std::shared_ptr<Line>& line) = 0;
  /// It is gone. `next` is asked again, on a new one; null: nobody.
  virtual void gone(Peer& peer, const std::shared_ptr<Line>& line, Held next) = 0;
  /// There was no line to be had: with none that stands nobody has anything to wait for.
  virtual void unreachable(Peer& peer, const std::string& why) = 0;

  RequestCounts& counts;
  const PeerOptions options;
};

// One connection to a node.
class Line : public std::enable_shared_from_this<Line> {
 public:
  virtual ~Line() = default;
  virtual void open(Held first) = 0;
  virtual void use(Held exchange) = 0;
  /// As far as this machine knows the node has not closed it.
  virtual bool stands() = 0;
  /// Whoever is on it is told; nothing comes of it any more.
  virtual void close(const std::string& why) = 0;
};

// Something is read from it always: so it is noticed when the node closes it while nobody uses it.
template <class Stream>
class StreamLine final : public Line {
 public:
  template <class... More>
  StreamLine(asio::io_context& io, Pool& pool, Peer& peer,
             std::shared_ptr<asio::ssl::context> context, More&... more)
      : pool_(pool),
        peer_(peer),
        context_(std::move(context)),
        stream_(io, more...),
        resolver_(io),
        timer_(io) {}

  void open(Held first) override {
    take(std::move(first));
    timer_.expires_after(pool_.options.connect_time);
    timer_.async_wait([self = self()](error_code error) {
      if (!error && !self->stood_) self->close("no connection within its time");
    });
    error_code not_numeric;
    const auto address = asio::ip::make_address(peer_.address.host, not_numeric);
    if (!not_numeric) {
      const tcp::endpoint endpoint(
          address, static_cast<unsigned short>(std::atoi(peer_.address.port.c_str())));
      return socket().async_connect(endpoint,
                                    [self = self()](error_code error) { self->connected(error); });
    }
    resolver_.async_resolve(
        peer_.address.host, peer_.address.port,
        [self = self()](error_code error, const tcp::resolver::results_type& found) {
          if (error || self->closed_) return self->connected(error);
          asio::async_connect(
              self->socket(), found,
              [self](error_code failed, const tcp::endpoint&) { self->connected(failed); });
        });
  }

  void use(Held exchange) override {
    take(std::move(exchange));
    timer_.cancel();
    reused_ = true;
    write();
  }

  bool stands() override {
    char byte = 0;
    return !closed_ && ::recv(socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
           (errno == EAGAIN || errno == EWOULDBLOCK);
  }

  void close(const std::string& why) override {
    if (closed_) return;
    closed_ = true;
    if (trouble_.empty()) trouble_ = why;
    error_code ignored;
    timer_.cancel();
    resolver_.cancel();
    socket().close(ignored);
    // While it is being written nobody knows whether all of it was: the end of that will tell.
    if (!writing_) conclude();
  }

 private:
  static constexpr bool kTls = std::is_same_v<Stream, TlsStream>;

  std::shared_ptr<StreamLine> self() {
    return std::static_pointer_cast<StreamLine>(shared_from_this());
  }
  tcp::socket& socket() {
    if constexpr (kTls)
      return stream_.next_layer();
    else
      return stream_;
  }

  void take(Held exchange) {
    exchange->line = weak_from_this();
    exchange_ = std::move(exchange);
    reader_ = std::make_unique<ReplyReader>(pool_.options.most_answer);
    sent_ = false;
  }

  void connected(error_code error) {
    if (closed_) return;
    if (error) return close(error.message());
    error_code ignored;
    socket().set_option(tcp::no_delay(true), ignored);
    if constexpr (kTls) {
      const std::string& host = peer_.address.host;
      error_code not_numeric;
      asio::ip::make_address(host, not_numeric);
      if (not_numeric) SSL_set_tlsext_host_name(stream_.native_handle(), host.c_str());
      stream_.set_verify_callback(asio::ssl::host_name_verification(host), ignored);
      stream_.async_handshake(asio::ssl::stream_base::client,
                              [self = self()](error_code failed) { self->begin(failed); });
    } else {
      begin(error);
    }
  }

  void begin(error_code error) {
    if (closed_) return;
    if (error) return close(error.message());
    stood_ = true;
    timer_.cancel();
    ++peer_.open;
    pool_.counts.peer_connections.fetch_add(1);
    read();
    write();
  }

  void write() {
    writing_ = true;
    head_ = head_of(*exchange_->request, peer_.address, pool_.options);
    const std::array<asio::const_buffer, 2> buffers = {asio::buffer(head_),
                                                       asio::buffer(exchange_->request->body)};
    asio::async_write(stream_, buffers, [self = self()](error_code error, std::size_t) {
      self->writing_ = false;
      self->sent_ = !error;
      if (self->closed_) return self->conclude();
      if (self->reader_->state() == ReplyReader::State::kDone) return self->answered();
      if (error) self->close(error.message());
    });
  }

  void read() {
    stream_.async_read_some(asio::buffer(input_),
                            [self = self()](error_code error, std::size_t count) {
                              if (self->closed_) return;
                              if (error) {
                                self->refused_ = refuses_certificate(error);
                                return self->close(error.message());
                              }
                              if (!self->take_in({self->input_.data(), count}))
                                return self->close("an answer that is none");
                              if (!self->closed_) self->read();
                            });
  }

  bool take_in(std::string_view bytes) {
    if (!exchange_) return false;  // nothing was asked
    pending_ += bytes;
    pending_.erase(0, reader_->put(pending_));
    if (reader_->state() == ReplyReader::State::kDone && !writing_) answered();
    return closed_ || !exchange_ || reader_->state() != ReplyReader::State::kBroken;
  }

  void answered() {
    const Held exchange = std::exchange(exchange_, nullptr);
    const bool again = sent_ && pending_.empty() && reader_->keep_alive() && !closed_;
    PeerAnswer answer{PeerAnswer::Kind::kAnswered, reader_->take()};
    if (again) {
      wait_for_use();
      pool_.rest(peer_, shared_from_this());
    } else {
      close("not kept");
    }
    exchange->end(std::move(answer));
  }

  void wait_for_use() {
    timer_.expires_after(pool_.options.idle_time);
    timer_.async_wait([self = self()](error_code error) {
      if (!error && !self->exchange_) self->close("not used");
    });
  }

  // Closed, and nothing is being written any more.
  void conclude() {
    if (concluded_) return;
    concluded_ = true;
    if (stood_) {
      --peer_.open;
      pool_.counts.peer_connections.fetch_sub(1);
    }
    const Held exchange = std::exchange(exchange_, nullptr);
    // It has it all only if all was written; what fails TLS's handshake has asked for nothing.
    const bool unsent = !sent_ || (refused_ && !reader_->begun());
    const bool silent = reused_ && exchange && !reader_->begun();
    const bool next =
        silent && !exchange->late && !exchange->repeated && (unsent || exchange->repeatable);
    if (next) exchange->repeated = true;
    if (!stood_) pool_.unreachable(peer_, trouble_);
    pool_.gone(peer_, shared_from_this(), next ? exchange : nullptr);
    if (exchange && !next)
      exchange->end(
          {unsent ? PeerAnswer::Kind::kUnsent : PeerAnswer::Kind::kUnknown, {}, trouble_});
  }

  Pool& pool_;
  Peer& peer_;
  std::shared_ptr<asio::ssl::context> context_;  // outlives the stream
  Stream stream_;
  tcp::resolver resolver_;
  asio::steady_timer timer_;  // to stand, and then to be used
  Held exchange_;
  std::string head_;
  std::array<char, kReadBytes> input_;
  std::string pending_;  // what the reader has not taken yet
  std::unique_ptr<ReplyReader> reader_;
  std::string trouble_;
  bool stood_ = false;
  bool reused_ = false;
  bool writing_ = false;
  bool sent_ = false;     // all of the request
  bool refused_ = false;  // what this node shows of itself
  bool closed_ = false;
  bool concluded_ = false;
};

}  // namespace

void check_peers(const PeerOptions& options, bool certificates_prove) {
  if (!is_name(options.node))
    throw Error({"", "node", "'" + options.node + "'", "letters, digits, - and _"});
  if (options.secret.empty() && !certificates_prove)
    throw Error({"", "secret", "nothing", "a secret that all nodes share, or certificates"});
  if (options.secret.empty()) return;
  if (options.secret.size() < kShortestSecret)
    throw Error({"", "secret", fmt::format("{} bytes", options.secret.size()),
                 fmt::format("at least {}", kShortestSecret)});
  for (const char c : options.secret)
    if (c <= ' ' || c > '~') throw Error({"", "secret", "other characters", "printable ASCII"});
}

class Peers::Inside final : public Pool {
 public:
  Inside(RequestCounts& counters, PeerOptions settings)
      : Pool(counters, std::move(settings)), room_(options.most_bytes) {
    reload_certificate();
    thread_ = std::thread([this] { io_.run(); });
  }
  ~Inside() override { stop(); }

  void send(const std::string& url, std::shared_ptr<const HttpRequest> request, bool repeatable,
            std::chrono::milliseconds timeout, Done done) {
    const auto refuse = [&](const char* why) { done({PeerAnswer::Kind::kUnsent, {}, why}); };
    Budget::Share share = room_.take(kEachBytes + request->body.size());
    if (!share)
      return done({PeerAnswer::Kind::kBusy, {}, "more is under way than there is room for"});
    auto exchange = std::make_shared<Exchange>(io_, std::move(share));
    exchange->url = url;
    exchange->request = std::move(request);
    exchange->repeatable = repeatable;
    {
      // Whatever is posted before the end is called back by it.
      const std::lock_guard lock(mutex_);
      if (!stopping_) {
        exchange->done = std::move(done);
        return asio::post(io_, [this, exchange, timeout] { begin(exchange, timeout); });
      }
    }
    refuse("this node stops");
  }

  void reload_certificate() {
    auto context = tls_context(options);
    const std::lock_guard lock(mutex_);
    context_ = std::move(context);
  }

  void begin_stop() {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }

  void stop() {
    begin_stop();
    if (!thread_.joinable()) return;
    asio::post(io_, [this] { end_all(); });
    thread_.join();
  }

  void rest(Peer& peer, const std::shared_ptr<Line>& line) override {
    peer.idle.push_back(line);
    serve(peer);
  }

  void gone(Peer& peer, const std::shared_ptr<Line>& line, Held next) override {
    --peer.lines;
    std::erase(peer.idle, line);
    lines_.erase(line);
    if (next && ended_) {
      next->end({PeerAnswer::Kind::kUnsent, {}, "this node stops"});
    } else if (next) {
      open_line(peer, std::move(next));
    }
    serve(peer);
  }

  void unreachable(Peer& peer, const std::string& why) override {
    if (peer.open > 0) return;
    for (const Held& one : std::exchange(peer.waiting, {}))
      one->end({PeerAnswer::Kind::kUnsent, {}, why});
  }

 private:
  void begin(const Held& exchange, std::chrono::milliseconds timeout) {
    const auto refuse = [&](const char* why) {
      exchange->end({PeerAnswer::Kind::kUnsent, {}, why});
    };
    if (ended_) return refuse("this node stops");
    auto found = peers_.find(exchange->url);
    if (found == peers_.end()) {
      std::optional<Address> address = address_in(exchange->url);
      if (!address) return refuse("an address that is none");
      found = peers_.try_emplace(exchange->url).first;
      found->second.address = std::move(*address);
    }
    Peer& peer = found->second;
    if (peer.waiting.size() >= options.most_waiting)
      return exchange->end({PeerAnswer::Kind::kBusy, {}, "too many wait for its node"});
    exchange->timer.expires_after(timeout);
    exchange->timer.async_wait([this, exchange, &peer](error_code error) {
      if (!error && exchange->done) out_of_time(peer, exchange);
    });
    peer.waiting.push_back(exchange);
    serve(peer);
  }

  void out_of_time(Peer& peer, const Held& exchange) {
    exchange->late = true;
    if (const auto line = exchange->line.lock()) return line->close("no answer within its time");
    std::erase(peer.waiting, exchange);
    exchange->end({PeerAnswer::Kind::kUnsent, {}, "no line to it was free in time"});
  }

  // Lines for those who wait: such that stand, else new ones.
  void serve(Peer& peer) {
    while (!peer.waiting.empty() && !ended_) {
      while (!peer.idle.empty() && !peer.idle.back()->stands()) {
        const auto line = peer.idle.back();
        peer.idle.pop_back();
        line->close("closed by the node");  // and comes back here
      }
      if (peer.waiting.empty() || (peer.idle.empty() && peer.lines >= options.most_connections))
        return;
      Held next = std::move(peer.waiting.front());
      peer.waiting.pop_front();
      if (peer.idle.empty()) {
        open_line(peer, std::move(next));
        continue;
      }
      const auto line = std::move(peer.idle.back());
      peer.idle.pop_back();
      line->use(std::move(next));
    }
  }

  void open_line(Peer& peer, Held first) {
    std::shared_ptr<Line> line;
    if (peer.address.tls) {
      std::shared_ptr<asio::ssl::context> context;
      {
        const std::lock_guard lock(mutex_);
        context = context_;
      }
      line = std::make_shared<StreamLine<TlsStream>>(io_, *this, peer, context, *context);
    } else {
      line = std::make_shared<StreamLine<tcp::socket>>(io_, *this, peer, nullptr);
    }
    ++peer.lines;
    lines_.insert(line);
    line->open(std::move(first));
  }

  void end_all() {
    ended_ = true;
    for (auto& [url, peer] : peers_)
      for (const Held& one : std::exchange(peer.waiting, {}))
        one->end({PeerAnswer::Kind::kUnsent, {}, "this node stops"});
    for (const auto& line : std::set(lines_)) line->close("this node stops");
    work_.reset();
  }

  Budget room_;
  std::mutex mutex_;  // of the next two
  std::shared_ptr<asio::ssl::context> context_;
  bool stopping_ = false;
  bool ended_ = false;
  std::map<std::string, Peer> peers_;  // by URL
  std::set<std::shared_ptr<Line>> lines_;
  asio::io_context io_{1};  // after the others: lines end with it
  asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
  std::thread thread_;
};

Peers::Peers(RequestCounts& counts, PeerOptions options)
    : inside_(std::make_unique<Inside>(counts, std::move(options))) {}
Peers::~Peers() = default;

void Peers::send(const std::string& url, std::shared_ptr<const HttpRequest> request,
                 bool repeatable, std::chrono::milliseconds timeout, Done done) {
  inside_->send(url, std::move(request), repeatable, timeout, std::move(done));
}
const PeerOptions& Peers::options() const { return inside_->options; }
void Peers::reload_certificate() { inside_->reload_certificate(); }
void Peers::begin_stop() { inside_->begin_stop(); }
void Peers::stop() { inside_->stop(); }

}  // namespace armature::service::http
