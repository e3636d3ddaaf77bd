#include <runtime/split/filter/table.hpp>

#include <runtime/split/traps/waiting/clocks.hpp>

#include <runtime/split/window/layout.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace mana::split {
namespace {

constexpr trap_row rows[] = {
    {SYS_read, trap_input, condition::of_input},  // first: few instructions of the filter for those that pass
    {SYS_readv, trap_input, condition::of_input},
    {SYS_preadv2, trap_input, condition::of_input},
    {SYS_splice, trap_input, condition::of_input},
    {SYS_recvfrom, trap_input, condition::of_input},

    {SYS_mmap, trap_mmap},
    {SYS_munmap, trap_munmap},
    {SYS_mremap, trap_mremap},
    {SYS_brk, trap_brk},
    {SYS_madvise, trap_madvise, condition::stays_advised},
    {SYS_process_madvise, trap_process_madvise},
    {SYS_mlock, trap_advice},
    {SYS_mlock2, trap_advice},
    {SYS_mlockall, trap_advice},
    {SYS_munlockall, trap_advice},
    {SYS_mbind, trap_advice},
    {number_of_mseal, trap_advice},
    {SYS_pkey_alloc, trap_advice},
    {SYS_shmat, trap_shmat},
    {SYS_shmdt, trap_shmdt},
    {SYS_io_setup, trap_io_setup},
    {SYS_io_destroy, trap_io_destroy},
    {SYS_io_submit, trap_io_submit},

    {SYS_clone, trap_clone, condition::own_memory},
    {SYS_fork, trap_clone},
    {SYS_clone3, nullptr, condition::refused},  // libc then takes clone, whose flags a filter can see
    {SYS_rseq, nullptr, condition::refused},    // the kernel has one area per thread, the lower half's
    {SYS_exit, trap_exit},
    {SYS_exit_group, trap_exit_group},
    {SYS_set_tid_address, trap_set_tid_address},
    {SYS_set_robust_list, trap_set_robust_list},

    {SYS_rt_sigaction, trap_rt_sigaction},
    {SYS_rt_sigprocmask, trap_rt_sigprocmask},
    {SYS_rt_sigpending, trap_rt_sigpending},
    {SYS_sigaltstack, trap_sigaltstack},
    {SYS_rt_sigsuspend, trap_masked_wait},
    {SYS_rt_sigtimedwait, trap_masked_wait},
    {SYS_ppoll, trap_masked_wait, condition::argument_set, 3},
    {SYS_pselect6, trap_masked_wait, condition::argument_set, 5},
    {SYS_epoll_pwait, trap_masked_wait, condition::argument_set, 4},
    {SYS_epoll_pwait2, trap_masked_wait, condition::argument_set, 4},
    {SYS_io_pgetevents, trap_masked_wait, condition::argument_set, 5},
    {SYS_io_uring_enter, trap_ring_wait, condition::argument_set, 4},

    {SYS_readlink, trap_readlink},
    {SYS_readlinkat, trap_readlink},
    {SYS_execve, trap_execve},
    {SYS_execveat, trap_execve},
    {SYS_arch_prctl, trap_set_gs, condition::sets_gs},
    {SYS_ptrace, trap_ptrace, condition::begins_tracing},
    {SYS_prctl, trap_prctl, condition::of_places},

    {SYS_open, trap_open},
    {SYS_openat, trap_open},
    {SYS_openat2, trap_open},
    {SYS_creat, trap_open},
    {SYS_open_by_handle_at, trap_new_descriptor},
    {SYS_close, trap_close, condition::told_close},
    {SYS_close_range, trap_close_range},
    {SYS_dup, trap_duplicate},
    {SYS_dup2, trap_duplicate},
    {SYS_dup3, trap_duplicate},
    {SYS_fcntl, trap_duplicate, condition::duplicates},
    {SYS_pipe, trap_descriptor_pair},
    {SYS_pipe2, trap_descriptor_pair},
    {SYS_socketpair, trap_descriptor_pair},
    {SYS_socket, trap_new_descriptor},
    {SYS_accept, trap_accept},
    {SYS_accept4, trap_accept},
    {SYS_eventfd, trap_new_descriptor},
    {SYS_eventfd2, trap_new_descriptor},
    {SYS_memfd_create, trap_new_descriptor},
    {SYS_epoll_create, trap_new_descriptor},
    {SYS_epoll_create1, trap_new_descriptor},
    {SYS_timerfd_create, trap_new_descriptor},
    {SYS_signalfd, trap_new_descriptor},
    {SYS_signalfd4, trap_new_descriptor},
    {SYS_inotify_init, trap_new_descriptor},
    {SYS_inotify_init1, trap_new_descriptor},
    {SYS_pidfd_open, trap_pidfd_open},
    {SYS_perf_event_open, trap_new_descriptor},
    {SYS_pidfd_getfd, trap_received},
    {SYS_recvmsg, trap_receive},
    {SYS_recvmmsg, trap_receive},
    {SYS_ioctl, trap_terminal, condition::of_terminal},
    {SYS_inotify_add_watch, trap_watch},
    {SYS_bpf, trap_maybe_descriptor},
    {SYS_open_tree, trap_new_descriptor},
    {SYS_fsopen, trap_new_descriptor},
    {SYS_fsmount, trap_new_descriptor},
    {SYS_fspick, trap_new_descriptor},
    {SYS_landlock_create_ruleset, trap_maybe_descriptor},
    {SYS_landlock_restrict_self, trap_landlock},
    {SYS_memfd_secret, trap_new_descriptor},
    {SYS_mq_open, trap_new_descriptor},
    {SYS_mq_notify, trap_mq_notify},
    {SYS_userfaultfd, trap_new_descriptor},
    {SYS_fanotify_init, trap_new_descriptor},
    {SYS_io_uring_setup, trap_ring_setup},
    {STUB_REPORT_NUMBER, trap_report},
    {STUB_CLOCK_NUMBER, trap_clock_gettime},
};

constexpr trap_row clock_rows[] = {
    {SYS_futex, trap_timed_wait, condition::waits_until},
    {SYS_clock_gettime, trap_clock_gettime, condition::shows_clock},
    {SYS_clock_nanosleep, trap_timed_wait, condition::sleeps_until},
    {number_of_futex_waitv, trap_timed_wait, condition::by_monotonic, 3},
    {number_of_futex_wait, trap_timed_wait, condition::by_monotonic, 4},
    {SYS_timerfd_settime, trap_timer_settime, condition::absolute},
    {SYS_timer_settime, trap_timer_settime, condition::absolute},
    {SYS_times, trap_times},
    {SYS_getrusage, trap_getrusage, condition::of_program},
};

constexpr trap_row id_rows[] = {
    {SYS_kill, trap_signal_to_id},
    {SYS_tkill, trap_signal_to_id},
    {SYS_tgkill, trap_signal_to_id},
    {SYS_rt_sigqueueinfo, trap_signal_to_id},
    {SYS_rt_tgsigqueueinfo, trap_signal_to_id},
    {SYS_getpgid, trap_told_process},
    {SYS_getsid, trap_told_process},
    {SYS_clock_getres, trap_clock_getres},
    {SYS_prlimit64, trap_call_of_id, condition::argument_set, 0},
    {SYS_getpriority, trap_call_of_id, condition::argument_set, 1},
    {SYS_setpriority, trap_call_of_id, condition::argument_set, 1},
    {SYS_ioprio_get, trap_call_of_id, condition::argument_set, 1},
    {SYS_ioprio_set, trap_call_of_id, condition::argument_set, 1},
    {SYS_sched_setparam, trap_call_of_id, condition::argument_set, 0},
    {SYS_sched_getparam, trap_call_of_id, condition::argument_set, 0},
    {SYS_sched_setscheduler, trap_call_of_id, condition::argument_set, 0},
    {SYS_sched_getscheduler, trap_call_of_id, condition::argument_set, 0},
    {SYS_sched_rr_get_interval, trap_call_of_id, condition::argument_set, 0},
    {SYS_sched_setaffinity, trap_call_of_id, condition::argument_set, 0},
    {SYS_sched_getaffinity, trap_call_of_id, condition::argument_set, 0},
    {SYS_sched_setattr, trap_call_of_id, condition::argument_set, 0},
    {SYS_sched_getattr, trap_call_of_id, condition::argument_set, 0},
    {SYS_move_pages, trap_call_of_id, condition::argument_set, 0},
    {SYS_migrate_pages, trap_call_of_id, condition::argument_set, 0},
    {SYS_get_robust_list, trap_call_of_id, condition::argument_set, 0},
    {SYS_wait4, trap_wait_for_group, condition::of_group},
    {SYS_waitid, trap_wait_for_group, condition::of_group},
    {SYS_setpgid, trap_call_of_two_ids},
    {SYS_kcmp, trap_call_of_two_ids},
    {SYS_capget, trap_capabilities},
    {SYS_capset, trap_capabilities},
    {SYS_timer_create, trap_timer_create},
    {SYS_process_vm_readv, trap_call_of_id},
    {SYS_process_vm_writev, trap_call_of_id},
};

constexpr trap_row told_id_rows[] = {
    {SYS_getpid, trap_told_process},
    {SYS_gettid, trap_told_thread},
    {SYS_getppid, trap_told_process},
    {SYS_getpgrp, trap_told_process},
    {SYS_access, trap_path_of_id},
    {SYS_faccessat, trap_path_of_id},
    {number_of_faccessat2, trap_path_of_id},
    {SYS_stat, trap_path_of_id},
    {SYS_lstat, trap_path_of_id},
    {SYS_newfstatat, trap_path_of_id, condition::by_name, 3},
    {SYS_statx, trap_path_of_id, condition::by_name, 2},
    {SYS_name_to_handle_at, trap_path_of_id},
    {SYS_statfs, trap_path_of_id},
    {SYS_chdir, trap_path_of_id},
    {SYS_getxattr, trap_path_of_id},
    {SYS_lgetxattr, trap_path_of_id},
    {SYS_listxattr, trap_path_of_id},
    {SYS_llistxattr, trap_path_of_id},
    {SYS_getsockopt, trap_peer, condition::of_peer},
};

/// The handler of a call is found by its number alone.
template <std::size_t... N>
consteval bool are_distinct(const trap_row (&... tables)[N]) {
  std::vector<unsigned> numbers;
  const auto add = [&](const auto& table) { for (const trap_row& row : table) numbers.push_back(row.number); };
  (add(tables), ...);
  std::sort(numbers.begin(), numbers.end());
  return std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end();
}
static_assert(are_distinct(rows, clock_rows, id_rows, told_id_rows));

}  // namespace

std::span<const trap_row> trap_table() noexcept { return rows; }
std::span<const trap_row> clock_table() noexcept { return clock_rows; }
std::span<const trap_row> id_table() noexcept { return id_rows; }
std::span<const trap_row> told_id_table() noexcept { return told_id_rows; }

}  // namespace mana::split
