// Running another program with text on its stdin, within limits. Uses POSIX.
#pragma once

#include <cstddef>
#include <string>

namespace critscale::cli {

/// Runs `command` through /bin/sh with `input` on its stdin and returns its stdout; its stderr is ours.
/// At `seconds` or `bytes` of output the program and its children are ended and LimitError is thrown.
/// Throws InputError when it cannot be started or ends with an error before it has answered at all.
std::string converse(const std::string& command, const std::string& input, double seconds, std::size_t bytes);

}  // namespace critscale::cli
