#include <runtime/job/nodes/group_files.hpp>

#include <runtime/job/nodes/mpi_transport.hpp>

#include <runtime/image/format/contents.hpp>
#include <runtime/image/format/generation_name.hpp>
#include <runtime/image/format/saving_section.hpp>
#include <runtime/image/read/rank_image.hpp>
#include <runtime/store/nodes/local_store.hpp>

#include <algorithm>
#include <stdexcept>

namespace mana::job {

namespace {

redundancy::local_file as_file(const store::shared_work_file& file) { return {file.get(), file.path()}; }

std::uint64_t identity_of(const store::shared_work_file& image) noexcept {
  try {
    return image::read_identity(image.get(), image.path());
  } catch (const std::exception&) {
    return 0;
  }
}

/// Describes a lost image without its sidecar: only what the image itself says is known.
/// in: any  of another rank of the checkpoint
store::local_image description(const store::local_image& any, const std::string& path, std::uint32_t rank) {
  const image::rank_image file(path);
  store::local_image about = any;
  about.version = store::local_image().version;
  about.rank = rank;
  about.memory_bytes = file.about().memory_bytes;
  about.checksum = file.checksum();
  about.builds_on = image::builds_on(file.about().sources, any.generation);
  about.mode = image::mode_of(file.about()) + ", rebuilt from parity";
  about.warnings = {"it was rebuilt from parity: its own warnings are lost"};
  return about;
}

}  // namespace

group_files::group_files(const std::string& directory, const store::local_image& any, std::uint32_t rank)
    : directory_(directory), any_(any), rank_(rank),
      image_(store::shared_work_file::open_or_make(directory, any.generation, store::rank_file_name(rank))),
      parity_(store::shared_work_file::open_or_make(directory, any.generation, store::parity_file_name(rank))) {
  has_parity_ = parity_.was_there();
  if (!has_parity_) return;
  const auto header = redundancy::read_header(as_file(parity_));
  if (header && (header->head.generation != any.generation || header->head.nonce != any.nonce))
    throw std::runtime_error(parity_.path() + ": this parity belongs to another checkpoint");
}

void group_files::begin_parity(std::uint64_t bytes) noexcept {
  has_parity_ = bytes != 0;
  received_bytes_ = 0;
}

void group_files::add_parity(std::span<const std::byte> bytes) noexcept {
  if (!has_parity_) return;
  try {
    redundancy::write_at(as_file(parity_), received_bytes_, bytes);
    received_bytes_ += bytes.size();
  } catch (const std::exception&) {
    has_parity_ = false;
  }
}

redundancy::own_files group_files::as_given() const {
  return {as_file(image_), image_.was_there(), image_.was_there() ? identity_of(image_) : 0, as_file(parity_),
          has_parity_};
}

void group_files::rebuild(const store::parity_group& group, const std::function<void(std::uint64_t)>& did) {
  const auto own = std::find(group.ranks.begin(), group.ranks.end(), rank_);
  const redundancy::membership who{{group.ranks, group.parity}, static_cast<unsigned>(own - group.ranks.begin())};
  mpi_transport link(group.ranks);
  for (const redundancy::repair& one :
       redundancy::rebuild(who, any_.generation, as_given(), redundancy::look::at_contents, link, did))
    if (one.rank == rank_) repaired_ = one;
  of_ = who.of;
}

void group_files::finish() {
  parity_.finish();
  image_.finish();
}

store::local_image group_files::finish_lost(const store::parity_group& group) {
  finish();
  store::local_image about = description(any_, image_.path(), rank_);
  about.bytes = redundancy::size_of(as_file(image_));
  about.group = group;
  store::finish_rebuilt(directory_, about, repaired_ && repaired_->image_blocks != 0);
  is_described_ = true;
  return about;
}

std::string group_files::report() const {
  if (!repaired_) return is_described_ ? "only its sidecar was lost" : "";
  const std::string text = redundancy::describe(*repaired_, of_);
  return text.substr(text.find(": ") + 2) + "; the image has " +
         std::to_string(redundancy::size_of(as_file(image_))) + " bytes";
}

namespace {

using piece = std::vector<std::byte>;

struct parity_source {
  files::descriptor fd;
  redundancy::local_file file;
  std::uint64_t bytes = 0;

  parity_source(const std::string& directory, const store::local_image& about) noexcept {
    try {
      const std::string path =
          directory + "/" + image::generation_name(about.generation) + "/" + store::parity_file_name(about.rank);
      fd = files::open_own_file(path);
      file = {fd.get(), path};
      bytes = redundancy::size_of(file);
    } catch (const std::exception&) {
      bytes = 0;
    }
  }
  /// An unreadable piece counts as damaged: the checksums find it.
  void read(std::uint64_t at, piece& into) const noexcept {
    try {
      redundancy::read_at(file, at, into);
    } catch (const std::exception&) {
    }
  }
};

constexpr unsigned sender = 0, receiver = 1;     // members

void send_parity(const parity_source& source, redundancy::transport& link) {
  const auto send = [&link](std::span<const std::byte> bytes) {
    const redundancy::outgoing message{receiver, bytes};
    link.exchange({&message, 1}, {});
  };
  send(std::as_bytes(std::span(&source.bytes, 1)));
  for (std::uint64_t at = 0; at < source.bytes; at += redundancy::most_message_bytes) {
    piece bytes(static_cast<std::size_t>(std::min<std::uint64_t>(redundancy::most_message_bytes, source.bytes - at)));
    source.read(at, bytes);
    send(bytes);
  }
}

void receive_parity(group_files& files, redundancy::transport& link) {
  const auto receive = [&link](std::span<std::byte> bytes) {
    const redundancy::incoming message{sender, bytes};
    link.exchange({}, {&message, 1});
  };
  std::uint64_t all = 0;
  receive(std::as_writable_bytes(std::span(&all, 1)));
  files.begin_parity(all);
  for (std::uint64_t at = 0; at < all; at += redundancy::most_message_bytes) {
    piece bytes(static_cast<std::size_t>(std::min<std::uint64_t>(redundancy::most_message_bytes, all - at)));
    receive(bytes);
    files.add_parity(bytes);
  }
}

}  // namespace

void move_parity(const store::image_move& move, std::uint32_t rank, const std::string& directory,
                 std::optional<group_files>& files) {
  mpi_transport link({move.sender, move.receiver});
  if (rank == move.sender) send_parity(parity_source(directory, move.about), link);
  if (rank == move.receiver) receive_parity(*files, link);
}

}  // namespace mana::job
