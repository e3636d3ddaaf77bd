// A rank's memory in its image, by address.
#pragma once
#include <runtime/files/path_map.hpp>
#include <runtime/image/format/contents.hpp>
#include <runtime/symbols/memory_view.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mana::image { class chunk_reader; }

namespace mana::tools {

/// For one thread at a time, because it keeps the last chunk.
class saved_memory final : public symbols::memory_view {
 public:
  /// Reads all parts except the memory.
  /// in:     looked  called with the bytes of memory that were read, after each read
  ///         moved   new paths of the program's files
  /// errors: files::image_error (missing, damaged, version, io)
  explicit saved_memory(std::string path, std::function<void(std::uint64_t)> looked = [](std::uint64_t) {},
                        const files::path_map& moved = {});
  ~saved_memory() override;

  const std::string& path() const noexcept { return path_; }
  const image::contents& about() const noexcept { return about_; }
  /// nullptr: the image has no section of this name
  const image::section* section(const std::string& name) const noexcept;
  /// nullptr: nothing was mapped there
  const image::region* region_at(std::uintptr_t address) const noexcept;
  /// Index in about().chunks of the first record that ends after `address`.
  std::size_t chunk_behind(std::uintptr_t address) const noexcept;

  /// Memory without a record reads as zeros, also outside of regions.
  /// errors: files::image_error (missing, damaged, io), with the file's name
  void fetch(std::uintptr_t address, std::span<char> into) const;
  /// Memory of the n-th record, valid until the next call.  errors: as fetch()
  std::span<const char> chunk(std::size_t n) const;

  /// out: false outside of regions, and if the image is damaged
  bool read(std::uintptr_t address, void* to, std::size_t n) const noexcept override;
  std::string file_at(std::uintptr_t address) const override;

 private:
  std::string path_;
  std::function<void(std::uint64_t)> looked_;
  int fd_ = -1;
  image::contents about_;
  std::unique_ptr<image::chunk_reader> reader_;
  mutable std::vector<char> held_;
  mutable std::size_t held_chunk_;       // index of held_; the number of chunks: no chunk is held
};

}  // namespace mana::tools
