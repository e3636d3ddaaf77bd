#include <runtime/job/memory/lazy_check.hpp>

#include <runtime/job/job.hpp>
#include <runtime/job/memory/restored_image.hpp>
#include <runtime/job/start_failure.hpp>

#include <mana/core/fault_points.hpp>

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <thread>

namespace mana::job {

namespace {

/// Never destroyed: a thread may wait for it until the process ends.
std::shared_future<void>& check_is_over() noexcept {
  static auto& over = *new std::shared_future<void>;
  return over;
}

/// Lets the program have the cores first.
void step_back() noexcept {
  constexpr int least = 19;
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), least);
}

[[noreturn]] void give_up(const files::image_error& error) {
  image_of_restart().damaged_file = error.file();
  if (error.kind() == files::error_kind::damaged)
    mark_restart_failed(std::string(", restarted lazily: ") + error.what());
  say(std::string("mana: error: ") + error.what() + "; rank " + std::to_string(rank_from_environment()) +
      " was restarted with --lazy and may have used the damaged memory, so the job ends; restart an earlier "
      "checkpoint");
  std::_Exit(static_cast<int>(error.kind() == files::error_kind::damaged ? exit_status::checkpoint_damaged
                                                                         : exit_status::checkpoint_missing));
}

void check(image::rank_image& own, image::lazy_memory& left) {
  const auto begin = std::chrono::steady_clock::now();
  try {
    own.check_unread(left);
  } catch (const files::image_error& error) {
    give_up(error);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (this_job().options.verbose)
    say("mana: rank " + std::to_string(own.header().rank) + ": all memory of the checkpoint was read and is intact, "
                                                            "after " +
        std::to_string(took.count()) + " s");
}

}  // namespace

void begin_lazy_check(std::unique_ptr<image::rank_image> own, image::lazy_memory left) {
  std::promise<void> over;
  check_is_over() = over.get_future().share();
  std::thread([own = std::move(own), left = std::move(left), over = std::move(over)]() mutable {
    step_back();
    fault_point(fault::point::lazy_check);
    check(*own, left);
    left = {};
    own.reset();
    over.set_value();
  }).detach();
}

void finish_lazy_check() noexcept {
  if (check_is_over().valid()) check_is_over().wait();
}

}  // namespace mana::job
