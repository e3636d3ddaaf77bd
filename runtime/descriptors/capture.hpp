// The upper half's descriptors, working directory and shared memory without a name, as the image's section
// "descriptors" keeps them.
#pragma once
#include <runtime/descriptors/base/failure.hpp>
#include <runtime/descriptors/base/table.hpp>
#include <runtime/descriptors/files/objects.hpp>
#include <runtime/descriptors/files/private_files.hpp>
#include <runtime/descriptors/kinds/anonymous.hpp>
#include <runtime/descriptors/memory/protected_mappings.hpp>

#include <runtime/files/path_map.hpp>

#include <cstdint>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mana::descriptors {

struct captured {
  std::vector<std::uint8_t> bytes;
  std::vector<std::string> warnings;   // what a restart will change, as text
  std::vector<std::string> sockets;    // the same, of sockets
  std::vector<image::region> contents; // of files without a name, to be stored in the image; ascending
  std::map<file_key, std::uint64_t> lengths;   // of such open files, in bytes
};

/// in: mapped  the upper half's shared memory of files without a name
///     memory  all memory of the upper half
///     closed  all shared memory that is not writable now
///     privately  all private memory of files. All threads of the upper half are parked.
/// errors: descriptor_error if state of the program cannot be read
captured capture(std::span<const shared_mapping> mapped = {}, std::span<const image::region> memory = {},
                 std::span<const protected_mapping> closed = {}, std::span<const private_mapping> privately = {});

/// Restores in a fresh process, in three steps. First it makes the objects that memory is mapped from; another
/// process's objects may then replace some. Then it fills them. The rest follows when memory has been restored, because
/// memory may be part of the objects.
class restoration {
 public:
  /// in:     moved  new paths of files
  ///         input  file for standard input; empty: the file of before, or the new launcher's
  /// errors: descriptor_error
  explicit restoration(std::span<const std::uint8_t> bytes, const files::path_map& moved = {},
                       const std::string& input = {});
  ~restoration();
  restoration(const restoration&) = delete;
  restoration& operator=(const restoration&) = delete;

  /// Files without a name that other ranks may have had too, on the machine of this name.
  std::vector<shared_object> shared() const;
  std::string machine() const;
  /// errors: descriptor_error
  void replace(file_key key, int by, std::int64_t size);
  /// errors: descriptor_error
  void fill();

  /// Descriptor of the object that the shared memory at this address shows; -1: no object.
  int mapped_at(std::uintptr_t begin) const noexcept;
  /// Descriptor of the object whose contents have this address in the image and are not memory; -1: no object.
  int contents_at(std::uintptr_t begin) const noexcept;
  /// Id of the System V segment to attach at this address; -1: none.
  int segment_at(std::uintptr_t begin) const noexcept;
  /// Whether the shared memory at this address may become writable, if it was not at the checkpoint; nothing: unknown.
  std::optional<bool> may_be_written(std::uintptr_t begin) const;

  /// The file to map again at this address of the program's private memory. fd -1: the image has the memory.
  image::private_file private_file_at(std::uintptr_t begin);

  /// Enters the working directory, opens every descriptor again at its number, gives back the other low numbers that
  /// guards took, and begins to watch. A file that has grown since is cut to its length at the checkpoint, so that
  /// nothing is written twice.
  /// out:    what differs from before, as text
  /// errors: descriptor_error naming the file, or the number that is in use
  std::vector<std::string> finish();

 private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

/// All steps, for a process of its own.
inline void restore(std::span<const std::uint8_t> bytes, const files::path_map& moved = {}) {
  restoration all(bytes, moved);
  all.fill();
  all.finish();
  start_timers(nullptr);
}

/// Of the running kernel: two processes with the same name may have shared a file without a name.
std::string name_of_machine();

}  // namespace mana::descriptors
