// Ports of this machine for servers that end and begin again.
#pragma once

namespace armature::test {

/// A socket bound to a port of 127.0.0.1 (0: any that is free), which does not listen yet. Two may
/// be bound to one port as long as only one of them listens.
int bound_socket(unsigned short port);

/// A port that is given to nobody who asks for any, also while nobody listens there: who does may
/// end, and another come.
class HeldPort {
 public:
  HeldPort();
  ~HeldPort();
  HeldPort(const HeldPort&) = delete;
  HeldPort& operator=(const HeldPort&) = delete;

  unsigned short number() const { return number_; }

 private:
  int guard_ = -1;
  unsigned short number_ = 0;
};

}  // namespace armature::test
