// The one table of routes: dispatch, roles, limits, fields and the OpenAPI document come from it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "service/http/fields.h"
#include "service/http/guard.h"
#include "service/http/message.h"

namespace armature::service::http {

inline constexpr std::size_t kSmallBody = std::size_t{64} << 10;
inline constexpr std::size_t kLargeBody = std::size_t{1} << 20;
inline constexpr std::size_t kMostItems = 1'000;  // in a batch

/// What a route does: the interface has one function for each.
enum class Verb {
  kCreate,
  kList,
  kShow,
  kDecide,
  kDecideBatch,
  kOutcome,
  kForget,
  kOutcomeBatch,
  kLook,
  kPause,
  kResume,
  kFinish,
  kEpoch,
  kAmend,
  kShadows,
  kAddShadow,
  kRemoveShadow,
  kLog,
  kSnapshot,
  kLive,
  kTokens,
  kAddToken,
  kRemoveToken,
  kPage,
  kOpenApi,
  kMetrics,
  kHealth,
  kReady,
  kVersion,
};

/// Of several nodes, those that can do it.
enum class Where {
  kAnywhere,  // any of them, from what it has
  kShown,     // the same, once it was shown the experiment
  kOwner,     // the experiment's owner: it alone writes, and knows what was not shown yet
  kCreator,   // whoever is to own the new one
  kTokens,    // whoever keeps the tokens
};

struct Route {
  const char* method;
  const char* path;  // {x} stands for one part
  Verb verb;
  Role role;
  Where where;
  std::size_t most_body;  // bytes
  std::span<const Field> fields;
  std::span<const Field> query;
  const char* answer;   // the schema of what comes back (openapi.cpp), or its media type
  const char* meaning;  // one line
};

const std::vector<Route>& routes();

/// A route and what stood in the places of its path.
struct Match {
  const Route* route = nullptr;
  std::string experiment;
  std::string item;  // a decision or a token
  std::string query;
};
/// Throws HttpRefusal: 404, 405 with what may be asked there, or 400 for a target that is none.
Match match_route(const std::string& method, const std::string& target);
/// The most bytes that a body may have: by its route, and little where there is none.
std::size_t body_limit(const std::string& method, const std::string& target);

/// What OpenAPI 3.1 says of the table (served at /openapi.json).
std::string openapi_document();

}  // namespace armature::service::http
