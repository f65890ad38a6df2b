#include "fault/faulty_disk.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <utility>

namespace armature::test {
namespace {

constexpr std::size_t kPiece = 512;

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Writes part of a change into an image of a file.
void put(std::string& image, std::uint64_t offset, std::string_view bytes) {
  image.resize(std::max<std::size_t>(image.size(), offset + bytes.size()));
  image.replace(offset, bytes.size(), bytes);
}

FaultyDisk& disk_of(sqlite3_vfs* vfs) { return *static_cast<FaultyDisk*>(vfs->pAppData); }

}  // namespace

// In memory given by SQLite: this, and behind it the real file.
struct FaultyFile {
  sqlite3_file base;
  FaultyDisk* disk;
  const char* path;  // null: a temporary file, which no restart finds
  bool fresh;        // its entry in the directory is not synced yet

  static FaultyFile& of(sqlite3_file* file) { return *reinterpret_cast<FaultyFile*>(file); }
  static sqlite3_file* real(sqlite3_file* file) {
    return reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + sizeof(FaultyFile));
  }
  FaultyDisk::Record* record() const {
    return path == nullptr ? nullptr : &disk->records_.at(path);
  }

  static int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) {
    const FaultyFile& self = of(file);
    if (!self.disk->operate()) {
      errno = EIO;
      return SQLITE_IOERR_WRITE;
    }
    if (!self.disk->take_room(static_cast<std::uint64_t>(size))) {
      if (!self.disk->quota_) return SQLITE_FULL;
      errno = EDQUOT;
      return SQLITE_IOERR_WRITE;
    }
    if (FaultyDisk::Record* record = self.record())
      record->since.push_back(
          {static_cast<std::uint64_t>(offset),
           std::string(static_cast<const char*>(data), static_cast<std::size_t>(size))});
    return real(file)->pMethods->xWrite(real(file), data, size, offset);
  }
  static int truncate(sqlite3_file* file, sqlite3_int64 size) {
    const FaultyFile& self = of(file);
    if (!self.disk->operate()) return SQLITE_IOERR_TRUNCATE;
    if (FaultyDisk::Record* record = self.record())
      record->since.push_back({static_cast<std::uint64_t>(size), std::nullopt});
    return real(file)->pMethods->xTruncate(real(file), size);
  }
  // The real disk need not hurry: what is safe is remembered here.
  static int sync(sqlite3_file* file, int) {
    FaultyFile& self = of(file);
    if (!self.disk->operate()) return SQLITE_IOERR_FSYNC;
    FaultyDisk::Record* record = self.record();
    if (!self.disk->may_sync()) {
      if (record != nullptr) record->since.clear();
      return SQLITE_IOERR_FSYNC;
    }
    if (std::exchange(self.fresh, false)) self.disk->sync_directory();
    if (record != nullptr) record->sync();
    return SQLITE_OK;
  }
};

namespace {

// What is only handed on.
template <auto Method, class... Arguments>
int hand_on(sqlite3_file* file, Arguments... arguments) {
  sqlite3_file* real = FaultyFile::real(file);
  return (real->pMethods->*Method)(real, arguments...);
}
void barrier(sqlite3_file* file) {
  sqlite3_file* real = FaultyFile::real(file);
  real->pMethods->xShmBarrier(real);
}

const sqlite3_io_methods kMethods = {
    2,  // with shared memory, which WAL needs; without memory-mapped reading
    hand_on<&sqlite3_io_methods::xClose>,
    hand_on<&sqlite3_io_methods::xRead, void*, int, sqlite3_int64>,
    FaultyFile::write,
    FaultyFile::truncate,
    FaultyFile::sync,
    hand_on<&sqlite3_io_methods::xFileSize, sqlite3_int64*>,
    hand_on<&sqlite3_io_methods::xLock, int>,
    hand_on<&sqlite3_io_methods::xUnlock, int>,
    hand_on<&sqlite3_io_methods::xCheckReservedLock, int*>,
    hand_on<&sqlite3_io_methods::xFileControl, int, void*>,
    hand_on<&sqlite3_io_methods::xSectorSize>,
    hand_on<&sqlite3_io_methods::xDeviceCharacteristics>,
    hand_on<&sqlite3_io_methods::xShmMap, int, int, int, void volatile**>,
    hand_on<&sqlite3_io_methods::xShmLock, int, int, int>,
    barrier,
    hand_on<&sqlite3_io_methods::xShmUnmap, int>,
    nullptr,
    nullptr,
};
const sqlite3_io_methods kOldMethods = [] {
  sqlite3_io_methods methods = kMethods;
  methods.iVersion = 1;
  return methods;
}();

}  // namespace

FaultyDisk::FaultyDisk() : real_(sqlite3_vfs_find(nullptr)), vfs_(*real_) {
  vfs_.zName = "faulty";
  vfs_.pNext = nullptr;
  vfs_.pAppData = this;
  vfs_.szOsFile = static_cast<int>(sizeof(FaultyFile)) + real_->szOsFile;
  vfs_.xOpen = open;
  vfs_.xDelete = remove;
  // The other methods of the real one ask for its own pAppData.
  vfs_.xAccess = [](sqlite3_vfs* vfs, const char* name, int flags, int* out) {
    return disk_of(vfs).real_->xAccess(disk_of(vfs).real_, name, flags, out);
  };
  vfs_.xFullPathname = [](sqlite3_vfs* vfs, const char* name, int size, char* out) {
    return disk_of(vfs).real_->xFullPathname(disk_of(vfs).real_, name, size, out);
  };
  sqlite3_vfs_register(&vfs_, 1);
}

FaultyDisk::~FaultyDisk() {
  sqlite3_vfs_unregister(&vfs_);
  sqlite3_vfs_register(real_, 1);
}

bool FaultyDisk::operate() {
  ++operations_;
  if (operations_left_ && (*operations_left_)-- == 0) off_ = true;
  return !off_;
}

bool FaultyDisk::take_room(std::uint64_t bytes) {
  if (!room_) return true;
  if (*room_ < bytes) return false;
  *room_ -= bytes;
  return true;
}

bool FaultyDisk::may_sync() {
  if (!syncs_left_ || (*syncs_left_)-- != 0) return true;
  syncs_left_.reset();
  sync_has_failed_ = true;
  return false;
}

void FaultyDisk::Record::sync() {
  for (const Change& change : since)
    if (change.bytes)
      put(safe, change.offset, *change.bytes);
    else
      safe.resize(change.offset);
  since.clear();
  deleted = false;
}

// A file that was there before is as safe as it can be.
void FaultyDisk::remember(const std::string& path) {
  const auto [entry, fresh] = records_.try_emplace(path);
  if (fresh) entry->second.safe = contents(path);
  entry->second.deleted = false;
}

void FaultyDisk::sync_directory() {
  std::erase_if(records_, [](const auto& entry) { return entry.second.deleted; });
}

int FaultyDisk::open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out) {
  FaultyDisk& disk = disk_of(vfs);
  sqlite3_file* real = FaultyFile::real(file);
  // SQLite syncs the directory with a journal that is new in it, not with the database.
  const bool fresh =
      name != nullptr && (flags & SQLITE_OPEN_MAIN_DB) == 0 && !std::filesystem::exists(name);
  new (file) FaultyFile{{nullptr}, &disk, name, fresh};
  if (disk.off_) return SQLITE_CANTOPEN;
  if (name != nullptr) disk.remember(name);
  std::memset(real, 0, static_cast<std::size_t>(disk.real_->szOsFile));
  const int status = disk.real_->xOpen(disk.real_, name, real, flags, out);
  if (real->pMethods != nullptr)
    file->pMethods = disk_of(vfs).shares_memory_ ? &kMethods : &kOldMethods;
  return status;
}

int FaultyDisk::remove(sqlite3_vfs* vfs, const char* name, int sync_directory) {
  FaultyDisk& disk = disk_of(vfs);
  if (!disk.operate()) return SQLITE_IOERR_DELETE;
  if (const auto record = disk.records_.find(name); record != disk.records_.end())
    record->second.deleted = true;
  if (sync_directory != 0) disk.sync_directory();
  return disk.real_->xDelete(disk.real_, name, 0);
}

void FaultyDisk::write_back(const std::string& path, const Record& record, Stream& luck) const {
  if (record.deleted && luck.uniform() < 0.5) return;  // the deletion reached the disk
  const double kept = luck.uniform() < 0.3 ? 0 : luck.uniform();
  std::string image = record.safe;
  for (const Change& change : record.since) {
    if (!change.bytes) {
      if (luck.uniform() < kept) image.resize(change.offset);
      continue;
    }
    for (std::size_t at = 0; at < change.bytes->size(); at += kPiece) {
      if (luck.uniform() >= kept) continue;
      put(image, change.offset + at, std::string_view(*change.bytes).substr(at, kPiece));
    }
  }
  std::ofstream(path, std::ios::binary | std::ios::trunc) << image;
}

void FaultyDisk::restart(Stream& luck) {
  for (const auto& [path, record] : records_) {
    write_back(path, record, luck);
    std::filesystem::remove(path + "-shm");  // shared memory does not survive
  }
  records_.clear();
  operations_left_.reset();
  syncs_left_.reset();
  off_ = false;
}

}  // namespace armature::test
