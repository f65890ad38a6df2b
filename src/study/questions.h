// A study's questions, frozen before its data: what may not change once results are published.
#pragma once

#include <string>
#include <vector>

#include "armature/study.h"

namespace armature {

/// Sixteen digits that change with what is asked: the question's words, its rule, whom it is about,
/// its margins. White space and the order of keys do not count.
std::string question_fingerprint(const VerdictRule& rule);
/// The same of the words around the questions: title, claim and expectation.
std::string claim_fingerprint(const Study& study);

/// How `now` breaks what was frozen with `then`: a question that is gone or another one, other
/// words of the claim. In words, with what to do instead; empty if nothing does. New questions do
/// not.
std::string broken_freeze(const Study& now, const Study& then);
/// How the two would give other data (seed, replications, horizons, instances, policies, …), in
/// words; empty if they would not.
std::string other_design(const Study& now, const Study& then);

/// The names of questions that `then` did not have.
std::vector<std::string> new_questions(const Study& now, const Study& then);
/// Marks those questions of `now` as late that were late in `then`, or not there.
void mark_late(Study& now, const Study& then);

}  // namespace armature
