// How the bytes of a chunk are stored.
#pragma once
#include <mana/image/format.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace mana::image {

/// auto_lz4 packs if that makes the checkpoint shorter. The other modes always do what their names say.
enum class packing_mode { auto_lz4, none, lz4, zstd };

struct packing {
  packing_mode mode = packing_mode::auto_lz4;
  int level = 0;                     // lz4: acceleration; zstd: level; 0: the default
};

/// in:     text  "auto", "none", "lz4", "lz4:N" (N: 1 … 64, acceleration), "zstd" or "zstd:N" (N: 1 … 19, level)
/// errors: std::invalid_argument with a sentence for the user
packing parse_packing(const std::string& text);
std::string as_text(const packing& p);

/// Chooses the chunks that are tried, in the order of the chunks.
class packing_choice {
 public:
  explicit packing_choice(packing_mode mode) noexcept : mode_(mode) {}

  /// Whether the next chunk is worth a try.     in: ahead  the writer is ahead of the disk
  bool is_tried(bool ahead) noexcept;
  /// Takes the results of tried chunks, in their order; more chunks may have been tried since.
  /// in: packed  0: it did not shrink
  void hear(std::size_t bytes, std::size_t packed) noexcept { packs_well_ = packed > 0 && packed <= bytes / 2; }

 private:
  packing_mode mode_;
  bool packs_well_ = false;          // of the last result
  unsigned skipped_ = skip;          // chunks since the last try

  static constexpr unsigned skip = 15;     // chunks, after one that packed badly
};

/// Packs chunks, one after another. Only the constructor allocates, locks, throws, or touches thread-local variables.
class packer {
 public:
  explicit packer(const packing& how);
  ~packer();
  packer(const packer&) = delete;
  packer& operator=(const packer&) = delete;

  std::size_t workspace_bytes() const noexcept { return workspace_bytes_; }
  /// in:  into  room for `bytes`, at most chunk_bytes
  /// out: size of the packed chunk in bytes; 0: it does not shrink
  std::size_t pack(const char* memory, std::size_t bytes, char* into) noexcept;

 private:
  packing how_;
  std::size_t workspace_bytes_ = 0;
  std::unique_ptr<char[]> workspace_;
  void* zstd_ = nullptr;             // ZSTD_CCtx in the workspace
};

/// The codec that packs chunks in this mode.
constexpr codec codec_of(packing_mode mode) noexcept { return mode == packing_mode::zstd ? codec::zstd : codec::lz4; }

/// out: false if `stored` is not the packed form of that many bytes
bool unpack(codec how, const char* stored, std::size_t stored_bytes, char* into, std::size_t unpacked_bytes) noexcept;

}  // namespace mana::image
