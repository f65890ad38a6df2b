// MPI's side of Transport, and all there is of MPI. A module of its own, loaded only by a process
// that was started as one of several: no other command pays for it, or needs MPI to be there.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <list>
#include <memory>
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
    int there = 0;
    MPI_Message handle;
    MPI_Status status;
    require(MPI_Improbe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &there, &handle, &status), "probe");
    if (!there) return std::nullopt;
    int length = 0;
    require(MPI_Get_count(&status, MPI_BYTE, &length), "count");
    Received received{status.MPI_SOURCE, std::string(static_cast<std::size_t>(length), '\0')};
    require(MPI_Mrecv(received.message.data(), length, MPI_BYTE, &handle, MPI_STATUS_IGNORE),
            "receive");
    return received;
  }

  void close() override {
    while (!sending_.empty()) {
      forget_sent();
      std::this_thread::yield();
    }
    MPI_Finalize();
  }

  void abort() noexcept override { MPI_Abort(MPI_COMM_WORLD, 1); }

 private:
  static constexpr std::size_t kMost = 0x7fffffff;
  struct Sending {
    std::string message;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  void forget_sent() {
    for (auto one = sending_.begin(); one != sending_.end();) {
      int done = 0;
      require(MPI_Test(&one->request, &done, MPI_STATUS_IGNORE), "test");
      one = done ? sending_.erase(one) : std::next(one);
    }
  }

  int rank_ = 0;
  int size_ = 1;
  std::list<Sending> sending_;  // a list: nothing moves
};

}  // namespace
}  // namespace armature::ranks

extern "C" __attribute__((visibility("default"))) armature::ranks::Transport*
armature_mpi_transport() {
  return new armature::ranks::MpiTransport();
}
