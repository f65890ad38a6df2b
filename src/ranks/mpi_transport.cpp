// MPI's side of Transport, and all there is of MPI. A module of its own, loaded only by a process
// that was started as one of several: no other command pays for it, or needs MPI to be there.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <list>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "ranks/transport.h"

namespace armature::ranks {
namespace {

constexpr int kTag = 1;

void require(int status, const char* what) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw std::runtime_error(std::string("MPI: ") + what + ": " + text);
}

class MpiTransport final : public Transport {
 public:
  MpiTransport() {
    int there = 0;
    MPI_Initialized(&there);
    // One thread talks, the others compute.
    int provided = 0;
    if (!there) require(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "init");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    require(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "rank");
    require(MPI_Comm_size(MPI_COMM_WORLD, &size_), "size");
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void send(int to, std::string message) override {
    if (message.size() > kMost) throw std::runtime_error("MPI: a message of more than 2 GB");
    // MPI reads the bytes until the request is done: they stay where they are until then.
    Sending& sending = sending_.emplace_back();
    sending.message = std::move(message);
    require(MPI_Isend(sending.message.data(), static_cast<int>(sending.message.size()), MPI_BYTE,
                      to, kTag, MPI_COMM_WORLD, &sending.request),
            "send");
    forget_sent();
  }

  std::optional<Received> receive() override {
    forget_sent();
    // Not MPI_Recv: a rank that dies or hangs in the middle of a long message must not hold up
    // what the others have to say.
    int there = 0;
    MPI_Message handle;
    MPI_Status status;
    require(MPI_Improbe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &there, &handle, &status), "probe");
    if (there) begin_receiving(handle, status);
    return next_received();
  }

  void close() override {
    while (!sending_.empty()) {
      forget_sent();
      std::this_thread::yield();
    }
    MPI_Finalize();
  }

  void abort(int status) noexcept override { MPI_Abort(MPI_COMM_WORLD, status); }

 private:
  static constexpr std::size_t kMost = 0x7fffffff;
  struct Sending {
    std::string message;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  // Where MPI writes to while the request is open.
  struct Receiving {
    Received received;
    MPI_Request request = MPI_REQUEST_NULL;
    bool done = false;
  };

  void begin_receiving(MPI_Message& handle, const MPI_Status& status) {
    int length = 0;
    require(MPI_Get_count(&status, MPI_BYTE, &length), "count");
    Receiving& receiving = receiving_.emplace_back();
    receiving.received = {status.MPI_SOURCE, std::string(static_cast<std::size_t>(length), '\0')};
    require(MPI_Imrecv(receiving.received.message.data(), length, MPI_BYTE, &handle,
                       &receiving.request),
            "receive");
  }

  // The first that is whole and has none of the same rank before it.
  std::optional<Received> next_received() {
    std::set<int> waiting;
    for (auto one = receiving_.begin(); one != receiving_.end(); ++one) {
      int done = one->done ? 1 : 0;
      if (!done) require(MPI_Test(&one->request, &done, MPI_STATUS_IGNORE), "test");
      one->done = done != 0;
      if (one->done && !waiting.contains(one->received.from)) {
        Received received = std::move(one->received);
        receiving_.erase(one);
        return received;
      }
      waiting.insert(one->received.from);
    }
    return std::nullopt;
  }

  void forget_sent() {
    for (auto one = sending_.begin(); one != sending_.end();) {
      int done = 0;
      require(MPI_Test(&one->request, &done, MPI_STATUS_IGNORE), "test");
      one = done ? sending_.erase(one) : std::next(one);
    }
  }

  int rank_ = 0;
  int size_ = 1;
  std::list<Sending> sending_;  // lists: nothing moves
  std::list<Receiving> receiving_;
};

}  // namespace
}  // namespace armature::ranks

extern "C" __attribute__((visibility("default"))) armature::ranks::Transport*
armature_mpi_transport() {
  return new armature::ranks::MpiTransport();
}
