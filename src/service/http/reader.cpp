// The only file that knows Beast: it takes long to compile.
#include "service/http/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <utility>

#include "service/http/routes.h"

namespace armature::service::http {
namespace {

namespace beast = boost::beast;

std::string text_of(beast::string_view text) { return {text.data(), text.size()}; }

// A header that must not stand twice: which of the two would be meant?
constexpr const char* kOnce[] = {"Host",          "Authorization",    "Idempotency-Key", "Origin",
                                 "Last-Event-ID", "X-Forwarded-Host", "Armature-Peer"};
// What a client is to be told of another node's reply besides its body.
constexpr const char* kPassedOn[] = {"Retry-After", "Allow", "WWW-Authenticate", "Armature-Owner"};
// Whoever sends one of these speaks for somebody else.
constexpr const char* kForwarded[] = {
    "Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP"};

// As proxies are asked: "http://host:port/path?query". The host there counts, not the header's.
void split_target(std::string& target, std::string& host) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    const std::size_t path = std::min(target.find_first_of("/?", scheme.size()), target.size());
    host = target.substr(scheme.size(), path - scheme.size());
    target.erase(0, path);
    if (!target.starts_with('/')) target.insert(0, "/");
    return;
  }
}

// HEAD is GET whose body is not sent.
std::string method_of(beast::string_view sent) { return sent == "HEAD" ? "GET" : text_of(sent); }

}  // namespace

class RequestReader::Parser {
 public:
  Parser() {
    parser.header_limit(kMostHeader);
    parser.body_limit(kLargeBody);
  }
  std::string header(const char* name) const { return text_of(parser.get()[name]); }

  beast::http::request_parser<beast::http::string_body> parser;
  beast::error_code error;  // of the last step
};

RequestReader::RequestReader() : parser_(std::make_unique<Parser>()) {}
RequestReader::~RequestReader() = default;

void RequestReader::refuse(int status, const char* kind, ErrorReport report) {
  refusal_.emplace(status, kind, std::move(report));
  state_ = State::kRefused;
}

void RequestReader::look_at_header() {
  header_done_ = true;
  head_ = read_head();
  parser_->parser.eager(true);  // not before: it would read on, and trailers into the header
  const auto& request = parser_->parser.get();
  for (const char* name : kOnce)
    if (request.count(name) > 1) return refuse(400, "header", {"", name, "two of them", "one"});
  if (request.version() >= 11 && request.count(beast::http::field::host) == 0)
    return refuse(400, "header", {"", "Host", "nothing", "the name of this server"});
  look_at_lengths();
  if (state_ == State::kRefused) return;
  most_body_ = body_limit(head_.method, head_.target);
  const auto length = parser_->parser.content_length();
  if (length && *length > most_body_)
    return refuse(413, "too-large",
                  {"", "body", fmt::format("{} bytes", *length),
                   fmt::format("at most {} bytes", most_body_)});
  continue_ = beast::iequals(request[beast::http::field::expect], "100-continue");
}

// Two lengths of one body, or one that we do not understand: whoever stands between client and
// server may believe another one.
void RequestReader::look_at_lengths() {
  const auto& request = parser_->parser.get();
  const auto encodings = request.count(beast::http::field::transfer_encoding);
  if (encodings == 0) return;
  if (encodings > 1 || request.version() < 11 ||
      !beast::iequals(request[beast::http::field::transfer_encoding], "chunked"))
    return refuse(400, "header",
                  {"", "Transfer-Encoding", encodings > 1 ? "two of them" : "another one",
                   "chunked, in HTTP/1.1, or none"});
  if (request.count(beast::http::field::content_length) > 0)
    return refuse(400, "header", {"", "Content-Length", "one beside chunks", "one length"});
}

std::size_t RequestReader::body_to_come() const {
  const auto length = parser_->parser.content_length();
  if (length) return static_cast<std::size_t>(*length);
  return parser_->parser.chunked() ? most_body_ : 0;
}

std::size_t RequestReader::put(std::string_view bytes) {
  std::size_t used = 0;
  begun_ = begun_ || !bytes.empty();
  // It stops at the end of the header, and eager as it then is at the end of every chunk.
  while (state_ == State::kMore && used < bytes.size()) {
    beast::error_code& error = parser_->error;
    const std::size_t now = parser_->parser.put(
        boost::asio::const_buffer(bytes.data() + used, bytes.size() - used), error);
    used += now;
    if (!header_done_ && parser_->parser.is_header_done()) look_at_header();
    if (state_ == State::kMore) judge(bytes.size() - used);
    if (error == beast::http::error::need_more || now == 0) break;
  }
  return used;
}

// After every step: is it too much, none at all, or done?
void RequestReader::judge(std::size_t left) {
  const beast::error_code& error = parser_->error;
  const bool waits = error == beast::http::error::need_more;
  // What waits for its end is a header, too, of a chunk or behind the last one.
  if (error == beast::http::error::header_limit || (waits && left > kMostHeader))
    return refuse(431, "header-too-large",
                  {"", "header", fmt::format("more than {} bytes", kMostHeader), "a smaller one"});
  if (error == beast::http::error::body_limit ||
      (header_done_ && parser_->parser.get().body().size() > most_body_))
    return refuse(413, "too-large",
                  {"", "body", "more",
                   fmt::format("at most {} bytes", header_done_ ? most_body_ : kLargeBody)});
  if (error && !waits)
    return refuse(400, "malformed", {"", "request", error.message(), "HTTP/1.1"});
  if (parser_->parser.is_done()) state_ = State::kDone;
}

bool RequestReader::wants_continue() {
  return std::exchange(continue_, false) && state_ == State::kMore;
}

HttpRequest RequestReader::read_head() const {
  const auto& message = parser_->parser.get();
  HttpRequest request;
  request.method = method_of(message.method_string());
  request.target = text_of(message.target());
  request.authorization = text_of(message[beast::http::field::authorization]);
  if (message.count("Idempotency-Key") > 0)
    request.idempotency_key = text_of(message["Idempotency-Key"]);
  request.host = text_of(message[beast::http::field::host]);
  request.origin = text_of(message[beast::http::field::origin]);
  request.last_event_id = text_of(message["Last-Event-ID"]);
  request.forwarded_host = text_of(message["X-Forwarded-Host"]);
  request.forwarded = std::any_of(std::begin(kForwarded), std::end(kForwarded),
                                  [&](const char* name) { return message.count(name) > 0; });
  if (message.count("Armature-Peer") > 0) request.peer = text_of(message["Armature-Peer"]);
  request.peer_certified = certified_;
  request.keep_alive = message.keep_alive();
  request.old = message.version() < 11;
  request.head = message.method() == beast::http::verb::head;
  split_target(request.target, request.host);
  return request;
}

HttpRequest RequestReader::take() {
  HttpRequest request = std::move(head_);
  request.body = std::move(parser_->parser.get().body());
  parser_ = std::make_unique<Parser>();
  state_ = State::kMore;
  begun_ = header_done_ = continue_ = false;
  return request;
}

// --- Replies -------------------------------------------------------------------------------------

class ReplyReader::Parser {
 public:
  explicit Parser(std::size_t most_body) {
    parser.header_limit(kMostHeader);
    parser.body_limit(most_body);
  }
  beast::http::response_parser<beast::http::string_body> parser;
};

ReplyReader::ReplyReader(std::size_t most_body)
    : most_body_(most_body), parser_(std::make_unique<Parser>(most_body)) {}
ReplyReader::~ReplyReader() = default;

std::size_t ReplyReader::put(std::string_view bytes) {
  std::size_t used = 0;
  begun_ = begun_ || !bytes.empty();
  while (state_ == State::kMore && used < bytes.size()) {
    auto& parser = parser_->parser;
    beast::error_code error;
    const std::size_t now =
        parser.put(boost::asio::const_buffer(bytes.data() + used, bytes.size() - used), error);
    used += now;
    if (parser.is_header_done() && parser.get().result_int() < 200) {  // the answer comes later
      parser_ = std::make_unique<Parser>(most_body_);
      continue;
    }
    if (parser.is_header_done()) parser.eager(true);  // not before: it would read past its limits
    const bool waits = error == beast::http::error::need_more;
    // One whose end is that of the line is none that a node sends: half of it would look whole.
    if ((error && !waits) || (waits && bytes.size() - used > kMostHeader) ||
        (parser.is_header_done() && parser.need_eof()))
      state_ = State::kBroken;
    else if (parser.is_done())
      state_ = State::kDone;
    if (waits || now == 0) break;
  }
  return used;
}

bool ReplyReader::keep_alive() const { return parser_->parser.get().keep_alive(); }

HttpReply ReplyReader::take() {
  auto& message = parser_->parser.get();
  HttpReply reply;
  reply.status = static_cast<int>(message.result_int());
  reply.type = text_of(message[beast::http::field::content_type]);
  reply.body = std::move(message.body());
  for (const char* name : kPassedOn)
    if (message.count(name) > 0) reply.headers.emplace_back(name, text_of(message[name]));
  return reply;
}

}  // namespace armature::service::http
