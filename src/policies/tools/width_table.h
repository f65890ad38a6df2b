// Widths that depend on a whole count alone, kept once they have been computed: a logarithm or two,
// a root and a division become a look at a table. All policies and replications of a process that
// ask for the same formula share one table, and every entry is what the formula gave: with a table
// or without, the bits are the same.
//
// Reading takes no lock, and nothing is ever allocated: the memory of all tables together lies
// ready, untouched until it is needed, and is cut into pages. A page is taken when a count first
// falls into it. When none is left, the table that was asked for longest ago and that nobody holds
// gives its own up; if all are held, what has no page is computed each time.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

namespace armature {

class WidthTable {
 public:
  enum class Formula : std::uint32_t { kNone, kAnytime, kMoss, kWatch };
  /// A formula and its constants. Whoever asks for the same key computes the same.
  struct Key {
    Formula formula = Formula::kNone;
    double first = 0;
    double second = 0;
    bool operator==(const Key&) const = default;
  };

  static constexpr std::uint64_t kCounts = 1 << 20;  // of one table; beyond, all is computed
  static constexpr std::uint64_t kPageSize = 1 << 11;
#ifdef __EMSCRIPTEN__
  static constexpr std::uint32_t kPages = 1 << 10;  // of all tables: 16 MiB, on a page or a phone
#else
  static constexpr std::uint32_t kPages = 1 << 12;  // of all tables: 64 MiB
#endif
  static constexpr std::uint32_t kTables = 1 << 8;

  /// Keeps nothing.
  WidthTable();
  explicit WidthTable(const Key& key);
  WidthTable(const WidthTable& other) : number_(other.number_), pages_(other.pages_) { hold(); }
  WidthTable& operator=(const WidthTable& other) {
    other.hold();
    let_go();
    number_ = other.number_;
    pages_ = other.pages_;
    return *this;
  }
  ~WidthTable() { let_go(); }

  /// compute(n), which is at least 0, or what it gave before.
  template <class Compute>
  double at(std::uint64_t n, const Compute& compute) const {
    if (n < kCounts) [[likely]]
      if (Cell* page = std::atomic_ref(pages_[n / kPageSize]).load(std::memory_order_acquire))
          [[likely]]
        if (const Cell kept = std::atomic_ref(page[n % kPageSize]).load(std::memory_order_relaxed))
            [[likely]]
          return std::bit_cast<double>(~kept);
    return worked_out(n, compute);
  }

  /// How many pages are in use: of this table, of all.
  std::uint32_t pages() const;
  static std::uint32_t pages_of_all();

 private:
  using Cell = std::uint64_t;  // the complement of a width's bits; 0: not computed yet
  static constexpr std::uint64_t kPagesPerTable = kCounts / kPageSize;
  static constexpr std::uint32_t kNone = kTables;  // the table that keeps nothing
  friend struct WidthShelf;

  void hold() const;
  void let_go() const;
  /// Where the cell of n < kCounts is, or would be; null if it cannot be kept.
  Cell* page_for(std::uint64_t n) const;
  // Counts rise one by one: what follows in the same line of the cache will be asked for next, and
  // side by side it takes half the time. The formula comes by value: in a register, not by way of
  // the stack.
  template <class Compute>
  [[gnu::noinline]] double worked_out(std::uint64_t n, Compute compute) const {
    constexpr std::uint64_t kLine = 64 / sizeof(Cell);
    const double width = compute(n);
    Cell* page = n < kCounts ? page_for(n) : nullptr;
    if (page == nullptr) return width;
    keep(page[n % kPageSize], width);
    for (std::uint64_t i = n + 1; i % kLine != 0; ++i) keep(page[i % kPageSize], compute(i));
    return width;
  }
  static void keep(Cell& cell, double width) {
    std::atomic_ref(cell).store(~std::bit_cast<Cell>(width), std::memory_order_relaxed);
  }

  std::uint32_t number_;
  Cell** pages_;
};

}  // namespace armature
