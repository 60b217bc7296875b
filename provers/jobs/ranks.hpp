// Work divided among the processes of one mpirun: the first hands out blocks, computes blocks itself, takes
// the results in order, and alone speaks and writes. All processes run the same command on the same input.
// Uses transport.hpp, pipeline.hpp and oneTBB (in the .cpp only).
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "critscale/tables/detail/writer.hpp"
#include "critscale/tokens/row_sharing.hpp"

namespace critscale::cli {

class Transport;

/// Thrown in the others where the first process has ended its work: there is nothing left to do.
struct Released {};

/// The processes of this run, from `begin` to `end`; a single one at other times.
class Ranks {
 public:
  /// Joins the others. `transport` may be null: one process.
  static void begin(std::unique_ptr<Transport> transport);
  /// Leaves them; waits until every process has come here. What another process could not do is said by the
  /// first.
  static void end();

  static bool several();
  /// Whether this process speaks and writes.
  static bool is_first();
  /// Processes of this run on this machine.
  static std::size_t neighbours();
  /// Threads a process uses by itself: the cores it may use, divided among the processes of its machine.
  static std::size_t default_threads();

  /// Tells the first process what went wrong here: the exit code and the line.
  static void report(int code, const std::string& message);

  /// Every process comes here with the same number of blocks: each is made by one thread of one process, and
  /// `take` is called in the first only. `threads` of 0: default_threads(). One process alone:
  /// parallel_in_order. What `make` throws elsewhere is thrown again in the first, with its type.
  static OrderedRun ordered_run(std::size_t threads);

  /// Rows of one set divided among the processes, and all results sent to each. Null for one process alone.
  static std::shared_ptr<const RowSharing> row_sharing(std::size_t threads);

  /// The first process's text, on all of them.
  static std::string text_of_first(const std::string& text);
};

}  // namespace critscale::cli
