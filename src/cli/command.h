// One function per command: it declares its options and what to do when it is called. Errors are
// thrown and caught in main.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "armature/study.h"
#include "options/numbers.h"

namespace armature::cli {

void add_simulate(CLI::App& app);
void add_demo(CLI::App& app);
void add_instance(CLI::App& app);
void add_design(CLI::App& app);
void add_bounds(CLI::App& app);
void add_frontier(CLI::App& app);
void add_advise(CLI::App& app);
void add_audit(CLI::App& app);
void add_replay(CLI::App& app);
void add_policies(CLI::App& app);
void add_families(CLI::App& app);
void add_study(CLI::App& app);
void add_run(CLI::App& app);
void add_submit(CLI::App& app);
void add_status(CLI::App& app);
void add_merge(CLI::App& app);
void add_export(CLI::App& app);
void add_show(CLI::App& app);
void add_report(CLI::App& app);
void add_studies(CLI::App& app);
void add_graph(CLI::App& app);
void add_serve(CLI::App& app);
void add_service(CLI::App& app);
void add_devices(CLI::App& app);
void add_completion(CLI::App& app);

/// A command that ended early or found something: its exit status.
struct ExitStatus {
  int value;
};

/// `--horizon`, where it may be left out.
std::optional<Round> horizon_option(const std::string& text);

/// `--tolerance`: a share in (0,1), or 0 (the default of numerical_rank) where nothing was given.
double rank_tolerance(const std::string& text);

/// Of a directory that `run` has left, or of a file of published results. Beside such a file other
/// published files lie, and nothing is left there unasked: `option` must then say where to.
StudyResult results_at(const std::string& source, const char* option, const std::string& target);

/// How far the shards in a directory are, if that is what there is to tell of it.
bool print_shards_status(const std::string& directory);
/// Do shards lie there, merged or not?
bool has_shards(const std::string& directory);

/// Prints a study's title and its answer: the end of `run` and `demo`, and all of `show`.
void print_answer(const StudyResult& result);

/// Writes the report of a study's directory and prints the path of its page.
void print_report(const StudyResult& result, const std::string& directory);

/// Prints to the terminal, or to a file that appears whole or not at all.
void emit(const std::optional<std::string>& output, const std::string& content);

}  // namespace armature::cli
