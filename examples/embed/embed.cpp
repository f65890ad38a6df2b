// A policy inside your own program: choose, hear of outcomes late, survive a restart.
#include <armature/decision_book.h>

#include <iostream>

using namespace armature;

int main() {
  // Three subject lines; what we see next is whether the mail was opened.
  Problem problem;
  problem.action_names = {"plain", "question", "offer"};
  problem.context_names = {"ignored", "opened"};
  problem.marginals = std::make_shared<const Matrix>(
      Matrix::from_rows({{0.75, 0.25}, {0.5, 0.5}, {0.25, 0.75}}));  // from last year's log

  DecisionBook book(PolicySession("sentry", problem, 2024));
  const auto first = book.choose();
  const auto second = book.choose();  // before anything is known of the first
  std::cout << first.id << ": " << problem.action_names[first.arm] << "\n";
  book.observe(second.id, "opened", 1.0);

  const std::string saved = book.save();  // write it to a file; the program may end here
  DecisionBook again = DecisionBook::load(saved, problem);
  again.observe(first.id, "ignored", 0.0);  // two days late
  try {
    again.observe(first.id, "ignored", 0.0);  // and the messenger rings twice
  } catch (const DecisionError& error) {
    std::cout << mistake_name(error.mistake()) << ": " << error.what() << "\n";
  }
  return again.outstanding_count() == 0 ? 0 : 1;
}
