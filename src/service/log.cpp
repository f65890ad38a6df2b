#include "service/log.h"

#include <algorithm>
#include <new>

namespace armature::service {

bool is_choice(const std::exception& error) {
  return dynamic_cast<const Refusal*>(&error) == nullptr &&
         dynamic_cast<const StoreFailure*>(&error) == nullptr &&
         dynamic_cast<const Unreadable*>(&error) == nullptr &&
         dynamic_cast<const std::bad_alloc*>(&error) == nullptr;
}

bool rules_all(const Token& token) {
  return token.tenant.empty() && token.experiments.empty() && !token.expires &&
         std::find(token.roles.begin(), token.roles.end(), "admin") != token.roles.end();
}

}  // namespace armature::service
