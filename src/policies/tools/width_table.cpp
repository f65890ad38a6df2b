#include "policies/tools/width_table.h"

#include <algorithm>
#include <mutex>
#include <thread>

namespace armature {

// All that is shared, static and zero at the start: the machine gives memory to what is touched.
struct WidthShelf {
  using Cell = WidthTable::Cell;

  // Of one table. All of it changes under the lock, but for `users`: that leaves 0 under the lock
  // alone.
  struct Cover {
    WidthTable::Key key;
    std::uint64_t asked_for;  // when last, in questions
    std::uint32_t pages;
    std::uint32_t users;
  };

  static inline std::mutex mutex;
  static inline Cover covers[WidthTable::kTables];
  static inline std::uint32_t tables;  // that were ever in use, from the first on
  static inline std::uint64_t questions;
  // Null: no count has come there yet. One more, of the table that keeps nothing.
  static inline Cell* directories[WidthTable::kTables + 1][WidthTable::kPagesPerTable];

  alignas(64) static inline Cell pages[WidthTable::kPages][WidthTable::kPageSize];
  static inline std::uint32_t touched;  // from here on pages are as they were at the start
  static inline Cell* returned[WidthTable::kPages];
  static inline std::uint32_t returned_count;
  static inline Cell refused[WidthTable::kPageSize];  // in place of a page where none is left

  // The lock is tried, not waited for without end: in a process that was forked while a thread held
  // it nobody lets it go. Whoever does not get it computes.
  static std::unique_lock<std::mutex> lock_within(int tries) {
    std::unique_lock lock(mutex, std::try_to_lock);
    for (int i = 1; i < tries && !lock; ++i) {
      std::this_thread::yield();
      static_cast<void>(lock.try_lock());
    }
    return lock;
  }

  static std::atomic_ref<std::uint32_t> users(std::uint32_t table) {
    return std::atomic_ref(covers[table].users);
  }

  // Of those that nobody holds the one asked for longest ago; kNone if there is none. Whoever let
  // go of it has done with its pages.
  template <class Condition>
  static std::uint32_t idle_table(const Condition& suits) {
    std::uint32_t found = WidthTable::kNone;
    for (std::uint32_t i = 0; i < tables; ++i)
      if (users(i).load(std::memory_order_acquire) == 0 && suits(covers[i]) &&
          (found == WidthTable::kNone || covers[i].asked_for < covers[found].asked_for))
        found = i;
    return found;
  }

  static void clear(std::uint32_t table) {
    for (Cell*& page : directories[table]) {
      if (page != nullptr && page != refused) returned[returned_count++] = page;
      page = nullptr;
    }
    covers[table] = {};
  }

  static std::uint32_t table_of(const WidthTable::Key& key) {
    for (std::uint32_t i = 0; i < tables; ++i)
      if (covers[i].key == key) return i;
    const std::uint32_t table =
        tables < WidthTable::kTables ? tables++ : idle_table([](const Cover&) { return true; });
    if (table == WidthTable::kNone) return table;
    clear(table);
    covers[table].key = key;
    return table;
  }

  static Cell* free_page() {
    if (touched < WidthTable::kPages) return pages[touched++];
    if (returned_count == 0) {
      const std::uint32_t idle = idle_table([](const Cover& cover) { return cover.pages > 0; });
      if (idle == WidthTable::kNone) return refused;
      clear(idle);
    }
    Cell* page = returned[--returned_count];
    std::fill_n(page, WidthTable::kPageSize, 0);
    return page;
  }
};

WidthTable::WidthTable() : number_(kNone), pages_(WidthShelf::directories[kNone]) {}

WidthTable::WidthTable(const Key& key) : WidthTable() {
  const auto lock = WidthShelf::lock_within(1000);
  if (!lock) return;
  number_ = WidthShelf::table_of(key);
  pages_ = WidthShelf::directories[number_];
  if (number_ == kNone) return;
  WidthShelf::covers[number_].asked_for = ++WidthShelf::questions;
  if (WidthShelf::users(number_).load(std::memory_order_acquire) == 0)
    for (std::uint64_t i = 0; i < kPagesPerTable; ++i)  // there may be pages again
      if (pages_[i] == WidthShelf::refused) pages_[i] = nullptr;
  hold();
}

void WidthTable::hold() const {
  if (number_ != kNone) WidthShelf::users(number_).fetch_add(1, std::memory_order_relaxed);
}

void WidthTable::let_go() const {
  if (number_ != kNone) WidthShelf::users(number_).fetch_sub(1, std::memory_order_release);
}

WidthTable::Cell* WidthTable::page_for(std::uint64_t n) const {
  if (number_ == kNone) return nullptr;
  const std::atomic_ref entry(pages_[n / kPageSize]);
  Cell* page = entry.load(std::memory_order_acquire);
  if (page == nullptr) {
    const auto lock = WidthShelf::lock_within(1);
    if (!lock) return nullptr;
    page = entry.load(std::memory_order_relaxed);
    if (page == nullptr) {
      page = WidthShelf::free_page();
      WidthShelf::covers[number_].pages += page != WidthShelf::refused ? 1 : 0;
      entry.store(page, std::memory_order_release);
    }
  }
  return page == WidthShelf::refused ? nullptr : page;
}

std::uint32_t WidthTable::pages() const {
  const std::scoped_lock lock(WidthShelf::mutex);
  return number_ == kNone ? 0 : WidthShelf::covers[number_].pages;
}

std::uint32_t WidthTable::pages_of_all() {
  const std::scoped_lock lock(WidthShelf::mutex);
  return WidthShelf::touched - WidthShelf::returned_count;
}

}  // namespace armature
