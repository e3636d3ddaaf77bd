#include <runtime/image/format/packing.hpp>

#include <lz4.h>
#define ZSTD_STATIC_LINKING_ONLY     // contexts in our own memory
#include <zstd.h>

#include <algorithm>
#include <charconv>
#include <new>
#include <stdexcept>

namespace mana::image {

namespace {

static_assert(LZ4_MAX_INPUT_SIZE > chunk_bytes);

constexpr int default_acceleration = 4;  // saves a third of the time of 1, for a few percent of the size
constexpr int default_level = 3;

int number(const std::string& text, const std::string& whole, int least, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    throw std::invalid_argument("\"" + whole + "\": the level is not a number from " + std::to_string(least) + " to " +
                                std::to_string(most));
  return value;
}

/// The memory of a context that suits a chunk of any size: a level's parameters depend on the size.
std::size_t zstd_bytes(int level) {
  std::size_t most = 0;
  for (std::size_t bytes = page_bytes; bytes <= chunk_bytes; bytes += page_bytes)
    most = std::max(most, ZSTD_estimateCCtxSize_usingCParams(ZSTD_getCParams(level, bytes, 0)));
  return most;
}

}  // namespace

packing parse_packing(const std::string& text) {
  if (text == "auto") return {packing_mode::auto_lz4, 0};
  if (text == "none") return {packing_mode::none, 0};
  if (text == "lz4") return {packing_mode::lz4, 0};
  if (text == "zstd") return {packing_mode::zstd, 0};
  if (text.starts_with("lz4:")) return {packing_mode::lz4, number(text.substr(4), text, 1, 64)};
  if (text.starts_with("zstd:")) return {packing_mode::zstd, number(text.substr(5), text, 1, 19)};
  throw std::invalid_argument("\"" + text + "\" is none of auto, none, lz4, lz4:N, zstd, zstd:N");
}

std::string as_text(const packing& p) {
  const std::string level = p.level == 0 ? "" : ":" + std::to_string(p.level);
  switch (p.mode) {
    case packing_mode::auto_lz4: return "auto";
    case packing_mode::none: return "none";
    case packing_mode::lz4: return "lz4" + level;
    case packing_mode::zstd: return "zstd" + level;
  }
  return {};
}

packer::packer(const packing& how) : how_(how) {
  if (how_.mode != packing_mode::zstd) {
    if (how_.level == 0) how_.level = default_acceleration;
    return;
  }
  if (how_.level == 0) how_.level = default_level;
  workspace_bytes_ = zstd_bytes(how_.level);
  workspace_.reset(new char[workspace_bytes_]);
  zstd_ = ZSTD_initStaticCCtx(workspace_.get(), workspace_bytes_);
  if (zstd_ == nullptr) throw std::bad_alloc();
}

packer::~packer() = default;

/// Memory that packs badly costs the most time for the least gain. In automatic mode such memory is tried only if the
/// disk is slower still. A trial counts when it is requested, not when its result arrives, so that several chunks under
/// way add no trials.
bool packing_choice::is_tried(bool ahead) noexcept {
  if (mode_ != packing_mode::auto_lz4) return mode_ != packing_mode::none;
  if (!packs_well_ && skipped_ < skip && !ahead) {
    ++skipped_;
    return false;
  }
  skipped_ = 0;
  return true;
}

/// Both codecs give up at the limit.
std::size_t packer::pack(const char* memory, std::size_t bytes, char* into) noexcept {
  std::size_t packed = 0;
  if (how_.mode == packing_mode::zstd) {
    const std::size_t n =
        ZSTD_compressCCtx(static_cast<ZSTD_CCtx*>(zstd_), into, bytes - 1, memory, bytes, how_.level);
    packed = ZSTD_isError(n) != 0 ? 0 : n;
  } else {
    const int n =
        LZ4_compress_fast(memory, into, static_cast<int>(bytes), static_cast<int>(bytes - 1), how_.level);
    packed = n > 0 ? static_cast<std::size_t>(n) : 0;
  }
  return packed;
}

bool unpack(codec how, const char* stored, std::size_t stored_bytes, char* into, std::size_t unpacked_bytes) noexcept {
  if (how == codec::lz4)
    return LZ4_decompress_safe(stored, into, static_cast<int>(stored_bytes), static_cast<int>(unpacked_bytes)) ==
           static_cast<int>(unpacked_bytes);
  if (how == codec::zstd) {
    // One context for the thread, so that chunks do not each make and discard one.
    thread_local const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
    return context && ZSTD_decompressDCtx(context.get(), into, unpacked_bytes, stored, stored_bytes) == unpacked_bytes;
  }
  return false;
}

}  // namespace mana::image
