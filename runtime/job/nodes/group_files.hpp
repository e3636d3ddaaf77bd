// A rank's image and parity of one checkpoint on its node, as it takes part in a rebuild of its group's.
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
  /// Opens what is there, and makes what is not.
  /// in:     directory  of this node's images
  ///         any        of any rank of the checkpoint
  /// errors: store_error, std::runtime_error: what is there is of another checkpoint
  group_files(const std::string& directory, const store::local_image& any, std::uint32_t rank);

  /// Parity that comes from another node, after its image. Never throws: without it this rank has lost its parity.
  void begin_parity(std::uint64_t bytes) noexcept;
  void add_parity(std::span<const std::byte> bytes) noexcept;

  /// All members of the group together.     errors: redundancy_error, what the transport throws
  /// in: did  as redundancy::rebuild has it
  void rebuild(const store::parity_group& group, const std::function<void(std::uint64_t)>& did);

  /// New files get their names.             errors: store_error
  void finish();
  /// The same, and the image its sidecar.   errors: image_error, store_error
  store::local_image finish_lost(const store::parity_group& group);

  /// What of this rank's was repaired, with sizes; empty: nothing.
  std::string report() const;

 private:
  redundancy::own_files as_given() const;

  const std::string directory_;
  const store::local_image any_;
  const std::uint32_t rank_;
  store::shared_work_file image_;
  store::shared_work_file parity_;
  bool has_parity_ = false;
  bool is_described_ = false;                  // its sidecar was written
  std::uint64_t received_bytes_ = 0;
  std::optional<redundancy::repair> repaired_;
  redundancy::group of_;
};

/// The parity of an image that was moved follows it. All ranks call it, with the same moves in the same order.
/// in:     directory  of this node's images
///         files      of the receiver
void move_parity(const store::image_move& move, std::uint32_t rank, const std::string& directory,
                 std::optional<group_files>& files);

}  // namespace mana::job
