#include <runtime/image/save/image_saver.hpp>

#include <runtime/files/io_error.hpp>
#include <runtime/files/own_table.hpp>
#include <runtime/files/step_back.hpp>
#include <runtime/image/format/saving_section.hpp>
#include <runtime/image/memory/shared_value.hpp>
#include <runtime/image/origins/shared_text.hpp>
#include <runtime/image/read/rank_image.hpp>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <future>
#include <stdexcept>
#include <utility>

namespace mana::image {

/// In memory that the writing process shares with its parent.
struct image_saver::outcome {
  bool well = false;
  files::io_failure failure;                // points to text of the program, which both have
  write_result written;
};

namespace {

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

/// A copy of the process, in which only the caller runs. No signal announces its end, and no wait of the program finds
/// it. Unlike fork(), the call prepares nothing in libc: the copy must take no lock.
long copy_process() noexcept { return syscall(SYS_clone, 0, 0, 0, 0, 0); }

std::string observed_by(const image_plan& plan) { return plan.observer ? plan.observer->section_name() : std::string(); }

/// out: why it failed, or nothing
std::string try_to_copy(const image_writer& writer, std::vector<made_copy>& made) {
  try {
    made = writer.copy_files();
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::optional<std::vector<std::uint8_t>> section_of(const contents& image, const std::string& name) {
  for (const section& s : image.sections)
    if (s.name == name) return s.bytes;
  return std::nullopt;
}

}  // namespace

image_saver::image_saver(const saving& how) : how_(how) {
  if (how_.incremental) tracker_ = std::make_unique<change_tracker>();
}

image_saver::~image_saver() { join(); }

void image_saver::join() {
  if (aside_.joinable()) aside_.join();
}

/// Call it while the program's threads are parked. The program's later writes count for the next image.
void image_saver::prepare(image_plan& plan) {
  join();
  const std::lock_guard hold(lock_);
  next_.reset();
  plan.how = how_.how;
  plan.most_per_s = plan.limited ? how_.most_per_s : 0;
  std::vector<file_origin> origins = origins_with(origins_of(plan.regions), restored_from_);
  if (how_.by_reference) note_builds(origins);
  plan.sections.push_back(files_section(origins));
  const bool none_is_worth_it = plan.node_ranks != 0 && !is_worth_a_copy(1, 1, plan.node_ranks, how_.how);
  if (how_.by_reference || none_is_worth_it) plan.node.clear();
  if (how_.by_reference || !plan.node.empty()) plan.origins = origins;
  if (!how_.incremental) return;
  plan.sums = true;
  plan.unwritten = tracker_->mark(plan.regions);
  const bool is_at_hand = base_is_ == kept_image::in_directory || (base_is_ == kept_image::on_node && !plan.for_directory);
  if (!is_at_hand || base_->length >= how_.full_every) return;
  plan.base = &base_->image;
  if (!how_.by_reference) plan.origins.clear();        // the base refers to them
  if (plan.observer) plan.observer->build_on(base_->observed);
}

std::string image_saver::mode_of(const image_plan& plan, const char* where) const {
  std::string text = std::string(where) + ", " + as_text(how_.how);
  if (plan.pack_threads > 1 && how_.how.mode != packing_mode::none)
    text += " by " + std::to_string(plan.pack_threads) + " threads";
  if (how_.by_reference) text += ", files by reference";
  else if (!plan.origins.empty()) text += ", files once per node";
  if (!how_.incremental) return text;
  text += plan.base == nullptr ? ", whole" : ", changes since " + std::to_string(plan.base->sources.front().generation);
  const std::string& way = tracker_->way(), &obstacle = tracker_->obstacle();
  return text + " (" + (way.empty() ? "sums" : way) + (obstacle.empty() ? "" : ": " + obstacle) + ")";
}

/// The image as a base for the next one.
saved_image image_saver::look_at(const image_writer& writer, const written_file& about, std::uint64_t generation,
                                 page_sums sums) {
  saved_image saved{writer.result(), {}, {}, {}};
  if (!how_.incremental) return saved;
  auto next = std::make_unique<generation_base>();
  const rank_image written(about.path);
  next->image = as_base(written.about(), generation, file_name(about.path));
  next->observed = section_of(written.about(), about.observed);
  next->image.sums = std::move(sums);
  saved.builds_on = builds_on(next->image.sources, generation);
  const std::lock_guard hold(lock_);
  next->length = about.base == nullptr ? 1 : base_->length + 1;
  next_ = std::move(next);
  return saved;
}

saved_image image_saver::write_now(image_plan plan, std::uint64_t generation, const char* where) {
  const written_file about{plan.path, plan.base, observed_by(plan)};
  const std::string mode = mode_of(plan, where);
  plan.sections.push_back(saving_section(mode));
  plan.generation = generation;
  image_writer writer(std::move(plan));
  if (!writer.write_shared() || !writer.finish())
    throw files::image_error(files::error_kind::io, writer.failure_text(writer.failure()));
  std::vector<made_copy> copies = writer.copy_files();
  saved_image saved = look_at(writer, about, generation, writer.take_sums());
  saved.copies = std::move(copies);
  saved.mode = mode;
  return saved;
}

saved_image image_saver::write(image_plan plan, std::uint64_t generation) {
  prepare(plan);
  return write_now(std::move(plan), generation, "plain");
}

void image_saver::write_aside(image_plan plan, std::uint64_t generation, listener done) {
  prepare(plan);
  const auto held = std::make_shared<std::promise<void>>();
  aside_ = std::thread([this, plan = std::move(plan), generation, done = std::move(done), held]() mutable {
    write_in_thread(std::move(plan), generation, done, [held](std::exception_ptr failed) {
      if (failed) held->set_exception(failed);
      else held->set_value();
    });
  });
  held->get_future().get();
}

/// The thread that copies the process waits for the copy, which must die with it.
/// in: holds  called once: the copy holds the memory, or why it does not
void image_saver::write_in_thread(image_plan plan, std::uint64_t generation, const listener& done,
                                  const std::function<void(std::exception_ptr)>& holds) {
  bool said = false;
  try {
    if (const std::string device = foreign_writer(); !device.empty()) {
      const saved_image saved = write_now(std::move(plan), generation, ("plain: " + device + " writes to memory").c_str());
      said = true;
      holds(nullptr);
      return done(saved, {});
    }
    const written_file about{plan.path, plan.base, observed_by(plan)};
    const std::string mode = mode_of(plan, "forked");
    plan.sections.push_back(saving_section(mode));
    plan.generation = generation;
    plan.shown = mark_not_copied(plan.regions, plan.may_be_advised);
    image_writer writer(std::move(plan));
    const shared_value<outcome> told;
    if (!writer.write_shared()) throw files::image_error(files::error_kind::io, writer.failure_text(writer.failure()));
    const pid_t self = getpid();
    const long copy = copy_process();
    if (copy == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != self) _exit(1);
      files::step_back(how_.nice);
      told->well = writer.finish();
      told->failure = writer.failure();
      told->written = writer.result();
      _exit(0);
    }
    if (copy < 0) files::throw_io(about.path, "no process can be forked to write it");
    said = true;
    holds(nullptr);
    int status = 0;
    while (waitpid(static_cast<pid_t>(copy), &status, __WALL) < 0 && errno == EINTR) {}
    if (!told->well && told->failure.what != nullptr) return done({}, writer.failure_text(told->failure));
    if (!told->well)
      return done({}, about.path + ": the process that wrote it was killed by signal " +
                          std::to_string(WIFSIGNALED(status) ? WTERMSIG(status) : 0));
    writer.taken_over();
    files::step_back(how_.nice);      // this thread's priority; the thread ends soon
    std::vector<made_copy> copies;
    const std::string not_copied = try_to_copy(writer, copies);
    if (!not_copied.empty()) return done({}, not_copied);
    saved_image saved;
    files::in_own_table([&] { saved = look_at(writer, about, generation, writer.take_sums()); });
    saved.written = told->written;
    saved.mode = mode;
    saved.copies = std::move(copies);
    done(saved, {});
  } catch (const std::exception& error) {
    if (said) done({}, error.what());
    else holds(std::current_exception());
  }
}

void image_saver::settle(kept_image where) {
  const std::lock_guard hold(lock_);
  base_is_ = next_ ? where : kept_image::nowhere;     // nowhere: the changes since then are no longer known
  if (base_is_ != kept_image::nowhere) base_ = std::move(next_);
}

void image_saver::begin_from(const contents& restored, std::uint64_t generation, const std::string& file,
                             std::span<const region> regions, const std::string& observed,
                             const files::path_map& moved) {
  restored_from_ = origins_of(restored, file);
  for (file_origin& o : restored_from_) o.path = moved(o.path);
  if (!how_.incremental) return;
  tracker_->mark(regions);
  const std::lock_guard hold(lock_);
  base_ = std::make_unique<generation_base>();
  base_->image = as_base(restored, generation, file);
  for (source& s : base_->image.sources)
    if (s.kind == source_kind::program_file) s.name = moved(s.name);
  base_->observed = section_of(restored, observed);
  // Files of the program, and copies of them for the ranks of a node, do not count.
  base_->length = static_cast<unsigned>(std::ranges::count(base_->image.sources, source_kind::generation, &source::kind));
  base_is_ = kept_image::in_directory;
}

}  // namespace mana::image
