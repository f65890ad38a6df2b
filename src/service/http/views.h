// What clients are shown: answers, experiments, tokens.
#pragma once

#include <string>

#include "service/http/message.h"
#include "service/service.h"

namespace armature::service::http {

/// The answer to a request: what was asked for, or a complaint.
HttpReply reply_to(const Answer& answer);
/// The same inside {"results": […]}: {"status": 200, …fields} or the complaint with its status.
std::string batch_item(const Answer& answer);

std::string experiment_line(const Summary& summary);  // in lists
std::string experiment_view(const Summary& summary);  // all of it
std::string shadows_view(const Summary& summary);
/// Up to the digits of its state.
std::string snapshot_head(const std::string& experiment, const Snapshot& snapshot);
std::string token_view(const Token& token);
/// How tokens are spoken of without their secret.
std::string token_id(const Token& token);

}  // namespace armature::service::http
