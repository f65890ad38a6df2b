#include "service/http/complaint.h"

#include <new>

#include "base/sqlite.h"
#include "base/text.h"
#include "service/fold.h"
#include "service/http/json_text.h"
#include "service/log.h"

namespace armature::service::http {
namespace {

// What clients are shown of what they sent: enough to find it, never all of a megabyte.
constexpr std::size_t kLongestShown = 240;

// After so many seconds the same request may be answered; 0: never.
unsigned retry_after(const Complaint& complaint) {
  if (complaint.retry_after > 0) return complaint.retry_after;
  if (complaint.kind == "stopping") return 5;
  return complaint.status == 503 || complaint.status == 429 ? 1 : 0;
}

}  // namespace

const char* status_words(int status) {
  switch (status) {
    case 100:
      return "Continue";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 413:
      return "Content Too Large";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    case 507:
      return "Insufficient Storage";
    default:
      return "Unknown";
  }
}

Complaint complaint_about(const std::exception& error) {
  if (const auto* refusal = dynamic_cast<const Refusal*>(&error))
    return {http_status(refusal->kind()), refusal_name(refusal->kind()), refusal->report()};
  if (const auto* refusal = dynamic_cast<const HttpRefusal*>(&error))
    return {refusal->status(), refusal->kind(), refusal->report(), refusal->retry_after()};
  // Not what the client sent, though both are Errors; what they say is for our log.
  if (dynamic_cast<const StoreFailure*>(&error) != nullptr ||
      dynamic_cast<const Unreadable*>(&error) != nullptr ||
      dynamic_cast<const DatabaseError*>(&error) != nullptr)
    return {503, "store", {"", "store", "not to be read", "the same again, a little later"}};
  if (dynamic_cast<const ReplayMismatch*>(&error) != nullptr)
    return {500, "replay", {"", "log", "one that does not replay", "a report to who runs it"}};
  if (const auto* input = dynamic_cast<const Error*>(&error))
    return {400, "field", input->report()};
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
    return {503, "memory", {"", "request", "more than there is memory for", "a smaller one"}};
  // A mistake of ours. What it says may hold anything, and is for our log alone.
  return {500, "internal", {"", "server", "a mistake of its own", "a report to who runs it"}};
}

std::string complaint_text(const Complaint& complaint) {
  const ErrorReport& report = complaint.report;
  JsonObject json;
  json.text("type", "urn:armature:" + complaint.kind)
      .text("title", status_words(complaint.status))
      .count("status", static_cast<std::uint64_t>(complaint.status))
      .text("detail", Error({"", report.field, report.value, report.expected}).what());
  if (!report.field.empty()) json.text("field", shown(report.field, kLongestShown));
  if (!report.value.empty()) json.text("value", shown(report.value, kLongestShown));
  if (!report.expected.empty()) json.text("expected", report.expected);
  return std::move(json).end();
}

std::string complaint_kind(const HttpReply& reply) {
  constexpr std::string_view kStart = "{\"type\":\"urn:armature:";
  if (reply.status < 400 || !reply.body.starts_with(kStart)) return "";
  return reply.body.substr(kStart.size(), reply.body.find('"', kStart.size()) - kStart.size());
}

HttpReply complaint_reply(const Complaint& complaint) {
  HttpReply reply;
  reply.status = complaint.status;
  reply.type = "application/problem+json";
  reply.body = complaint_text(complaint);
  if (const unsigned seconds = retry_after(complaint))
    reply.headers.emplace_back("Retry-After", std::to_string(seconds));
  if (complaint.status == 401)
    reply.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"armature\"");
  return reply;
}

}  // namespace armature::service::http
