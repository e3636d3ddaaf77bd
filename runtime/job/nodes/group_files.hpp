// A rank's image and parity of one checkpoint on its node, for a rebuild of the images of its group.
#pragma once
#include <runtime/redundancy/rebuild.hpp>
#include <runtime/store/nodes/local_moves.hpp>
#include <runtime/store/nodes/local_parity.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace mana::job {

class group_files {
 public:
  /// Opens the files that exist, and creates the missing ones.
  /// in:     directory  of this node's images
  ///         any        of any rank of the checkpoint
  /// errors: store_error, std::runtime_error: a file belongs to another checkpoint
  group_files(const std::string& directory, const store::local_image& any, std::uint32_t rank);

  /// Receives the parity from another node, after the image. Never throws: without the parity file this rank counts as
  /// one that has lost its parity.
  void begin_parity(std::uint64_t bytes) noexcept;
  void add_parity(std::span<const std::byte> bytes) noexcept;

  /// Called by all members of the group together.
  /// in:     did  as redundancy::rebuild has it
  /// errors: redundancy_error, errors of the transport
  void rebuild(const store::parity_group& group, const std::function<void(std::uint64_t)>& did);

  /// Gives the new files their names.  errors: store_error
  void finish();
  /// As finish(), and writes the sidecar of the image.  errors: image_error, store_error
  store::local_image finish_lost(const store::parity_group& group);

  /// out: the repaired files of this rank, with sizes; empty: none
  std::string report() const;

 private:
  redundancy::own_files as_given() const;

  const std::string directory_;
  const store::local_image any_;
  const std::uint32_t rank_;
  store::shared_work_file image_;
  store::shared_work_file parity_;
  bool has_parity_ = false;
  bool is_described_ = false;                  // the image has a sidecar
  std::uint64_t received_bytes_ = 0;
  std::optional<redundancy::repair> repaired_;
  redundancy::group of_;
};

/// Moves the parity of an image that was moved. All ranks call this with the same moves in the same order.
/// in: directory  of this node's images
///     files      of the receiver
void move_parity(const store::image_move& move, std::uint32_t rank, const std::string& directory,
                 std::optional<group_files>& files);

}  // namespace mana::job
