// Any bytes either are an instance (a problem) or are refused with an Error, and what is read can
// be written and read back the same.
#include <cctype>
#include <cstdint>
#include <string>

#include "armature/error.h"
#include "armature/model.h"

namespace {

// A count of many millions is a right but expensive file: only small ones are worth the time here.
bool asks_for_much(const std::string& text) {
  std::size_t digits = 0;
  for (const char c : text) {
    digits = std::isdigit(static_cast<unsigned char>(c)) != 0 ? digits + 1 : 0;
    if (digits > 4 || c == 'e' || c == 'E') {
      // Exponents and long numbers are fine anywhere but in the counts.
      for (const char* field : {"\"actions\"", "\"contexts\""}) {
        for (std::size_t at = text.find(field); at != std::string::npos;
             at = text.find(field, at + 1)) {
          std::size_t value = text.find(':', at);
          if (value == std::string::npos) continue;
          ++value;
          while (value < text.size() && std::isspace(static_cast<unsigned char>(text[value])) != 0)
            ++value;
          std::size_t end = value;
          while (end < text.size() && text[end] != ',' && text[end] != '}') ++end;
          const std::string count = text.substr(value, end - value);
          if (!count.empty() && std::isdigit(static_cast<unsigned char>(count[0])) != 0 &&
              (count.size() > 4 || count.find_first_of("eE") != std::string::npos))
            return true;
        }
      }
      return text.find("\\u") != std::string::npos;  // a count's name may hide behind escapes
    }
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
