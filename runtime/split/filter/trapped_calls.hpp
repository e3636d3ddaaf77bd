// Rows of the table of system calls (system_calls.hpp): the calls that the filter traps or refuses, in its order.
#pragma once

// ROW(name, number, in which processes, handler, condition, the condition's argument, why)
#define MANA_TRAPPED_CALLS(ROW) \
  /* In a process in which the program's clocks have offsets. First in the filter: this group has the most frequent call. */ \
  ROW(futex, 202, moved_clocks, trap_timed_wait, waits_until, 0, "the kernel gets the program's deadline in the kernel's own clock") \
  ROW(clock_gettime, 228, moved_clocks, trap_clock_gettime, shows_clock, 0, "the program's clock continues from its time at the checkpoint") \
  ROW(clock_nanosleep, 230, moved_clocks, trap_timed_wait, sleeps_until, 0, "the kernel gets the program's deadline in the kernel's own clock") \
  ROW(futex_waitv, 449, moved_clocks, trap_timed_wait, by_monotonic, 3, "the kernel gets the program's deadline in the kernel's own clock") \
  ROW(futex_wait, 455, moved_clocks, trap_timed_wait, by_monotonic, 4, "the kernel gets the program's deadline in the kernel's own clock") \
  ROW(timerfd_settime, 286, moved_clocks, trap_timer_settime, absolute, 0, "the kernel gets the program's deadline in the kernel's own clock") \
  ROW(timer_settime, 223, moved_clocks, trap_timer_settime, absolute, 0, "the kernel gets the program's deadline in the kernel's own clock") \
  ROW(times, 100, moved_clocks, trap_times, always, 0, "time from before the restart counts") \
  ROW(getrusage, 98, moved_clocks, trap_getrusage, of_program, 0, "time from before the restart counts") \
  /* In every process. Calls that count input come first: the filter needs few instructions for calls that pass. */ \
  ROW(read, 0, every_process, trap_input, of_input, 0, "mana counts the bytes read from the launcher's standard input") \
  ROW(readv, 19, every_process, trap_input, of_input, 0, "mana counts the bytes read from the launcher's standard input") \
  ROW(preadv2, 327, every_process, trap_input, of_input, 0, "mana counts the bytes read from the launcher's standard input") \
  ROW(splice, 275, every_process, trap_input, of_input, 0, "mana counts the bytes read from the launcher's standard input") \
  ROW(recvfrom, 45, every_process, trap_input, of_input, 0, "mana counts the bytes read from the launcher's standard input") \
  ROW(mmap, 9, every_process, trap_mmap, always, 0, "the program's memory lies in the window") \
  ROW(munmap, 11, every_process, trap_munmap, always, 0, "the addresses become free in the window; the lower half learns of it") \
  ROW(mremap, 25, every_process, trap_mremap, always, 0, "memory moves within the window; the lower half learns of it") \
  ROW(brk, 12, every_process, trap_brk, always, 0, "the program's break lies in the window; the kernel's break belongs to the lower half") \
  ROW(madvise, 28, every_process, trap_madvise, stays_advised, 0, "mana records lasting advice, because the kernel does not list all of it") \
  ROW(process_madvise, 440, every_process, trap_process_madvise, always, 0, "the same as madvise, for a process given by descriptor") \
  ROW(mlock, 149, every_process, trap_advice, always, 0, "mana records settings that stay with memory, and first reads memory that is restored lazily") \
  ROW(mlock2, 325, every_process, trap_advice, always, 0, "mana records settings that stay with memory, and first reads memory that is restored lazily") \
  ROW(mlockall, 151, every_process, trap_advice, always, 0, "mana records settings that stay with memory, and first reads memory that is restored lazily") \
  ROW(munlockall, 152, every_process, trap_advice, always, 0, "mana records settings that stay with memory, and first reads memory that is restored lazily") \
  ROW(mbind, 237, every_process, trap_advice, always, 0, "mana records settings that stay with memory, and first reads memory that is restored lazily") \
  ROW(mseal, 462, every_process, trap_advice, always, 0, "mana records settings that stay with memory, and first reads memory that is restored lazily") \
  ROW(pkey_alloc, 330, every_process, trap_advice, always, 0, "mana records settings that stay with memory, and first reads memory that is restored lazily") \
  ROW(shmat, 30, every_process, trap_shmat, always, 0, "the segment must lie in the window") \
  ROW(shmdt, 67, every_process, trap_shmdt, always, 0, "the addresses become free in the window") \
  ROW(io_setup, 206, every_process, trap_io_setup, always, 0, "the ring must lie in the window; mana records contexts, and a restart makes them again") \
  ROW(io_destroy, 207, every_process, trap_io_destroy, always, 0, "mana records contexts; a checkpoint may come during the wait") \
  ROW(io_submit, 209, every_process, trap_io_submit, always, 0, "mana records requests under way: a checkpoint waits for them") \
  ROW(clone, 56, every_process, trap_clone, own_memory, 0, "a thread gets a twin in the lower half; a child gets complete memory maps") \
  ROW(fork, 57, every_process, trap_clone, always, 0, "a thread gets a twin in the lower half; a child gets complete memory maps") \
  ROW(clone3, 435, every_process, nullptr, refused, 0, "libc then uses clone, whose flags a filter can see") \
  ROW(rseq, 334, every_process, nullptr, refused, 0, "the kernel has one area for each thread, and the lower half uses it") \
  ROW(exit, 60, every_process, trap_exit, always, 0, "the thread and its twin end together") \
  ROW(exit_group, 231, every_process, trap_exit_group, always, 0, "the lower half's exit ends the process, so that MPI and the launcher end in order") \
  ROW(set_tid_address, 218, every_process, trap_set_tid_address, always, 0, "the kernel clears the twin's word; mana clears the program's word") \
  ROW(set_robust_list, 273, every_process, trap_set_robust_list, always, 0, "the kernel knows the twin's list; mana walks the program's list") \
  ROW(rt_sigaction, 13, every_process, trap_rt_sigaction, always, 0, "the kernel calls the stub, which calls the program's handler") \
  ROW(rt_sigprocmask, 14, every_process, trap_rt_sigprocmask, always, 0, "mana's own signals are never blocked") \
  ROW(rt_sigpending, 127, every_process, trap_rt_sigpending, always, 0, "a trap blocks all signals; the program must see only those that it blocks") \
  ROW(sigaltstack, 131, every_process, trap_sigaltstack, always, 0, "the kernel takes the stack from the trap's frame") \
  ROW(rt_sigsuspend, 130, every_process, trap_masked_wait, always, 0, "the mask must not block mana's own signals") \
  ROW(rt_sigtimedwait, 128, every_process, trap_masked_wait, always, 0, "the mask must not block mana's own signals") \
  ROW(ppoll, 271, every_process, trap_masked_wait, argument_set, 3, "the mask must not block mana's own signals") \
  ROW(pselect6, 270, every_process, trap_masked_wait, argument_set, 5, "the mask must not block mana's own signals") \
  ROW(epoll_pwait, 281, every_process, trap_masked_wait, argument_set, 4, "the mask must not block mana's own signals") \
  ROW(epoll_pwait2, 441, every_process, trap_masked_wait, argument_set, 4, "the mask must not block mana's own signals") \
  ROW(io_pgetevents, 333, every_process, trap_masked_wait, argument_set, 5, "the mask must not block mana's own signals") \
  ROW(io_uring_enter, 426, every_process, trap_ring_wait, argument_set, 4, "the mask must not block mana's own signals") \
  ROW(readlink, 89, every_process, trap_readlink, always, 0, "/proc/self/exe must name the program, not the lower half") \
  ROW(readlinkat, 267, every_process, trap_readlink, always, 0, "/proc/self/exe must name the program, not the lower half") \
  ROW(execve, 59, every_process, trap_execve, always, 0, "mana stays with the process until MPI_Init; the next program gets this one's signal mask") \
  ROW(execveat, 322, every_process, trap_execve, always, 0, "mana stays with the process until MPI_Init; the next program gets this one's signal mask") \
  ROW(arch_prctl, 158, every_process, trap_set_gs, sets_gs, 0, "refused, because %gs points to the thread's block") \
  ROW(ptrace, 101, every_process, trap_ptrace, begins_tracing, 0, "a warning says that a traced process stops at each trap") \
  ROW(prctl, 157, every_process, trap_prctl, of_places, 0, "the break, the auxiliary vector, memory names and call dispatch must be the program's, not the lower half's") \
  ROW(open, 2, every_process, trap_open, always, 0, "mana records the new descriptor; paths in /proc about the process must show the program") \
  ROW(openat, 257, every_process, trap_open, always, 0, "mana records the new descriptor; paths in /proc about the process must show the program") \
  ROW(openat2, 437, every_process, trap_open, always, 0, "mana records the new descriptor; paths in /proc about the process must show the program") \
  ROW(creat, 85, every_process, trap_open, always, 0, "mana records the new descriptor; paths in /proc about the process must show the program") \
  ROW(open_by_handle_at, 304, every_process, trap_new_descriptor, always, 0, "mana records the new descriptor as the program's") \
  ROW(close, 3, every_process, trap_close, told_close, 0, "the lower half's descriptors stay open") \
  ROW(close_range, 436, every_process, trap_close_range, always, 0, "the lower half's descriptors stay open") \
  ROW(dup, 32, every_process, trap_duplicate, always, 0, "mana records the new descriptor; the lower half's numbers stay untouched") \
  ROW(dup2, 33, every_process, trap_duplicate, always, 0, "mana records the new descriptor; the lower half's numbers stay untouched") \
  ROW(dup3, 292, every_process, trap_duplicate, always, 0, "mana records the new descriptor; the lower half's numbers stay untouched") \
  ROW(fcntl, 72, every_process, trap_duplicate, duplicates, 0, "mana records the new descriptor; the lower half's numbers stay untouched") \
  ROW(pipe, 22, every_process, trap_descriptor_pair, always, 0, "mana records two new descriptors as the program's") \
  ROW(pipe2, 293, every_process, trap_descriptor_pair, always, 0, "mana records two new descriptors as the program's") \
  ROW(socketpair, 53, every_process, trap_descriptor_pair, always, 0, "mana records two new descriptors as the program's") \
  ROW(socket, 41, every_process, trap_new_descriptor, always, 0, "mana records the new descriptor as the program's") \
  ROW(accept, 43, every_process, trap_accept, always, 0, "mana records the new descriptor; the stub makes the call, because it may wait") \
  ROW(accept4, 288, every_process, trap_accept, always, 0, "mana records the new descriptor; the stub makes the call, because it may wait") \
  ROW(eventfd, 284, every_process, trap_new_descriptor, always, 0, "mana records the new descriptor as the program's") \
  ROW(eventfd2, 290, every_process, trap_new_descriptor, always, 0, "mana records the new descriptor as the program's") \
  ROW(memfd_create, 319, every_process, trap_new_descriptor, always, 0, "mana records the new descriptor as the program's") \
  ROW(epoll_create, 213, every_process, trap_new_descriptor, always, 0, "mana records the new descriptor as the program's") \
  ROW(epoll_create1, 291, every_process, trap_new_descriptor, always, 0, "mana records the new descriptor as the program's") \
  ROW(timerfd_create, 283, every_process, trap_new_descriptor, always, 0, "mana records the new descriptor as the program's") \
  ROW(signalfd, 282, every_process, trap_new_descriptor, always, 0, "mana records the new descriptor as the program's") \
  ROW(signalfd4, 289, every_process, trap_new_descriptor, always, 0, "mana records the new descriptor as the program's") \
  ROW(inotify_init, 253, every_process, trap_new_descriptor, always, 0, "mana records the new descriptor as the program's") \
  ROW(inotify_init1, 294, every_process, trap_new_descriptor, always, 0, "mana records the new descriptor as the program's") \
  ROW(pidfd_open, 434, every_process, trap_pidfd_open, always, 0, "mana records the new descriptor; the program may give an id from before the restart") \
  ROW(perf_event_open, 298, every_process, trap_new_descriptor, always, 0, "mana records the new descriptor as the program's") \
  ROW(pidfd_getfd, 438, every_process, trap_received, always, 0, "mana records the descriptor of another process") \
  ROW(recvmsg, 47, every_process, trap_receive, always, 0, "a message may bring descriptors; the stub makes the call, because it may wait") \
  ROW(recvmmsg, 299, every_process, trap_receive, always, 0, "a message may bring descriptors; the stub makes the call, because it may wait") \
  ROW(ioctl, 16, every_process, trap_terminal, of_terminal, 0, "a new descriptor (TIOCGPTPEER); the program may give ids of groups from before the restart") \
  ROW(inotify_add_watch, 254, every_process, trap_watch, always, 0, "mana records the paths of watches, because the kernel does not list them") \
  ROW(bpf, 321, every_process, trap_maybe_descriptor, always, 0, "some commands open a descriptor") \
  ROW(open_tree, 428, every_process, trap_new_descriptor, always, 0, "mana records the new descriptor as the program's") \
  ROW(fsopen, 430, every_process, trap_new_descriptor, always, 0, "mana records the new descriptor as the program's") \
  ROW(fsmount, 432, every_process, trap_new_descriptor, always, 0, "mana records the new descriptor as the program's") \
  ROW(fspick, 433, every_process, trap_new_descriptor, always, 0, "mana records the new descriptor as the program's") \
  ROW(landlock_create_ruleset, 444, every_process, trap_maybe_descriptor, always, 0, "some commands open a descriptor") \
  ROW(landlock_restrict_self, 446, every_process, trap_landlock, always, 0, "a warning says that the restriction ends at a restart, because the kernel does not show it") \
  ROW(memfd_secret, 447, every_process, trap_new_descriptor, always, 0, "mana records the new descriptor as the program's") \
  ROW(mq_open, 240, every_process, trap_new_descriptor, always, 0, "mana records the new descriptor as the program's") \
  ROW(mq_notify, 244, every_process, trap_mq_notify, always, 0, "the kernel shows only a part of the notification: mana records it, and a restart asks for it again") \
  ROW(userfaultfd, 323, every_process, trap_new_descriptor, always, 0, "mana records the new descriptor as the program's") \
  ROW(fanotify_init, 300, every_process, trap_new_descriptor, always, 0, "mana records the new descriptor as the program's") \
  ROW(io_uring_setup, 425, every_process, trap_ring_setup, always, 0, "mana records the new descriptor; if the kernel cannot map rings in the window, the call ends with ENOSYS") \
  ROW(stub_report, STUB_REPORT_NUMBER, every_process, trap_report, always, 0, "not the kernel's: the stub reports what its call has opened or read") \
  ROW(stub_clock, STUB_CLOCK_NUMBER, every_process, trap_clock_gettime, always, 0, "not the kernel's: the stub's clock asks for the offset") \
  /* In a restarted process, calls that name a thread or process: INV-77. */ \
  ROW(kill, 62, restarted, trap_signal_to_id, always, 0, "the program may give an id of a thread or process from before the restart") \
  ROW(tkill, 200, restarted, trap_signal_to_id, always, 0, "the program may give an id of a thread or process from before the restart") \
  ROW(tgkill, 234, restarted, trap_signal_to_id, always, 0, "the program may give an id of a thread or process from before the restart") \
  ROW(rt_sigqueueinfo, 129, restarted, trap_signal_to_id, always, 0, "the program may give an id of a thread or process from before the restart") \
  ROW(rt_tgsigqueueinfo, 297, restarted, trap_signal_to_id, always, 0, "the program may give an id of a thread or process from before the restart") \
  ROW(getpgid, 121, restarted, trap_told_process, always, 0, "the program gets the id that it had before the restart") \
  ROW(getsid, 124, restarted, trap_told_process, always, 0, "the program gets the id that it had before the restart") \
  ROW(clock_getres, 229, restarted, trap_clock_getres, always, 0, "the program may give a process's clock by an id from before the restart") \
  ROW(prlimit64, 302, restarted, trap_call_of_id, argument_set, 0, "the program may give an id of a thread or process from before the restart") \
  ROW(getpriority, 140, restarted, trap_call_of_id, argument_set, 1, "the program may give an id of a thread or process from before the restart") \
  ROW(setpriority, 141, restarted, trap_call_of_id, argument_set, 1, "the program may give an id of a thread or process from before the restart") \
  ROW(ioprio_get, 252, restarted, trap_call_of_id, argument_set, 1, "the program may give an id of a thread or process from before the restart") \
  ROW(ioprio_set, 251, restarted, trap_call_of_id, argument_set, 1, "the program may give an id of a thread or process from before the restart") \
  ROW(sched_setparam, 142, restarted, trap_call_of_id, argument_set, 0, "the program may give an id of a thread or process from before the restart") \
  ROW(sched_getparam, 143, restarted, trap_call_of_id, argument_set, 0, "the program may give an id of a thread or process from before the restart") \
  ROW(sched_setscheduler, 144, restarted, trap_call_of_id, argument_set, 0, "the program may give an id of a thread or process from before the restart") \
  ROW(sched_getscheduler, 145, restarted, trap_call_of_id, argument_set, 0, "the program may give an id of a thread or process from before the restart") \
  ROW(sched_rr_get_interval, 148, restarted, trap_call_of_id, argument_set, 0, "the program may give an id of a thread or process from before the restart") \
  ROW(sched_setaffinity, 203, restarted, trap_call_of_id, argument_set, 0, "the program may give an id of a thread or process from before the restart") \
  ROW(sched_getaffinity, 204, restarted, trap_call_of_id, argument_set, 0, "the program may give an id of a thread or process from before the restart") \
  ROW(sched_setattr, 314, restarted, trap_call_of_id, argument_set, 0, "the program may give an id of a thread or process from before the restart") \
  ROW(sched_getattr, 315, restarted, trap_call_of_id, argument_set, 0, "the program may give an id of a thread or process from before the restart") \
  ROW(move_pages, 279, restarted, trap_call_of_id, argument_set, 0, "the program may give an id of a thread or process from before the restart") \
  ROW(migrate_pages, 256, restarted, trap_call_of_id, argument_set, 0, "the program may give an id of a thread or process from before the restart") \
  ROW(get_robust_list, 274, restarted, trap_call_of_id, argument_set, 0, "the program may give an id of a thread or process from before the restart") \
  ROW(wait4, 61, restarted, trap_wait_for_group, of_group, 0, "the program may give a child's group by an id from before the restart") \
  ROW(waitid, 247, restarted, trap_wait_for_group, of_group, 0, "the program may give a child's group by an id from before the restart") \
  ROW(setpgid, 109, restarted, trap_call_of_two_ids, always, 0, "the program may give two ids from before the restart") \
  ROW(kcmp, 312, restarted, trap_call_of_two_ids, always, 0, "the program may give two ids from before the restart") \
  ROW(capget, 125, restarted, trap_capabilities, always, 0, "the header may have a thread's id from before the restart") \
  ROW(capset, 126, restarted, trap_capabilities, always, 0, "the header may have a thread's id from before the restart") \
  ROW(timer_create, 222, restarted, trap_timer_create, always, 0, "the program may name the signalled thread by an id from before the restart") \
  ROW(process_vm_readv, 310, restarted, trap_call_of_id, always, 0, "the program may give an id of a thread or process from before the restart") \
  ROW(process_vm_writev, 311, restarted, trap_call_of_id, always, 0, "the program may give an id of a thread or process from before the restart") \
  /* In a restarted process whose program is told its first ids: INV-90. */ \
  ROW(getpid, 39, told_ids, trap_told_process, always, 0, "the program gets the id that it had before the restart") \
  ROW(gettid, 186, told_ids, trap_told_thread, always, 0, "the program gets the id that it had before the restart") \
  ROW(getppid, 110, told_ids, trap_told_process, always, 0, "the program gets the id that it had before the restart") \
  ROW(getpgrp, 111, told_ids, trap_told_process, always, 0, "the program gets the id that it had before the restart") \
  ROW(access, 21, told_ids, trap_path_of_id, always, 0, "a path in /proc may have an id from before the restart") \
  ROW(faccessat, 269, told_ids, trap_path_of_id, always, 0, "a path in /proc may have an id from before the restart") \
  ROW(faccessat2, 439, told_ids, trap_path_of_id, always, 0, "a path in /proc may have an id from before the restart") \
  ROW(stat, 4, told_ids, trap_path_of_id, always, 0, "a path in /proc may have an id from before the restart") \
  ROW(lstat, 6, told_ids, trap_path_of_id, always, 0, "a path in /proc may have an id from before the restart") \
  ROW(newfstatat, 262, told_ids, trap_path_of_id, by_name, 3, "a path in /proc may have an id from before the restart") \
  ROW(statx, 332, told_ids, trap_path_of_id, by_name, 2, "a path in /proc may have an id from before the restart") \
  ROW(name_to_handle_at, 303, told_ids, trap_path_of_id, always, 0, "a path in /proc may have an id from before the restart") \
  ROW(statfs, 137, told_ids, trap_path_of_id, always, 0, "a path in /proc may have an id from before the restart") \
  ROW(chdir, 80, told_ids, trap_path_of_id, always, 0, "a path in /proc may have an id from before the restart") \
  ROW(getxattr, 191, told_ids, trap_path_of_id, always, 0, "a path in /proc may have an id from before the restart") \
  ROW(lgetxattr, 192, told_ids, trap_path_of_id, always, 0, "a path in /proc may have an id from before the restart") \
  ROW(listxattr, 194, told_ids, trap_path_of_id, always, 0, "a path in /proc may have an id from before the restart") \
  ROW(llistxattr, 195, told_ids, trap_path_of_id, always, 0, "a path in /proc may have an id from before the restart") \
  ROW(getsockopt, 55, told_ids, trap_peer, of_peer, 0, "the peer may be this process, and the program gets the id that it had before the restart")
