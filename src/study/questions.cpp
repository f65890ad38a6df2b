#include "study/questions.h"

// Fingerprints are taken of the study as TOML: whatever a rule may be told is written there, so
// that no key can be forgotten here. A verdict must therefore go on being written as it is today; a
// new key may be written only where it is used.
#include <fmt/format.h>

#include <algorithm>

#include "armature/state.h"

namespace armature {
namespace {

// Line breaks and indents are the file's, not the question's.
std::string in_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  if (line.ends_with(' ')) line.pop_back();
  return line;
}

std::string fingerprint_of(const std::string& text) {
  Fingerprint fingerprint;
  fingerprint.add(text);
  return fmt::format("{:016x}", fingerprint.value());
}

const VerdictRule* same_question(const VerdictRule& rule, const Study& study) {
  const std::string wanted = question_fingerprint(rule);
  const auto found =
      std::find_if(study.verdicts.begin(), study.verdicts.end(),
                   [&](const VerdictRule& other) { return question_fingerprint(other) == wanted; });
  return found == study.verdicts.end() ? nullptr : &*found;
}

// Words, questions and figures aside: what decides the data. What a search has chosen follows from
// the rest.
std::string design_of(Study study) {
  for (std::string* words :
       {&study.title, &study.text, &study.claim, &study.source, &study.expectation})
    words->clear();
  study.verdicts.clear();
  study.figures.clear();
  if (study.search) study.search->chosen.clear();
  return write_study(study);
}

// The first line in which the two differ.
std::string first_difference(const std::string& now, const std::string& then) {
  const auto at = std::mismatch(now.begin(), now.end(), then.begin(), then.end());
  const auto line_at = [](const std::string& text, std::string::const_iterator place) {
    const auto from = static_cast<std::size_t>(place - text.begin());
    const std::size_t start = from == 0 ? 0 : text.rfind('\n', from - 1) + 1;
    return text.substr(start, std::min(text.find('\n', start), text.size()) - start);
  };
  return fmt::format("'{}' and not '{}'", line_at(now, at.first), line_at(then, at.second));
}

constexpr const char* kInstead =
    "questions may not be changed after their data: add a new question, or run anew with another "
    "seed and record it in docs/record.md";

}  // namespace

std::string question_fingerprint(const VerdictRule& rule) {
  Study alone;
  alone.verdicts = {rule};
  alone.verdicts[0].name = in_one_line(rule.name);
  alone.verdicts[0].catches = in_one_line(rule.catches);
  const std::string toml = write_study(alone);
  return fingerprint_of(toml.substr(toml.find("[[verdicts]]")));
}

std::string claim_fingerprint(const Study& study) {
  return fingerprint_of(in_one_line(study.title) + "\n" + in_one_line(study.claim) + "\n" +
                        in_one_line(study.expectation));
}

std::string broken_freeze(const Study& now, const Study& then) {
  if (claim_fingerprint(now) != claim_fingerprint(then))
    return fmt::format("title, claim or expectation changed; {}", kInstead);
  for (const VerdictRule& rule : then.verdicts)
    if (!same_question(rule, now))
      return fmt::format("'{}' is gone or asks something else; {}", rule.name, kInstead);
  return "";
}

std::string other_design(const Study& now, const Study& then) {
  const std::string ours = design_of(now), theirs = design_of(then);
  if (ours != theirs) return first_difference(ours, theirs);
  // What was published before files were kept cannot say.
  for (const auto& [path, content] : now.files)
    if (const auto kept = then.files.find(path);
        kept != then.files.end() && kept->second != content)
      return fmt::format("another content of '{}'", path);
  return "";
}

std::vector<std::string> new_questions(const Study& now, const Study& then) {
  std::vector<std::string> names;
  for (const VerdictRule& rule : now.verdicts)
    if (!same_question(rule, then)) names.push_back(rule.name);
  return names;
}

void mark_late(Study& now, const Study& then) {
  for (VerdictRule& rule : now.verdicts) {
    const VerdictRule* before = same_question(rule, then);
    rule.late = before == nullptr || before->late;
  }
}

}  // namespace armature
