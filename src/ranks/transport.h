// Messages between the processes of one job, called ranks. What carries them is somebody else's
// business: MPI (mpi_transport.cpp), or threads of one process in tests and benchmarks.
#pragma once

#include <optional>
#include <string>

namespace armature::ranks {

class Transport {
 public:
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Returns at once. Messages from one rank to another arrive in their order.
  virtual void send(int to, std::string message) = 0;
  struct Received {
    int from;
    std::string message;
  };
  /// The next message, if one has arrived; never waits.
  virtual std::optional<Received> receive() = 0;
  /// Ends the job in good order: waits until all messages of this rank have been received, and all
  /// ranks have come here.
  virtual void close() = 0;
  /// Ends all ranks of the job as far as that can be done, with this exit status. May return.
  virtual void abort(int status) noexcept = 0;

 protected:
  Transport() = default;
};

}  // namespace armature::ranks
