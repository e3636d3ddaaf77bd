// A member's two files, as blocks.
#pragma once
#include <runtime/redundancy/group_header.hpp>

#include <string>

namespace mana::redundancy {

/// A regular file that the caller opened and will close. Its offset is not used.
struct local_file {
  int fd = -1;
  std::string path;      // for messages
};

/// errors of these functions: redundancy_error (io) with the path and the system's message
std::uint64_t size_of(const local_file& file);
/// out:    number of bytes read: fewer than asked only at the file's end
std::size_t read_at(const local_file& file, std::uint64_t at, bytes_span to);
void write_at(const local_file& file, std::uint64_t at, bytes_view bytes);
void set_size(const local_file& file, std::uint64_t bytes);
/// The file is durable on return.
void sync(const local_file& file);

/// The blocks of one member: of its image, with zeros after its end, and of its parity file.
class member_blocks {
 public:
  member_blocks(const group_header& header, unsigned member, const local_file& image, const local_file& parity)
      : header_(&header), member_(member), image_(&image), parity_(&parity) {}

  /// in:     at  within the block      errors: redundancy_error (io; damaged: the file ends too early)
  void read(unsigned block, std::uint64_t at, bytes_span to) const;
  /// Bytes after the image's end are not written.
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
