#include <runtime/job/restart/image_transfer.hpp>

#include <runtime/job/restart/restart_progress.hpp>
#include <runtime/job/store_status.hpp>

#include <runtime/lower/own_state.hpp>

#include <mana/core/fault_points.hpp>

#include <runtime/files/io_error.hpp>
#include <runtime/store/nodes/local_store.hpp>
#include <runtime/store/store_paths.hpp>

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>

namespace mana::job {

namespace {

constexpr std::size_t piece_bytes = 1u << 20;
constexpr int image_tag = 1;

/// Sends one image in pieces, in order. An empty piece says that no more pieces come, although bytes are missing.
class image_channel {
 public:
  explicit image_channel(std::uint32_t other) : other_(static_cast<int>(other)) {}

  void send(const char* bytes, std::size_t n) const {
    PMPI_Send(bytes, static_cast<int>(n), MPI_BYTE, other_, image_tag, real_mpi::own().world);
  }
  std::size_t receive(char* bytes) const {
    MPI_Status status;
    int n = 0;
    PMPI_Recv(bytes, static_cast<int>(piece_bytes), MPI_BYTE, other_, image_tag, real_mpi::own().world, &status);
    PMPI_Get_count(&status, MPI_BYTE, &n);
    return static_cast<std::size_t>(n);
  }

 private:
  int other_;
};

void piece_moved(restart_progress& progress, std::size_t bytes) {
  progress.add(bytes);
  fault_point(fault::point::moving);
}

/// errors: image_error (io), store_error (damaged)
std::size_t read_piece(int fd, char* into, std::uint64_t at, const std::string& path) {
  for (;;) {
    const ssize_t n = pread(fd, into, piece_bytes, static_cast<off_t>(at));
    if (n > 0) return static_cast<std::size_t>(n);
    if (n == 0) throw store::store_error(store::error_kind::damaged, path + ": the image ends too early");
    if (errno != EINTR) files::throw_io(path, "cannot be read");
  }
}

/// errors: image_error, store_error
void send_image(const store::image_move& move, const std::string& directory, restart_progress& progress) {
  const image_channel to(move.receiver);
  const std::unique_ptr<char[]> piece(new char[piece_bytes]);
  try {
    const files::descriptor from = store::open_local(directory, move.about);
    const std::string path = store::local_image_path(directory, move.about.generation, move.about.rank);
    for (std::uint64_t done = 0; done < move.about.bytes;) {
      const std::size_t n = static_cast<std::size_t>(
          std::min<std::uint64_t>(read_piece(from.get(), piece.get(), done, path), move.about.bytes - done));
      to.send(piece.get(), n);
      done += n;
      piece_moved(progress, n);
    }
  } catch (...) {
    to.send(piece.get(), 0);
    throw;
  }
}

/// The file for a received image. A failure is kept until all pieces were received, so that the sender is not left
/// waiting.
class incoming_image {
 public:
  incoming_image(const store::image_move& move, const std::string& directory) : move_(move), directory_(directory) {
    attempt([&] {
      store::remove_local(directory_, move_.about.generation, move_.about.rank);       // left by an interrupted move
      file_.emplace(store::begin_local(directory_, move_.about.generation, move_.about.rank));
    });
  }
  void take(const char* bytes, std::size_t n) {
    attempt([&] { check(file_->append(bytes, n)); });
  }
  /// errors: image_error, store_error
  void finish() {
    attempt([&] {
      check(file_->finish());
      store::finish_local(directory_, move_.about);
    });
    if (failed_) std::rethrow_exception(failed_);
  }

 private:
  void attempt(const std::function<void()>& step) {
    if (failed_) return;
    try {
      step();
    } catch (...) {
      failed_ = std::current_exception();
      file_.reset();
    }
  }
  void check(bool well) const {
    if (well) return;
    throw store::store_error(store::error_kind::unwritable, file_->path() + ": " + file_->failure().what + ": " +
                                                                std::strerror(file_->failure().error));
  }

  const store::image_move& move_;
  const std::string& directory_;
  std::optional<files::output_file> file_;
  std::exception_ptr failed_;
};

/// If the sender fails, the sender reports it.  errors: image_error, store_error
void receive_image(const store::image_move& move, const std::string& directory, restart_progress& progress) {
  const image_channel from(move.sender);
  const std::unique_ptr<char[]> piece(new char[piece_bytes]);
  incoming_image image(move, directory);
  for (std::uint64_t done = 0; done < move.about.bytes;) {
    const std::size_t n = from.receive(piece.get());
    if (n == 0) return;
    image.take(piece.get(), n);
    done += n;
    piece_moved(progress, n);
  }
  image.finish();
}

std::uint64_t bytes_of(std::span<const store::image_move> moves, std::uint32_t rank) {
  std::uint64_t bytes = 0;
  for (const store::image_move& move : moves)
    bytes += (move.sender == rank ? move.about.bytes : 0) + (move.receiver == rank ? move.about.bytes : 0);
  return bytes;
}

}  // namespace

void move_images(std::span<const store::image_move> moves, std::uint32_t rank, const std::string& directory) {
  if (moves.empty()) return;
  restart_progress progress("images move between nodes", bytes_of(moves, rank));
  std::optional<start_failure> failed;
  for (const store::image_move& move : moves) try {
      store::in_store(store::error_kind::unreadable, [&] {
        if (move.sender == rank) send_image(move, directory, progress);
        if (move.receiver == rank) receive_image(move, directory, progress);
      });
    } catch (const store::store_error& error) {
      if (!failed) failed.emplace(status_of(error.kind()), error.what());
    } catch (const std::exception& error) {
      if (!failed) failed.emplace(exit_status::checkpoint_unreadable, error.what());
    }
  if (failed) throw *failed;
}

}  // namespace mana::job
