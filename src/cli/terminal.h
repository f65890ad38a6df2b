// What commands are printed on: how wide it is, whether it knows colours, and what a person said
// about that (`--color`, `--wide`, NO_COLOR, COLUMNS).
#pragma once

#include <optional>
#include <string>

#include "cli/command.h"
#include "report/screen.h"

namespace armature::cli {

/// `--color` and `--wide`, for every command in the same way: to be called when all are declared.
void add_terminal_options(CLI::App& app);

/// What emit(output, …) prints on: standard output, or a file, which has 80 plain columns.
Screen screen(const std::optional<std::string>& output = {});
/// Standard error: errors, notes, progress.
Screen error_screen();

/// Text from a person's files and arguments is made visible(), then broken into lines that fit. The
/// others hang by `indent` blanks. With a line break at the end.
std::string prose(const std::string& text, const Screen& on, std::size_t indent = 0);

/// A line for standard error: on a terminal in lines that fit, elsewhere in one, for grep.
void complain(const std::string& message);

/// Help that fits the screen.
std::shared_ptr<CLI::Formatter> help_formatter();

}  // namespace armature::cli
