#include "support/held_port.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace armature::test {
namespace {

int require(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

}  // namespace

int bound_socket(unsigned short port) {
  const int made =
      require(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket");
  const int on = 1;
  setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  require(bind(made, reinterpret_cast<const sockaddr*>(&address), sizeof address), "bind");
  return made;
}

HeldPort::HeldPort() : guard_(bound_socket(0)) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  require(getsockname(guard_, reinterpret_cast<sockaddr*>(&address), &size), "getsockname");
  number_ = ntohs(address.sin_port);
}

HeldPort::~HeldPort() { close(guard_); }

}  // namespace armature::test
