// The server's Asio; peers.cpp has the client's, and nobody else knows it.
#include "service/http/server.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <utility>  // Boost 1.74's Asio forgets it
//
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <ctime>
#include <limits>
#include <mutex>
#include <thread>
#include <unordered_set>

#include "base/file.h"
#include "service/http/reader.h"

namespace armature::service::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using TlsStream = asio::ssl::stream<tcp::socket>;

constexpr int kSendBytes = 128 << 10;
constexpr std::size_t kReadBytes = std::size_t{16} << 10;
constexpr std::size_t kUncounted = kReadBytes;  // bodies and answers so small are not counted
constexpr std::chrono::seconds kLinger{2};      // for a client to read why it was refused
constexpr Time kNever = std::numeric_limits<Time>::max();

// As HTTP writes it; made once a second.
const std::string& date_now() {
  thread_local std::time_t made_at = 0;
  thread_local std::string text;
  const std::time_t now = std::time(nullptr);
  if (now != made_at || text.empty()) {
    made_at = now;
    text = fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(now));
  }
  return text;
}

// `old`: HTTP/1.0, which closes unless told otherwise and knows no chunks.
std::string head_of(const HttpReply& reply, bool keep_alive, bool old) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\n", reply.status,
                                 status_words(reply.status), reply.type);
  if (!reply.pieces)
    head += fmt::format("Content-Length: {}\r\n", reply.body.size());
  else
    head += "X-Accel-Buffering: no\r\n";  // nginx would keep pieces until there are many
  if (reply.pieces && !old) head += "Transfer-Encoding: chunked\r\n";
  for (const auto& [name, value] : reply.headers) head += fmt::format("{}: {}\r\n", name, value);
  if (keep_alive && old) head += "Connection: keep-alive\r\n";
  if (!keep_alive) head += "Connection: close\r\n";
  head += "Date: " + date_now() + "\r\n";
  head += "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\r\n";
  return head;
}

HttpReply busy_reply(const char* what) {
  return complaint_reply(
      {503, "busy", {"", what, "more than there is room for", "a little later"}});
}

// One of the most connections there may be, from its acceptance on.
class Seat {
 public:
  explicit Seat(RequestCounts& counts) : counts_(counts) { counts_.connections.fetch_add(1); }
  ~Seat() { counts_.connections.fetch_sub(1); }
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;

 private:
  RequestCounts& counts_;
};

class Connection;

// A thread with connections of its own: nothing of them needs a lock. Answers come from elsewhere,
// many at a time: they wake it once.
class Worker {
 public:
  Worker(RequestCounts& counters, const ServerOptions& settings)
      : counts(counters), options(settings), look_(io) {}

  void start(Api& interface) {
    api = &interface;
    look();
    thread_ = std::thread([this] { io.run(); });
  }
  /// Closes all connections; with them goes the last there is to do.
  void stop();
  void send(std::shared_ptr<Connection> to, HttpReply reply);
  void close_idle();

  Time now() const { return options.clock->monotonic(); }
  Time in(std::chrono::milliseconds wait) const {
    return now() + wait / std::chrono::microseconds(1);
  }

  Api* api = nullptr;
  RequestCounts& counts;
  const ServerOptions& options;
  std::unordered_set<Connection*> connections;
  std::atomic<bool> stopping{false};
  std::atomic<std::size_t> busy{0};  // connections that owe an answer
  asio::io_context io{1};  // after the others: connections end with it, and say so to them

 private:
  void look();
  void flush();
  /// Those of which this is true. One that nobody holds any more, and that is about to go, is none.
  template <class Which>
  std::vector<std::shared_ptr<Connection>> all(const Which& which) const;

  bool ended_ = false;
  asio::steady_timer look_;
  std::mutex mutex_;
  std::vector<std::pair<std::shared_ptr<Connection>, HttpReply>> outbox_;
  std::thread thread_;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Worker& worker, std::unique_ptr<Seat> seat) : worker_(worker), seat_(std::move(seat)) {
    worker_.connections.insert(this);
  }
  virtual ~Connection() {
    set_busy(false);
    worker_.connections.erase(this);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  virtual void start() = 0;
  virtual void answer(HttpReply reply) = 0;
  virtual void close() = 0;
  bool is_busy() const { return busy_; }
  Time deadline = kNever;

 protected:
  void set_busy(bool busy) {
    if (busy == busy_) return;
    busy_ = busy;
    busy ? worker_.busy.fetch_add(1) : worker_.busy.fetch_sub(1);
  }
  Worker& worker_;

 private:
  std::unique_ptr<Seat> seat_;
  bool busy_ = false;
};

void Worker::send(std::shared_ptr<Connection> to, HttpReply reply) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = outbox_.empty();
    outbox_.emplace_back(std::move(to), std::move(reply));
  }
  if (first) asio::post(io, [this] { flush(); });
}

void Worker::flush() {
  std::vector<std::pair<std::shared_ptr<Connection>, HttpReply>> sending;
  {
    const std::lock_guard lock(mutex_);
    sending.swap(outbox_);
  }
  for (auto& [to, reply] : sending) to->answer(std::move(reply));
}

template <class Which>
std::vector<std::shared_ptr<Connection>> Worker::all(const Which& which) const {
  std::vector<std::shared_ptr<Connection>> found;
  for (Connection* one : connections)
    if (which(*one))
      if (auto held = one->weak_from_this().lock()) found.push_back(std::move(held));
  return found;
}

void Worker::stop() {
  asio::post(io, [this] {
    ended_ = true;
    look_.cancel();
    for (const auto& one : all([](const Connection&) { return true; })) one->close();
  });
  if (thread_.joinable()) thread_.join();
}

void Worker::look() {
  look_.expires_after(options.look_every);
  look_.async_wait([this](error_code error) {
    if (error || ended_) return;
    const Time time = now();
    for (const auto& one : all([&](const Connection& each) { return each.deadline < time; })) {
      counts.timed_out.fetch_add(1);
      one->close();
    }
    look();
  });
}

void Worker::close_idle() {
  asio::post(io, [this] {
    for (const auto& one : all([](const Connection& each) { return !each.is_busy(); }))
      one->close();
  });
}

// Answers are handed around on other threads, and one of those may be the last to let go of a
// connection: it ends on its worker's thread nevertheless.
template <class Made, class... Parts>
std::shared_ptr<Connection> make_connection(Worker& worker, Parts&&... parts) {
  return std::shared_ptr<Connection>(
      new Made(worker, std::forward<Parts>(parts)...), [&worker](Connection* connection) {
        asio::post(worker.io, [owned = std::unique_ptr<Connection>(connection)] {});
      });
}

// One client: reads a request, has it answered, sends the answer, reads on. `Stream` is a plain
// socket or TLS on one.
template <class Stream>
class StreamConnection final : public Connection {
 public:
  template <class... More>
  StreamConnection(Worker& worker, std::unique_ptr<Seat> seat, tcp::socket socket,
                   std::shared_ptr<asio::ssl::context> context, More&... more)
      : Connection(worker, std::move(seat)),
        context_(std::move(context)),
        stream_(std::move(socket), more...) {}

  void start() override {
    error_code ignored;
    stream_.lowest_layer().set_option(tcp::no_delay(true), ignored);
    // What a slow reader has not taken is the kernel's memory, which would grow to megabytes a
    // connection, and sent data is beyond recall when its token is revoked.
    stream_.lowest_layer().set_option(asio::socket_base::send_buffer_size(kSendBytes), ignored);
    if constexpr (kTls) {
      deadline = worker_.in(worker_.options.header_time);
      stream_.async_handshake(asio::ssl::stream_base::server, [self = self()](error_code error) {
        if (error) return;
        self->reader_.set_certified(self->shows_certificate());
        self->go_on();
      });
    } else {
      go_on();
    }
  }

  void answer(HttpReply reply) override {
    if (reply.body.size() > kUncounted) {
      answer_share_ = worker_.counts.answers.take(reply.body.size());
      if (!answer_share_) reply = busy_reply("answer");
    }
    keep_alive_ = keep_alive_ && !worker_.stopping;
    if (reply.pieces && old_) keep_alive_ = false;  // its end is the connection's
    out_ = head_of(reply, keep_alive_, old_);
    if (!head_) {
      out_ += reply.body;
      pieces_ = reply.pieces;
    }
    write();
  }

  void close() override {
    error_code ignored;
    // Where the end of the connection is the end of what is sent, half of it must not look whole.
    if (pieces_ && old_)
      stream_.lowest_layer().set_option(asio::socket_base::linger(true, 0), ignored);
    else
      stream_.lowest_layer().shutdown(tcp::socket::shutdown_both, ignored);
    stream_.lowest_layer().close(ignored);
    deadline = kNever;
    pieces_.reset();
    body_ = {};
  }

 private:
  static constexpr bool kTls = std::is_same_v<Stream, TlsStream>;

  std::shared_ptr<StreamConnection> self() {
    return std::static_pointer_cast<StreamConnection>(shared_from_this());
  }

  tcp::socket& socket() {
    if constexpr (kTls)
      return stream_.next_layer();
    else
      return stream_;
  }

  // A certificate that does not hold has ended the handshake.
  bool shows_certificate() {
    if constexpr (kTls) {
      X509* shown = SSL_get1_peer_certificate(stream_.native_handle());
      X509_free(shown);
      return shown != nullptr && SSL_get_verify_result(stream_.native_handle()) == X509_V_OK;
    } else {
      return false;
    }
  }

  // With what is there already, or with what comes.
  void go_on() {
    input_.erase(0, reader_.put(input_));
    switch (reader_.state()) {
      case RequestReader::State::kDone:
        return hand_over();
      case RequestReader::State::kRefused:
        if (reader_.header_done()) read_manner(reader_.head());
        return refuse(complaint_reply(complaint_about(reader_.refusal())));
      case RequestReader::State::kMore:
        if (worker_.stopping) return close();
        if (reader_.header_done() && !body_asked_) {
          if (auto refusal = refuse_body()) return refuse(std::move(*refusal));
        }
        if (reader_.wants_continue()) return say_continue();
        return read();
    }
  }

  void read_manner(const HttpRequest& request) {
    keep_alive_ = request.keep_alive;
    old_ = request.old;
    head_ = request.head;
  }

  // Nothing more is read.
  void refuse(HttpReply reply) {
    worker_.api->refused(reader_.head(), reply);
    keep_alive_ = false;
    refused_ = true;
    set_busy(true);
    answer(std::move(reply));
  }

  // A larger body is read only of who may send one, and while there is room for it.
  std::optional<HttpReply> refuse_body() {
    body_asked_ = true;
    const std::size_t bytes = reader_.body_to_come();
    if (bytes <= kUncounted) return std::nullopt;
    read_manner(reader_.head());
    body_ = worker_.api->welcome_body(reader_.head(), bytes);
    return std::exchange(body_.refusal, std::nullopt);
  }

  void read() {
    const ServerOptions& options = worker_.options;
    if (!reader_.begun()) began_ = worker_.now();
    deadline = began_ + (!reader_.begun()        ? options.idle_time
                         : reader_.header_done() ? options.body_time
                                                 : options.header_time) /
                            std::chrono::microseconds(1);
    const std::size_t before = input_.size();
    input_.resize(before + kReadBytes);
    stream_.async_read_some(asio::buffer(input_.data() + before, kReadBytes),
                            [self = self(), before](error_code error, std::size_t count) {
                              self->input_.resize(before + count);
                              if (error) return self->close();
                              if (!self->reader_.begun()) self->began_ = self->worker_.now();
                              self->go_on();
                            });
  }

  void say_continue() {
    out_ = "HTTP/1.1 100 Continue\r\n\r\n";
    deadline = worker_.in(worker_.options.write_time);
    asio::async_write(stream_, asio::buffer(out_), [self = self()](error_code error, std::size_t) {
      if (error) return self->close();
      self->read();
    });
  }

  void hand_over() {
    HttpRequest request = reader_.take();
    read_manner(request);
    deadline = kNever;  // it is for us to be quick
    set_busy(true);
    worker_.api->handle(std::move(request),
                        [self = self(), &worker = worker_](HttpReply reply) mutable {
                          worker.send(std::move(self), std::move(reply));
                        });
    body_ = {};  // what is needed of it waits in a queue that is bounded
    body_asked_ = false;
  }

  void write() {
    deadline = worker_.in(worker_.options.write_time);
    const std::array<asio::const_buffer, 3> buffers = {
        asio::buffer(out_), text_ ? asio::buffer(*text_) : asio::const_buffer(),
        text_ && !old_ ? asio::buffer("\r\n", 2) : asio::const_buffer()};
    asio::async_write(stream_, buffers, [self = self()](error_code error, std::size_t) {
      self->text_.reset();
      if (error) {
        self->set_busy(false);
        return self->close();
      }
      if (self->pieces_) return self->next_piece();
      self->end_answer();
    });
  }

  void next_piece() {
    deadline = kNever;
    // Pieces come on any thread.
    pieces_->next([self = self()](Pieces::Piece piece) {
      asio::post(self->worker_.io, [self, piece = std::move(piece)]() mutable {
        self->write_piece(std::move(piece));
      });
    });
  }

  void write_piece(Pieces::Piece piece) {
    if (!pieces_) return set_busy(false);  // closed meanwhile
    if (piece.kind == Pieces::Piece::Kind::kBroken) {
      set_busy(false);
      return close();
    }
    const bool last = piece.kind == Pieces::Piece::Kind::kEnd;
    if (last) pieces_.reset();
    text_ = std::move(piece.text);
    out_.clear();
    if (!old_) out_ = last ? "0\r\n\r\n" : fmt::format("{:x}\r\n", text_->size());
    write();
  }

  void end_answer() {
    set_busy(false);
    out_.clear();
    if (answer_share_) out_.shrink_to_fit();
    answer_share_ = {};
    head_ = false;
    began_ = worker_.now();  // the next one may have begun to come meanwhile
    if (keep_alive_) return go_on();
    if (!refused_) return say_end();
    // What the client still sends would make the machine throw the answer away before it is read.
    error_code ignored;
    stream_.lowest_layer().shutdown(tcp::socket::shutdown_send, ignored);
    deadline = worker_.in(kLinger);
    linger();
  }

  // TLS has a word for the end: without it a client cannot tell it from a line that was cut.
  void say_end() {
    if constexpr (kTls) {
      deadline = worker_.in(kLinger);
      stream_.async_shutdown([self = self()](error_code) { self->close(); });
    } else {
      close();
    }
  }

  void linger() {
    input_.resize(kReadBytes);
    stream_.lowest_layer().async_wait(tcp::socket::wait_read, [self = self()](error_code error) {
      error_code ended;
      if (!error) self->socket().read_some(asio::buffer(self->input_), ended);
      if (error || ended) return self->close();
      self->linger();
    });
  }

  std::shared_ptr<asio::ssl::context> context_;  // outlives the stream
  Stream stream_;
  RequestReader reader_;
  std::string input_;  // what the reader has not taken yet
  Api::Welcome body_;
  std::string out_;
  std::shared_ptr<const std::string> text_;  // behind it
  Budget::Share answer_share_;
  std::shared_ptr<Pieces> pieces_;
  Time began_ = worker_.now();  // the request, or the wait for it
  bool body_asked_ = false;
  bool keep_alive_ = true;
  bool old_ = false;   // HTTP/1.0: knows no chunks
  bool head_ = false;  // no body is to be sent
  bool refused_ = false;
};

asio::ip::address address_of(const std::string& text) {
  error_code error;
  asio::ip::address address =
      asio::ip::make_address(text == "localhost" ? "127.0.0.1" : text, error);
  if (error)
    throw Error({"", "--listen", "'" + text + "'", "an address as 127.0.0.1:8600 or [::1]:8600"});
  return address;
}

std::shared_ptr<asio::ssl::context> tls_context(const std::string& certificate,
                                                const std::string& key,
                                                const std::string& peer_authority) {
  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  context->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_sslv2 |
                       asio::ssl::context::no_sslv3 | asio::ssl::context::no_tlsv1 |
                       asio::ssl::context::no_tlsv1_1);
  error_code error;
  context->use_certificate_chain(asio::buffer(read_file(certificate)), error);
  if (error) throw Error({certificate, "certificate", error.message(), "a chain in PEM"});
  context->use_private_key(asio::buffer(read_file(key)), asio::ssl::context::pem, error);
  if (error) throw Error({key, "key", error.message(), "the certificate's private key in PEM"});
  if (peer_authority.empty()) return context;
  context->add_certificate_authority(asio::buffer(read_file(peer_authority)), error);
  if (error) throw Error({peer_authority, "authority", error.message(), "certificates in PEM"});
  context->set_verify_mode(asio::ssl::verify_peer);  // of who shows one; nobody must
  // Without a name for them OpenSSL refuses sessions that a client takes up again.
  constexpr unsigned char kSessions[] = "armature";
  SSL_CTX_set_session_id_context(context->native_handle(), kSessions, sizeof kSessions - 1);
  return context;
}

}  // namespace

bool is_loopback(const std::string& address) { return address_of(address).is_loopback(); }
bool is_unspecified(const std::string& address) { return address_of(address).is_unspecified(); }

class Server::Inside {
 public:
  Inside(RequestCounts& counts, ServerOptions options)
      : options_(std::move(options)), counts_(counts), workers_(crew(counts, options_)) {
    require_closed_door();
    reload_certificate();
    bind();
  }

  void start(Api& api) {
    error_code error;
    acceptor_.listen(asio::socket_base::max_listen_connections, error);
    require_address(error);
    accept();
    tick(api);
    for (const auto& worker : workers_) worker->start(api);
  }

  ~Inside() {
    begin_stop();
    for (const auto& worker : workers_) worker->stop();
  }

  unsigned short port() const { return port_; }

  std::string url() const {
    const bool six = address_of(options_.address).is_v6();
    return fmt::format("{}://{}{}{}:{}", options_.certificate.empty() ? "http" : "https",
                       six ? "[" : "", options_.address, six ? "]" : "", port_);
  }

  void reload_certificate() {
    if (options_.certificate.empty()) return;
    auto context = tls_context(options_.certificate, options_.key, options_.peer_authority);
    const std::lock_guard lock(context_mutex_);
    context_ = std::move(context);
  }

  void begin_stop() {
    if (stopping_.exchange(true)) return;
    for (const auto& worker : workers_) worker->stopping = true;
    asio::post(workers_[0]->io, [this] {
      error_code ignored;
      acceptor_.close(ignored);
      ticker_.cancel();
      pause_.cancel();
    });
    for (const auto& worker : workers_) worker->close_idle();
  }

  void drain(std::chrono::milliseconds most) {
    const auto end = std::chrono::steady_clock::now() + most;
    const auto busy = [&] {
      return std::any_of(workers_.begin(), workers_.end(),
                         [](const auto& worker) { return worker->busy > 0; });
    };
    while (busy() && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }

 private:
  using Workers = std::vector<std::unique_ptr<Worker>>;
  static Workers crew(RequestCounts& counts, const ServerOptions& options) {
    Workers workers;
    for (unsigned i = 0; i < std::max(1u, options.threads); ++i)
      workers.push_back(std::make_unique<Worker>(counts, options));
    return workers;
  }

  void require_closed_door() const {
    if (options_.certificate.empty() != options_.key.empty())
      throw Error({"", options_.key.empty() ? "--key" : "--certificate", "nothing",
                   "a file in PEM: certificate and key belong together"});
    if (!options_.peer_authority.empty() && options_.certificate.empty())
      throw Error({"", "--peer-authority", "one without TLS", "--certificate and --key"});
    if (!is_loopback(options_.address) && options_.certificate.empty() && !options_.behind_proxy)
      throw Error({"", "--listen", "'" + options_.address + "' without TLS",
                   "--certificate and --key, or --behind-proxy where a proxy sees to TLS"});
  }

  void bind() {
    const tcp::endpoint endpoint(address_of(options_.address), options_.port);
    error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    require_address(error);
    port_ = acceptor_.local_endpoint().port();
  }

  void require_address(error_code error) const {
    if (error)
      throw Error({"", "--listen", fmt::format("'{}:{}'", options_.address, options_.port),
                   "an address of this machine that is free: " + error.message()});
  }

  void accept() {
    Worker& worker = *workers_[next_++ % workers_.size()];
    acceptor_.async_accept(worker.io, [this, &worker](error_code error, tcp::socket socket) {
      if (!acceptor_.is_open()) return;
      if (!error) {
        counts_.accepted.fetch_add(1);
        begin(worker, std::move(socket));
      }
      // Out of descriptors or memory, most likely: some come back in a moment.
      if (error) return accept_later();
      accept();
    });
  }

  void accept_later() {
    pause_.expires_after(std::chrono::milliseconds(100));
    pause_.async_wait([this](error_code error) {
      if (!error) accept();
    });
  }

  void begin(Worker& worker, tcp::socket socket) {
    if (counts_.connections >= options_.most_connections) {
      counts_.turned_away.fetch_add(1);
      if (!options_.certificate.empty()) return;  // who speaks TLS could not read it
      error_code ignored;
      socket.non_blocking(true, ignored);
      const HttpReply reply = busy_reply("connection");
      socket.write_some(asio::buffer(head_of(reply, false, false) + reply.body), ignored);
      return;
    }
    auto seat = std::make_unique<Seat>(counts_);
    asio::post(worker.io,
               [this, &worker, seat = std::move(seat), socket = std::move(socket)]() mutable {
                 std::shared_ptr<asio::ssl::context> context;
                 {
                   const std::lock_guard lock(context_mutex_);
                   context = context_;
                 }
                 std::shared_ptr<Connection> connection;
                 if (context)
                   connection = make_connection<StreamConnection<TlsStream>>(
                       worker, std::move(seat), std::move(socket), context, *context);
                 else
                   connection = make_connection<StreamConnection<tcp::socket>>(
                       worker, std::move(seat), std::move(socket), nullptr);
                 connection->start();
               });
  }

  void tick(Api& api) {
    ticker_.expires_after(options_.live_every);
    ticker_.async_wait([this, &api](error_code error) {
      if (error || stopping_) return;
      api.tick();
      tick(api);
    });
  }

  const ServerOptions options_;
  RequestCounts& counts_;
  Workers workers_;
  std::mutex context_mutex_;
  std::shared_ptr<asio::ssl::context> context_;
  tcp::acceptor acceptor_{workers_[0]->io};
  asio::steady_timer ticker_{workers_[0]->io};
  asio::steady_timer pause_{workers_[0]->io};
  std::size_t next_ = 0;
  unsigned short port_ = 0;
  std::atomic<bool> stopping_{false};
};

Server::Server(RequestCounts& counts, ServerOptions options)
    : inside_(std::make_unique<Inside>(counts, std::move(options))) {}
Server::~Server() = default;

void Server::start(Api& api) { inside_->start(api); }

unsigned short Server::port() const { return inside_->port(); }
std::string Server::url() const { return inside_->url(); }
void Server::reload_certificate() { inside_->reload_certificate(); }
void Server::begin_stop() { inside_->begin_stop(); }
void Server::drain(std::chrono::milliseconds most) { inside_->drain(most); }

}  // namespace armature::service::http
