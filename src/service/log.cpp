#include "service/log.h"

#include <new>

namespace armature::service {

bool is_choice(const std::exception& error) {
  return dynamic_cast<const Refusal*>(&error) == nullptr &&
         dynamic_cast<const StoreFailure*>(&error) == nullptr &&
         dynamic_cast<const Unreadable*>(&error) == nullptr &&
         dynamic_cast<const std::bad_alloc*>(&error) == nullptr;
}

}  // namespace armature::service
