// Bytes between the processes that one mpirun has started. Uses MPI (in mpi_transport.cpp only; without MPI
// no_transport.cpp takes its place).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace critscale::cli {

/// One process's view of the others. All calls come from one thread.
class Transport {
 public:
  virtual ~Transport() = default;
  /// The number of this process, from 0, and of all of them.
  virtual std::size_t rank() const = 0;
  virtual std::size_t size() const = 0;
  /// Processes on this machine, this one too.
  virtual std::size_t neighbours() const = 0;
  /// Returns at once; the bytes travel while `poll` is called. Throws LimitError beyond 2^31 - 1 bytes.
  virtual void send(std::size_t to, const std::string& bytes) = 0;
  /// The next message that has arrived, with its sender. Messages of one sender keep their order.
  virtual std::optional<std::pair<std::size_t, std::string>> poll() = 0;
};

/// MPI where mpirun or srun has started this process; null elsewhere, without any work. The end of its life
/// ends MPI: every process must come to it.
std::unique_ptr<Transport> mpi_transport();

}  // namespace critscale::cli
