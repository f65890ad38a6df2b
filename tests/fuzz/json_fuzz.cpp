// Any bytes either are an instance (a problem) or are refused with an Error, and what is read can
// be written and read back the same.
#include <cstdint>
#include <cstring>
#include <string>

#include "armature/error.h"
#include "armature/model.h"

namespace {

// A count of many millions is a right but expensive file: only small ones are worth the time here.
bool asks_for_much(const std::string& text) {
  if (text.find("\\u") != std::string::npos) return true;  // field names may hide behind escapes
  for (const char* field : {"actions\"", "contexts\""})
    for (std::size_t at = text.find(field); at != std::string::npos;
         at = text.find(field, at + 1)) {
      const std::size_t value = text.find_first_not_of(" \t\r\n:", at + std::strlen(field));
      const std::size_t end = text.find_first_not_of("0123456789.eE+-", value);
      if (value == std::string::npos) break;
      const std::string number = text.substr(value, end - value);
      if (number.size() > 3 || number.find_first_of("eE") != std::string::npos) return true;
    }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (asks_for_much(text)) return -1;
  try {
    const std::string written = armature::write_instance(armature::read_instance(text, "fuzz"));
    const std::string again = armature::write_instance(armature::read_instance(written, "again"));
    ARMATURE_CHECK(written == again, "an instance reads back as itself");
  } catch (const armature::Error& error) {
    ARMATURE_CHECK(error.report().file != "again", "what is written can be read");
  }
  try {
    const std::string written = armature::write_problem(armature::read_problem(text, "fuzz"));
    const std::string again = armature::write_problem(armature::read_problem(written, "again"));
    ARMATURE_CHECK(written == again, "a problem reads back as itself");
  } catch (const armature::Error& error) {
    ARMATURE_CHECK(error.report().file != "again", "what is written can be read");
  }
  return 0;
}
