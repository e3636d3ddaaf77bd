// Files that have lost their name, or never had one, but live on in descriptors and shared mappings. A restart makes
// each of them one object again, however often it is open or mapped.
#pragma once
#include <runtime/descriptors/base/proc_info.hpp>
#include <runtime/descriptors/base/report.hpp>
#include <runtime/descriptors/base/spare_numbers.hpp>
#include <runtime/descriptors/files/object_contents.hpp>

#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace mana::descriptors {

/// Limit for a file without a name in the table of descriptors. Larger contents are stored like memory.
inline constexpr std::int64_t most_described_bytes = 64 << 10;

/// Shared memory of the upper half whose file has no name; the image holds its contents.
struct shared_mapping {
  std::uintptr_t begin, end;
  std::uint64_t offset;        // in the file
  file_key file;
  std::string path;            // as in /proc/self/maps
};

/// Whether a path of /proc/self/maps is System V shared memory, or what an earlier restart made of it.
bool is_system_v(const std::string& path) noexcept;

class object_describer {
 public:
  /// occupied: addresses of the program's memory
  object_describer(std::span<const shared_mapping> mappings, std::span<const image::region> occupied);

  /// in:     fd  of a nameless file or directory
  /// out:    the key for its row. The first descriptor of an object describes the object
  /// errors: descriptor_error if a file can be opened but not read; a file that cannot be opened is reported as not
  ///         saved
  nlohmann::json describe(int fd, const struct stat& s, const std::string& path, report& said);
  /// All described objects, and memory that is mapped at several places or may be mapped in other processes. Reports
  /// the latter.
  nlohmann::json take(report& said);
  /// Contents of the objects that the image must hold too, ascending.
  std::vector<image::region> take_contents();
  /// Of objects that a descriptor described, in bytes.
  const std::map<file_key, std::uint64_t>& lengths() const noexcept { return lengths_; }

 private:
  using mapping_place = std::multimap<file_key, shared_mapping>::const_iterator;
  void take_contents(nlohmann::json& object, int fd, const struct stat& s, reading& from, report& said);
  void place_contents(nlohmann::json& object, const struct stat& s, reading& from, const std::vector<file_part>& parts);
  void describe_mapped(mapping_place first, mapping_place last);

  std::multimap<file_key, shared_mapping> mappings_;
  std::set<file_key> kept_;
  std::map<file_key, std::uint64_t> lengths_;
  contents_places places_;
  std::vector<image::region> contents_;
  nlohmann::json objects_ = nlohmann::json::array();
};

/// An object of this process that other processes may have had too.
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

  /// All except directories.
  std::vector<shared_object> shared() const;
  /// From now on another process's descriptor is the object, with this size. The caller keeps the descriptor.
  /// errors: descriptor_error
  void replace(file_key key, int by, std::int64_t size);
  /// Writes the contents, except the part that the image's memory holds.
  /// errors: descriptor_error
  void fill(const nlohmann::json& objects) const;

  /// For reading and writing; a directory's for reading. The maker keeps the descriptor.
  int descriptor(const nlohmann::json& key) const { return objects_.at({key.at(0), key.at(1)}); }
  /// -1: no such object.
  int find(const nlohmann::json& key) const;
  /// Of the object that is mapped at this address; -1: no such object.
  int mapped_at(std::uintptr_t begin) const noexcept;
  /// Id of the segment to attach at this address that still exists in the system; -1: none.
  int segment_at(std::uintptr_t begin) const noexcept;
  /// Of the object whose contents have this address; -1: no such object.
  int contents_at(std::uintptr_t begin) const noexcept;
  /// Restores owners, modes, times and seals. Call when nothing remains to be opened or written.
  /// out: what differs from before, as text
  std::vector<std::string> finish(const nlohmann::json& objects) const;

 private:
  bool is_made(const nlohmann::json& object) const;

  std::map<file_key, int> objects_;
  std::vector<shared_object> shared_;
  std::map<std::uintptr_t, int> mapped_, contents_, segments_;
  std::vector<std::string> warnings_;
};

}  // namespace mana::descriptors
