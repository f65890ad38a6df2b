// What went wrong, as clients are told: RFC 9457 (application/problem+json) with the field, what
// was found there and what was expected.
#pragma once

#include <string>

#include "armature/error.h"
#include "service/http/message.h"
#include "service/requests.h"

namespace armature::service::http {

/// Refused before the service was asked. Never more than a complaint: nothing has changed.
class HttpRefusal : public Error {
 public:
  /// `kind` is one word for programs ("unauthorized"); the rest is for people.
  HttpRefusal(int status, std::string kind, ErrorReport report, unsigned retry_after = 0)
      : Error(std::move(report)),
        status_(status),
        kind_(std::move(kind)),
        retry_after_(retry_after) {}
  int status() const { return status_; }
  const std::string& kind() const { return kind_; }
  unsigned retry_after() const { return retry_after_; }  // seconds; 0: as usual for the status

 private:
  int status_;
  std::string kind_;
  unsigned retry_after_;
};

struct Complaint {
  int status = 400;
  std::string kind = "field";
  ErrorReport report;
  unsigned retry_after = 0;

  /// Nothing that the client could mend: whoever runs the service is told.
  bool ours() const { return status == 500 || kind == "store"; }
};
/// Whatever was thrown while a request was read or carried out.
Complaint complaint_about(const std::exception& error);

/// The JSON object; also inside the answers of batches.
std::string complaint_text(const Complaint& complaint);
/// "not-here"; empty where it is no complaint.
std::string complaint_kind(const HttpReply& reply);
HttpReply complaint_reply(const Complaint& complaint);

}  // namespace armature::service::http
