// The upper half's descriptors, working directory and shared memory without a name, as the image section "descriptors"
// keeps them.
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
  std::vector<std::string> warnings;   // what a restart will not find as it is, in words
  std::vector<std::string> sockets;    // the same, of sockets
  std::vector<image::region> contents; // of files without a name, which the image is to hold besides; ascending
  std::map<file_key, std::uint64_t> lengths;   // of such files that are open, in bytes
};

/// in: mapped  the upper half's shared memory of files without a name
///     memory  all of the upper half's
///     closed  all that is shared, and not to be written to now
///     privately  all of files. All threads of the upper half are parked.
/// errors: descriptor_error if what is state cannot be read
captured capture(std::span<const shared_mapping> mapped = {}, std::span<const image::region> memory = {},
                 std::span<const protected_mapping> closed = {}, std::span<const private_mapping> privately = {});

/// In a fresh process, in three steps: the objects that memory is mapped of are made, some of which may then be replaced
/// by another process's; they are filled; the rest follows when memory has been restored, for it may be part of them.
class restoration {
 public:
  /// in:     moved  where files are that had another path at the checkpoint
  ///         input  file that is to be standard input; empty: what it was, or the new launcher's
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

  /// Descriptor of the object that the shared memory at this address shows; -1: of none.
  int mapped_at(std::uintptr_t begin) const noexcept;
  /// Descriptor of the object whose contents have this address in the image, and are no memory; -1: of none.
  int contents_at(std::uintptr_t begin) const noexcept;
  /// Id of the System V segment that is to be attached at this address; -1: none.
  int segment_at(std::uintptr_t begin) const noexcept;
  /// Whether the shared memory at this address, if it was not writable at the checkpoint, could become so; nothing: unknown.
  std::optional<bool> may_be_written(std::uintptr_t begin) const;

  /// The file that the program's private memory at this address showed, to be mapped again. fd -1: it is memory.
  image::private_file private_file_at(std::uintptr_t begin);

  /// Enters the working directory, opens everything again at its number, gives back the other low numbers that guards
  /// took, and begins to watch. Files that have grown since are cut to the length that they had, so that nothing is
  /// written twice.
  /// out:    what is not as it was, in words
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

/// Of the running kernel: two processes with the same name may have had one file without a name.
std::string name_of_machine();

}  // namespace mana::descriptors
