// How the bytes of a chunk are stored.
#pragma once
#include <mana/image/format.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace mana::image {

/// auto_lz4 packs where that makes the checkpoint shorter; the others do what their names say.
enum class packing_mode { auto_lz4, none, lz4, zstd };

struct packing {
  packing_mode mode = packing_mode::auto_lz4;
  int level = 0;                     // lz4: acceleration; zstd: level; 0: the default
};

/// in:     text  "auto", "none", "lz4", "lz4:N" (N: 1 … 64, acceleration), "zstd" or "zstd:N" (N: 1 … 19, level)
/// errors: std::invalid_argument with a sentence
packing parse_packing(const std::string& text);
std::string as_text(const packing& p);

/// Packs chunks, one after another. After the constructor nothing allocates or throws.
class packer {
 public:
  explicit packer(const packing& how);
  ~packer();
  packer(const packer&) = delete;
  packer& operator=(const packer&) = delete;

  codec kind() const noexcept;
  std::size_t workspace_bytes() const noexcept { return workspace_bytes_; }
  /// Whether it is worth while to try the next chunk. ahead: the disk is slower than what it is given
  bool is_tried(bool ahead) noexcept;
  /// in:  into  room for `bytes`, at most chunk_bytes
  /// out: bytes that the packed chunk takes; 0: it does not shrink
  std::size_t pack(const char* memory, std::size_t bytes, char* into) noexcept;

 private:
  packing how_;
  std::size_t workspace_bytes_ = 0;
  std::unique_ptr<char[]> workspace_;
  void* zstd_ = nullptr;             // ZSTD_CCtx in the workspace
  bool packs_well_ = false;          // the chunk that was tried last
  unsigned skipped_;                 // chunks since
};

/// out: false if these are no such bytes
bool unpack(codec how, const char* stored, std::size_t stored_bytes, char* into, std::size_t unpacked_bytes) noexcept;

}  // namespace mana::image
