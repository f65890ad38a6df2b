#include "study/name_json.h"

namespace armature {

nlohmann::json name_json(const PlannedName& name) {
  return {{"label", name.label},
          {"name", name.name},
          {"written", name.written},
          {"varied", name.varied},
          {"conditions", name.conditions}};
}

PlannedName name_from(const nlohmann::json& json) {
  return {json.at("label"), json.at("name"), json.at("written"), json.at("varied"),
          json.at("conditions")};
}

}  // namespace armature
