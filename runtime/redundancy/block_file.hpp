// A member's two files as blocks.
#pragma once
#include <runtime/redundancy/group_header.hpp>

#include <string>

namespace mana::redundancy {

/// A regular file that the caller opened and closes. Its offset is not used.
struct local_file {
  int fd = -1;
  std::string path;      // for messages
};

/// errors of all of these: redundancy_error (io) with path and the system's words
std::uint64_t size_of(const local_file& file);
/// out:    how many bytes there were: fewer only at the file's end
std::size_t read_at(const local_file& file, std::uint64_t at, bytes_span to);
void write_at(const local_file& file, std::uint64_t at, bytes_view bytes);
void set_size(const local_file& file, std::uint64_t bytes);
/// Durable when this returns.
void sync(const local_file& file);

/// The blocks of one member: those of its image, which has zeros after its end, and those in its parity file.
class member_blocks {
 public:
  member_blocks(const group_header& header, unsigned member, const local_file& image, const local_file& parity)
      : header_(&header), member_(member), image_(&image), parity_(&parity) {}

  /// in:     at  within the block      errors: redundancy_error (io; damaged: the file ends too early)
  void read(unsigned block, std::uint64_t at, bytes_span to) const;
  /// What is after the image's end is not written.
  void write(unsigned block, std::uint64_t at, bytes_view bytes) const;
  bool is_data(unsigned block) const noexcept { return block < header_->layout().data(); }

 private:
  struct place {
    const local_file* file;
    std::uint64_t at, end;       // of the file
  };
  place find(unsigned block, std::uint64_t at) const noexcept;

  const group_header* header_;
  unsigned member_;
  const local_file *image_, *parity_;
};

}  // namespace mana::redundancy
