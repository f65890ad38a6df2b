#include "service/postgres/connection.h"

#include <endian.h>
#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>
#include <limits>
#include <utility>

namespace armature::service::postgres {
namespace {

using Clock = std::chrono::steady_clock;

// Types by the numbers that PostgreSQL has given them for ever.
constexpr unsigned kBoolean = 16;
constexpr unsigned kBytes = 17;
constexpr unsigned kInteger = 20;
constexpr unsigned kText = 25;
constexpr unsigned kReal = 701;
constexpr unsigned kManyBytes = 1001;
constexpr unsigned kTexts = 1009;
constexpr unsigned kIntegers = 1016;
constexpr unsigned kReals = 1022;

// Everything here is found by a key, a few rows at a time. What PostgreSQL thinks of a table comes
// from its last ANALYZE; of a new store it thinks nothing, and then one look at all events in every
// batch seems cheaper than looking a few up, and stays the plan while they become millions. With
// keys one plan is right for batches of all sizes, and is not made again for each.
constexpr const char* kByKeys =
    "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; "
    "SET jit = off; SET plan_cache_mode = force_generic_plan;";

// In the order of the network.
template <class Number>
std::string big_endian(Number number) {
  std::string bytes(sizeof number, '\0');
  if constexpr (sizeof number == 8)
    number = static_cast<Number>(htobe64(static_cast<std::uint64_t>(number)));
  else
    number = static_cast<Number>(htobe32(static_cast<std::uint32_t>(number)));
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}
std::string bytes_of(std::int64_t number) { return big_endian(number); }
std::string bytes_of(double number) { return big_endian(std::bit_cast<std::int64_t>(number)); }
const std::string& bytes_of(const std::string& text) { return text; }

std::int64_t from_big_endian(const char* bytes) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes, sizeof number);
  return static_cast<std::int64_t>(be64toh(number));
}

// An array as PostgreSQL has it on the wire: dimensions, whether there are nulls, the type of its
// elements, how many from which index on, and each with its length.
template <class Elements, class Bytes>
std::string array_of(const Elements& elements, unsigned type, const Bytes& bytes) {
  if (elements.empty())
    return big_endian(std::int32_t{0}) + big_endian(std::int32_t{0}) +
           big_endian(static_cast<std::int32_t>(type));
  std::string array;
  array.reserve(20 + 12 * elements.size());
  array += big_endian(std::int32_t{1});
  array += big_endian(std::int32_t{1});
  array += big_endian(static_cast<std::int32_t>(type));
  array += big_endian(static_cast<std::int32_t>(elements.size()));
  array += big_endian(std::int32_t{1});
  for (const auto& element : elements) {
    const std::optional<std::string> one = bytes(element);
    array += big_endian(one ? static_cast<std::int32_t>(one->size()) : std::int32_t{-1});
    if (one) array += *one;
  }
  return array;
}
template <class Number>
std::string array_of(const std::vector<std::optional<Number>>& elements, unsigned type) {
  return array_of(elements, type, [](const std::optional<Number>& one) {
    return one ? std::optional<std::string>(bytes_of(*one)) : std::nullopt;
  });
}

std::string without_end(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// What libpq understands of a URL; nothing: it is none. One whose password has a slash in it that
// is not written as %2F reads as something else, and is none either.
std::map<std::string, std::string> parts_of(const std::string& url) {
  std::map<std::string, std::string> parts;
  PQconninfoOption* all = PQconninfoParse(url.c_str(), nullptr);
  if (all == nullptr) return parts;
  for (const PQconninfoOption* one = all; one->keyword != nullptr; ++one)
    if (one->val != nullptr) parts[one->keyword] = one->val;
  PQconninfoFree(all);
  const auto is_odd = [&](const char* name) {
    const auto found = parts.find(name);
    return found != parts.end() && found->second.find('@') != std::string::npos;
  };
  if (is_odd("host") || is_odd("port") || is_odd("dbname")) parts.clear();
  return parts;
}

}  // namespace

bool is_url(std::string_view store) {
  for (const std::string_view scheme : {"postgresql://", "postgres://"})
    if (store.size() >= scheme.size() &&
        std::equal(scheme.begin(), scheme.end(), store.begin(), [](char one, char other) {
          return one == std::tolower(static_cast<unsigned char>(other));
        }))
      return true;
  return false;
}

// Put together of what libpq understands of it, so that nothing else can be in it.
std::string shown_url(const std::string& url) {
  const std::map<std::string, std::string> parts = parts_of(url);
  if (parts.empty()) return "postgresql://…";
  const auto part = [&](const char* before, const char* name, const char* after) {
    const auto found = parts.find(name);
    return found == parts.end() ? std::string() : before + found->second + after;
  };
  return "postgresql://" + part("", "user", "@") + part("", "host", "") + part(":", "port", "") +
         part("/", "dbname", "");
}

// --- Parameters ----------------------------------------------------------------------------------

void Parameters::put(unsigned type, std::optional<std::string> value) {
  all_.push_back({type, std::move(value)});
}
Parameters& Parameters::add(std::int64_t number) {
  put(kInteger, bytes_of(number));
  return *this;
}
Parameters& Parameters::add(bool flag) {
  put(kBoolean, std::string(1, flag ? '\1' : '\0'));
  return *this;
}
Parameters& Parameters::add_text(std::string_view text) {
  put(kText, std::string(text));
  return *this;
}
Parameters& Parameters::add(const std::vector<std::int64_t>& numbers) {
  put(kIntegers, array_of(numbers, kInteger, [](std::int64_t number) {
        return std::optional<std::string>(bytes_of(number));
      }));
  return *this;
}
Parameters& Parameters::add(const std::vector<std::optional<std::int64_t>>& numbers) {
  put(kIntegers, array_of(numbers, kInteger));
  return *this;
}
Parameters& Parameters::add(const std::vector<std::optional<double>>& numbers) {
  put(kReals, array_of(numbers, kReal));
  return *this;
}
Parameters& Parameters::add_texts(const std::vector<std::optional<std::string>>& texts) {
  put(kTexts, array_of(texts, kText));
  return *this;
}
Parameters& Parameters::add_many_bytes(const std::vector<std::optional<std::string>>& bytes) {
  put(kManyBytes, array_of(bytes, kBytes));
  return *this;
}

// --- Rows ----------------------------------------------------------------------------------------

void Rows::Clear::operator()(pg_result* result) const { PQclear(result); }

Rows::Rows(pg_result* result) : result_(result) {}
std::size_t Rows::size() const { return static_cast<std::size_t>(PQntuples(result_.get())); }
bool Rows::is_null(std::size_t row, int column) const {
  return PQgetisnull(result_.get(), static_cast<int>(row), column) != 0;
}
std::int64_t Rows::integer(std::size_t row, int column) const {
  ARMATURE_CHECK(PQgetlength(result_.get(), static_cast<int>(row), column) == 8,
                 "whole numbers are asked for as bigint");
  return from_big_endian(PQgetvalue(result_.get(), static_cast<int>(row), column));
}
double Rows::real(std::size_t row, int column) const {
  return std::bit_cast<double>(integer(row, column));
}
bool Rows::flag(std::size_t row, int column) const {
  return *PQgetvalue(result_.get(), static_cast<int>(row), column) != 0;
}
std::string Rows::text(std::size_t row, int column) const {
  const int at = static_cast<int>(row);
  return {PQgetvalue(result_.get(), at, column),
          static_cast<std::size_t>(PQgetlength(result_.get(), at, column))};
}

// --- The connection ------------------------------------------------------------------------------

Connection::Connection(const std::string& url, Options options)
    : shown_(shown_url(url)), options_(std::move(options)) {
  // What libpq says of a URL that is none may have a password in it.
  const std::map<std::string, std::string> parts = parts_of(url);
  if (parts.empty())
    throw Error({"", "store", "a URL that PostgreSQL does not understand",
                 "postgresql://USER@HOST:PORT/DATABASE, with / in a password as %2F"});
  std::vector<const char*> names;
  std::vector<const char*> values;
  const auto add = [&](const char* name, const char* value) {
    names.push_back(name);
    values.push_back(value);
  };
  add("dbname", url.c_str());  // may be a whole URL
  // A line that is dead without saying so is found out within seconds, unless the URL has its own
  // mind.
  const std::string silence = std::to_string(options_.patience.count());
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, const char*>>{
           {"connect_timeout", "5"},
           {"keepalives_idle", "5"},
           {"keepalives_interval", "2"},
           {"keepalives_count", "3"},
           {"tcp_user_timeout", silence.c_str()},
           {"target_session_attrs", options_.read_only ? "any" : "read-write"},
           {"application_name", "armature"},
           {"client_encoding", "UTF8"}})
    if (!parts.contains(name)) add(name, value);
  add(nullptr, nullptr);
  connection_ = PQconnectdbParams(names.data(), values.data(), 1);
  if (connection_ == nullptr || PQstatus(connection_) != CONNECTION_OK) {
    const std::string why =
        connection_ == nullptr ? "no memory" : without_end(PQerrorMessage(connection_));
    PQfinish(connection_);
    connection_ = nullptr;
    throw Failure("", {shown_, "store", why, "a PostgreSQL server that answers"});
  }
  PQsetNoticeProcessor(
      connection_, [](void*, const char*) {}, nullptr);
  PQsetnonblocking(connection_, 1);
  try {
    execute_script(kByKeys);
    for (const std::string& setting : options_.settings) execute("SET " + setting);
  } catch (...) {
    PQfinish(connection_);
    throw;
  }
}

Connection::~Connection() { PQfinish(connection_); }

void Connection::lose(const std::string& why) {
  lost_ = true;
  throw Failure("", {shown_, "store", without_end(why), "an answer"});
}

// Until what was asked is sent; what comes meanwhile is taken in, so that both sides can go on.
void Connection::finish_sending(Clock::time_point until) {
  for (;;) {
    const int left = PQflush(connection_);
    if (left < 0) lose(PQerrorMessage(connection_));
    if (left == 0) return;
    pollfd line{PQsocket(connection_), POLLIN | POLLOUT, 0};
    const auto wait =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (wait <= 0) lose("the server takes nothing");
    poll(&line, 1, static_cast<int>(wait));
    if ((line.revents & POLLIN) != 0 && PQconsumeInput(connection_) == 0)
      lose(PQerrorMessage(connection_));
  }
}

pg_result* Connection::answer(Clock::time_point until) {
  pg_result* last = nullptr;
  for (;;) {
    while (PQisBusy(connection_) != 0) {
      pollfd line{PQsocket(connection_), POLLIN, 0};
      const auto wait =
          std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
      if (wait <= 0) {
        PQclear(last);
        lose(fmt::format("no answer within {} ms", options_.patience.count()));
      }
      poll(&line, 1, static_cast<int>(wait));
      if ((line.revents & (POLLIN | POLLHUP | POLLERR)) != 0 && PQconsumeInput(connection_) == 0) {
        PQclear(last);
        lose(PQerrorMessage(connection_));
      }
    }
    pg_result* next = PQgetResult(connection_);
    if (next == nullptr) return last;
    PQclear(last);
    last = next;
  }
}

Rows Connection::checked(pg_result* result) {
  if (result == nullptr) lose(PQerrorMessage(connection_));
  Rows rows(result);
  const ExecStatusType status = PQresultStatus(result);
  if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return rows;
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const std::string why = without_end(PQresultErrorMessage(result));
  // Said by the server as it ends (57P01 and its kin), or by libpq for it: the line is gone. What
  // was asked for was rolled back or never begun, unless it had been committed: nobody knows. One
  // that has become a standby (25006) is as good as gone: the next line looks for the new primary.
  if (state == nullptr || PQstatus(connection_) != CONNECTION_OK ||
      std::string_view(state).starts_with("57P0") || std::string_view(state) == "25006")
    lose(why);
  throw Failure(state, {shown_, "store", why, "one that takes it"});
}

std::string Connection::prepared(const std::string& statement, const Parameters& parameters) {
  if (const auto known = prepared_.find(statement); known != prepared_.end()) return known->second;
  const std::string name = fmt::format("s{}", prepared_.size());
  std::vector<Oid> types;
  for (const auto& one : parameters.all_) types.push_back(one.type);
  const auto until = Clock::now() + options_.patience;
  if (PQsendPrepare(connection_, name.c_str(), statement.c_str(), static_cast<int>(types.size()),
                    types.data()) == 0)
    lose(PQerrorMessage(connection_));
  finish_sending(until);
  checked(answer(until));
  prepared_.emplace(statement, name);
  return name;
}

Rows Connection::execute(const std::string& statement, const Parameters& parameters) {
  if (lost_) throw Failure("", {shown_, "store", "a line that was cut", "a new one"});
  const auto until = Clock::now() + options_.patience;
  // What has no parameters is said once, or is none that can be prepared (BEGIN, LISTEN).
  if (parameters.all_.empty()) {
    if (PQsendQueryParams(connection_, statement.c_str(), 0, nullptr, nullptr, nullptr, nullptr,
                          1) == 0)
      lose(PQerrorMessage(connection_));
  } else {
    const std::string name = prepared(statement, parameters);
    std::vector<const char*> values;
    std::vector<int> lengths;
    std::vector<int> formats(parameters.all_.size(), 1);
    for (const auto& one : parameters.all_) {
      values.push_back(one.value ? one.value->data() : nullptr);
      lengths.push_back(one.value ? static_cast<int>(one.value->size()) : 0);
    }
    if (PQsendQueryPrepared(connection_, name.c_str(), static_cast<int>(values.size()),
                            values.data(), lengths.data(), formats.data(), 1) == 0)
      lose(PQerrorMessage(connection_));
  }
  finish_sending(until);
  return checked(answer(until));
}

void Connection::execute_script(const std::string& statements) {
  const auto until = Clock::now() + options_.patience;
  if (PQsendQuery(connection_, statements.c_str()) == 0) lose(PQerrorMessage(connection_));
  finish_sending(until);
  checked(answer(until));
}

bool Connection::ended() {
  pollfd line{PQsocket(connection_), POLLIN, 0};
  if (!lost_ && poll(&line, 1, 0) > 0 &&
      (PQconsumeInput(connection_) == 0 || PQstatus(connection_) != CONNECTION_OK))
    lost_ = true;
  return lost_;
}

std::set<std::string> Connection::notified() {
  if (lost_ || PQconsumeInput(connection_) == 0) lose(PQerrorMessage(connection_));
  std::set<std::string> channels;
  while (PGnotify* one = PQnotifies(connection_)) {
    if (one->be_pid != PQbackendPID(connection_)) channels.insert(one->relname);
    PQfreemem(one);
  }
  return channels;
}

void Connection::wait(std::chrono::milliseconds most, int other) {
  pollfd lines[] = {{lost_ ? -1 : PQsocket(connection_), POLLIN, 0}, {other, POLLIN, 0}};
  poll(lines, 2, static_cast<int>(std::max<std::int64_t>(most.count(), 0)));
}

}  // namespace armature::service::postgres
