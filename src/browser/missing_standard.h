// What Emscripten's standard library lacks of C++20 (Debian's 3.1.6 has libc++ 13), for a program
// of one thread. The build puts it before every source (cmake/wasm.cmake), so that no room has to
// know of it. What a newer library has comes from there.
#pragma once

#include <version>

#ifdef __EMSCRIPTEN__

#include <atomic>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>

namespace std {

#ifndef __cpp_lib_bit_cast
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}
#endif

// There is nobody else: every access is atomic.
#ifndef __cpp_lib_atomic_ref
template <class Value>
class atomic_ref {
 public:
  explicit atomic_ref(Value& value) : value_(value) {}
  Value load(memory_order = memory_order_seq_cst) const { return value_; }
  void store(Value value, memory_order = memory_order_seq_cst) const { value_ = value; }
  Value fetch_add(Value more, memory_order = memory_order_seq_cst) const {
    const Value before = value_;
    value_ += more;
    return before;
  }
  Value fetch_sub(Value less, memory_order = memory_order_seq_cst) const {
    const Value before = value_;
    value_ -= less;
    return before;
  }

 private:
  Value& value_;
};
#endif

// strtod rounds as well, but also takes blanks, signs, words and hexadecimal digits, which this
// does not.
#ifndef __cpp_lib_to_chars
inline from_chars_result from_chars(const char* first, const char* last, double& value) {
  const char* at = first;
  if (at != last && *at == '-') ++at;
  const bool number = at != last && ((*at >= '0' && *at <= '9') || (*at == '.' && at + 1 != last &&
                                                                    at[1] >= '0' && at[1] <= '9'));
  if (!number) return {first, errc::invalid_argument};
  const char* end = at;
  const auto digits = [&] {
    while (end != last && *end >= '0' && *end <= '9') ++end;
  };
  digits();
  if (end != last && *end == '.') {
    ++end;
    digits();
  }
  if (end != last && (*end == 'e' || *end == 'E')) {
    const char* before = end++;
    if (end != last && (*end == '+' || *end == '-')) ++end;
    const char* exponent = end;
    digits();
    if (end == exponent) end = before;
  }
  const string text(first, end);
  const double read = strtod(text.c_str(), nullptr);
  // Too large or too small for a double: the value stays as it was.
  const bool zero =
      text.substr(0, text.find_first_of("eE")).find_first_of("123456789") == string::npos;
  if (read - read != 0 || (read == 0 && !zero)) return {end, errc::result_out_of_range};
  value = read;
  return {end, errc()};
}
#endif

// Nobody makes one: answers are computed by the thread that was asked.
#ifndef __cpp_lib_jthread
class jthread {
 public:
  template <class... Parts>
  explicit jthread(Parts&&...) {
    abort();
  }
};
#endif

}  // namespace std

#endif
