// The service's page (web/live): one file that loads nothing and asks the API of routes.h.
#pragma once

#include <string>

namespace armature::service::http {

struct LivePage {
  std::string html;
  /// Content-Security-Policy: its own style and script, known by their hashes, and questions to
  /// this server. Nothing else runs, is loaded or is asked, whatever a name or a note may hold.
  std::string content_policy;
};

const LivePage& live_page();

}  // namespace armature::service::http
