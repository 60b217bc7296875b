// What is done when the program is interrupted (SIGINT, SIGTERM, SIGHUP): the running client is ended, empty
// files are removed, how to go on is said; then the signal does what it always does. Uses POSIX.
#pragma once

#include <sys/types.h>

#include <string>

namespace critscale::cli {

/// Begins to watch for these signals; one that is ignored already stays ignored.
void watch_for_interrupts();

/// What is said on stderr: one line; at most 4000 bytes are kept.
void say_when_interrupted(const std::string& line);
/// The process group that is ended; 0 for none.
void end_when_interrupted(pid_t group);
/// A file that is removed if it is empty; a few are remembered.
void remove_empty_when_interrupted(const std::string& path);
/// What an interruption does, without a signal: the client is ended, the empty files are removed.
void clean_up();

}  // namespace critscale::cli
