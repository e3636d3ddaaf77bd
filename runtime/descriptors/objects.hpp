// Files that have no name any more, or never had one, but live on in descriptors and shared mappings: each is one
// object at a restart again, however often it is open or mapped.
#pragma once
#include "proc_info.hpp"
#include "report.hpp"
#include "spare_numbers.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <span>
#include <string>
#include <vector>

namespace mana::descriptors {

inline constexpr std::int64_t max_kept_bytes = 64 << 20;

/// Shared memory of the upper half whose file has no name; the image holds what is in it.
struct shared_mapping {
  std::uintptr_t begin, end;
  std::uint64_t offset;        // in the file
  file_key file;
  std::string path;            // as /proc/self/maps has it
};

/// Whether a path of /proc/self/maps is of System V shared memory, or of what a restart made of such.
bool is_system_v(const std::string& path) noexcept;

class object_describer {
 public:
  explicit object_describer(std::span<const shared_mapping> mappings);

  /// Of a descriptor of a nameless file or directory: its key, for the row. The first of an object describes it.
  /// out: null if it has more than max_kept_bytes, holes and mapped memory not counted, or cannot be read
  nlohmann::json describe(int fd, const struct stat& s, const std::string& path);
  /// All of these, and memory that is mapped at several places or may be mapped in other processes; of the latter it
  /// says so.
  nlohmann::json take(report& said);

 private:
  using mapping_place = std::multimap<file_key, shared_mapping>::const_iterator;
  void describe_mapped(mapping_place first, mapping_place last);

  std::multimap<file_key, shared_mapping> mappings_;
  std::map<file_key, bool> kept_;
  nlohmann::json objects_ = nlohmann::json::array();
};

/// An object of this process that others may have had too.
struct shared_object {
  file_key key;                // at the checkpoint, on one machine
  int fd;                      // for reading and writing
  std::int64_t size;           // bytes
  bool described;              // by a descriptor, which tells more than a mapping
};

class object_maker {
 public:
  /// Makes all objects, empty.
  /// errors: descriptor_error
  object_maker(const nlohmann::json& objects, const spare_numbers& spare);
  ~object_maker();
  object_maker(const object_maker&) = delete;
  object_maker& operator=(const object_maker&) = delete;

  /// All but directories.
  std::vector<shared_object> shared() const;
  /// Another process's descriptor of the object is it from now on, with this size. The descriptor stays the caller's.
  /// errors: descriptor_error
  void replace(file_key key, int by, std::int64_t size);
  /// What is in them but for what the image's memory holds.
  /// errors: descriptor_error
  void fill(const nlohmann::json& objects) const;

  /// For reading and writing; a directory's for reading. It stays this object's.
  int descriptor(const nlohmann::json& key) const { return objects_.at({key.at(0), key.at(1)}); }
  /// Of the object that is mapped at this address; -1: none of these.
  int mapped_at(std::uintptr_t begin) const noexcept;
  /// Id of the segment that is attached at this address, and was there already; -1: none.
  int segment_at(std::uintptr_t begin) const noexcept;
  /// Modes and seals, when nothing remains to be opened or written.
  void finish(const nlohmann::json& objects) const;

 private:
  bool is_made(const nlohmann::json& object) const;

  std::map<file_key, int> objects_;
  std::vector<shared_object> shared_;
  std::map<std::uintptr_t, int> mapped_, segments_;
};

}  // namespace mana::descriptors
