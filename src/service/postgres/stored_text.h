// Texts as PostgreSQL takes them: without byte 0, and in UTF-8. Whatever else people wrote comes
// back as it was; what they usually write is stored as it is.
#pragma once

#include <string>

namespace armature::service::postgres {

/// \ is written as \\, byte 0 as \0, and bytes that are no UTF-8 as \xHH.
std::string stored_text(const std::string& text);
/// And back; what stored_text never wrote is left as it is.
std::string text_of(const std::string& stored);

}  // namespace armature::service::postgres
