// From bytes to requests: HTTP/1.1 by Beast's parser, with limits.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "service/http/complaint.h"
#include "service/http/message.h"

namespace armature::service::http {

inline constexpr std::size_t kMostHeader = std::size_t{8} << 10;

/// One connection's requests, one after the other.
class RequestReader {
 public:
  enum class State { kMore, kDone, kRefused };

  RequestReader();
  ~RequestReader();

  /// How many bytes were taken; what is left is to be offered again, with more behind it. Nothing
  /// is taken any more once a request is done or refused.
  std::size_t put(std::string_view bytes);
  State state() const { return state_; }
  bool begun() const { return begun_; }              // something of a request has come
  bool header_done() const { return header_done_; }  // its body is what is waited for
  /// The client waits to be told that its body is welcome: true once.
  bool wants_continue();
  /// Once the header is done: the request without its body, and how long that may become. Fields
  /// behind the body (trailers) are none of it, wherever packets begin and end.
  const HttpRequest& head() const { return head_; }
  std::size_t body_to_come() const;
  HttpRequest take();  // of kDone; the next one may come
  /// Whoever is on the line showed a certificate of a node: said of all its requests.
  void set_certified(bool certified) { certified_ = certified; }
  const HttpRefusal& refusal() const { return *refusal_; }  // of kRefused: nothing after it is read

 private:
  class Parser;
  void refuse(int status, const char* kind, ErrorReport report);
  void look_at_header();
  HttpRequest read_head() const;
  void look_at_lengths();
  void judge(std::size_t left);

  std::unique_ptr<Parser> parser_;
  State state_ = State::kMore;
  bool begun_ = false;
  bool header_done_ = false;
  bool continue_ = false;
  bool certified_ = false;
  HttpRequest head_;
  std::size_t most_body_ = 0;
  std::optional<HttpRefusal> refusal_;
};

/// One reply of another node. Of its headers those that are passed on.
class ReplyReader {
 public:
  enum class State { kMore, kDone, kBroken };

  explicit ReplyReader(std::size_t most_body);
  ~ReplyReader();

  /// How many bytes were taken, as above.
  std::size_t put(std::string_view bytes);
  State state() const { return state_; }
  bool begun() const { return begun_; }  // something of it has come
  bool keep_alive() const;               // of kDone: another one may be asked for on this line
  HttpReply take();                      // of kDone

 private:
  class Parser;
  std::size_t most_body_;
  std::unique_ptr<Parser> parser_;
  State state_ = State::kMore;
  bool begun_ = false;
};

}  // namespace armature::service::http
