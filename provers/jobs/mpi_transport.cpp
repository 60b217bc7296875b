// Messages through MPI. Uses transport.hpp.
#include <mpi.h>

#include <climits>
#include <cstdlib>
#include <list>

#include "critscale/number/errors.hpp"
#include "jobs/transport.hpp"

namespace critscale::cli {

namespace {

class MpiTransport : public Transport {
 public:
  MpiTransport() {
    // Only one thread speaks; the others compute.
    int provided = 0, neighbours = 1;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm here = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &neighbours);
    MPI_Comm_free(&here);
    neighbours_ = static_cast<std::size_t>(neighbours);
  }
  ~MpiTransport() override {
    for (Letter& l : sent_) MPI_Wait(&l.request, MPI_STATUS_IGNORE);
    MPI_Finalize();
  }
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  std::size_t rank() const override { return static_cast<std::size_t>(rank_); }
  std::size_t size() const override { return static_cast<std::size_t>(size_); }
  std::size_t neighbours() const override { return neighbours_; }

  void send(std::size_t to, const std::string& bytes) override {
    if (bytes.size() > INT_MAX) throw LimitError("one process has more than 2^31 - 1 bytes to tell another");
    Letter& l = sent_.emplace_back(Letter{bytes, MPI_REQUEST_NULL});
    MPI_Isend(l.bytes.data(), static_cast<int>(l.bytes.size()), MPI_BYTE, static_cast<int>(to), 0,
              MPI_COMM_WORLD, &l.request);
  }

  std::optional<std::pair<std::size_t, std::string>> poll() override {
    // What has arrived is forgotten; waiting for that would keep a processor busy.
    sent_.remove_if([](Letter& l) {
      int arrived = 0;
      MPI_Test(&l.request, &arrived, MPI_STATUS_IGNORE);
      return arrived != 0;
    });
    int there = 0, count = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status);
    if (there == 0) return std::nullopt;
    MPI_Get_count(&status, MPI_BYTE, &count);
    std::string bytes(static_cast<std::size_t>(count), '\0');
    MPI_Recv(bytes.data(), count, MPI_BYTE, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return std::pair{static_cast<std::size_t>(status.MPI_SOURCE), std::move(bytes)};
  }

 private:
  struct Letter {
    std::string bytes;
    MPI_Request request;
  };
  std::list<Letter> sent_;
  int rank_ = 0, size_ = 1;
  std::size_t neighbours_ = 1;
};

}  // namespace

std::unique_ptr<Transport> mpi_transport() {
  // What Open MPI's and Slurm's launchers, and those of the MPICH family, set for what they start.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"})
    if (std::getenv(name) != nullptr) return std::make_unique<MpiTransport>();
  return nullptr;
}

}  // namespace critscale::cli
