// Rows of the table of system calls (system_calls.hpp): those that the filter traps or refuses, in its order.
#pragma once

// ROW(name, number, in which processes, handler, condition, the argument that the condition is of, why)
#define MANA_TRAPPED_CALLS(ROW) \
  /* In a process in which the program's clocks have offsets. First in the filter: among them is the most frequent call. */ \
  ROW(futex, 202, moved_clocks, trap_timed_wait, waits_until, 0, "a deadline of the program is told to the kernel by its own clock") \
  ROW(clock_gettime, 228, moved_clocks, trap_clock_gettime, shows_clock, 0, "the program's clock continues from its " \
                                                                            "value at the checkpoint") \
  ROW(clock_nanosleep, 230, moved_clocks, trap_timed_wait, sleeps_until, 0, "a deadline of the program is told to the kernel by its own clock") \
  ROW(futex_waitv, 449, moved_clocks, trap_timed_wait, by_monotonic, 3, "a deadline of the program is told to the kernel by its own clock") \
  ROW(futex_wait, 455, moved_clocks, trap_timed_wait, by_monotonic, 4, "a deadline of the program is told to the kernel by its own clock") \
  ROW(timerfd_settime, 286, moved_clocks, trap_timer_settime, absolute, 0, "a deadline of the program is told to the kernel by its own clock") \
  ROW(timer_settime, 223, moved_clocks, trap_timer_settime, absolute, 0, "a deadline of the program is told to the kernel by its own clock") \
  ROW(times, 100, moved_clocks, trap_times, always, 0, "time of before the restart counts") \
  ROW(getrusage, 98, moved_clocks, trap_getrusage, of_program, 0, "time of before the restart counts") \
  /* In every process. What counts input is first: few instructions of the filter for those that pass. */ \
  ROW(read, 0, every_process, trap_input, of_input, 0, "what is read of the launcher's standard input is counted") \
  ROW(readv, 19, every_process, trap_input, of_input, 0, "what is read of the launcher's standard input is counted") \
  ROW(preadv2, 327, every_process, trap_input, of_input, 0, "what is read of the launcher's standard input is counted") \
  ROW(splice, 275, every_process, trap_input, of_input, 0, "what is read of the launcher's standard input is counted") \
  ROW(recvfrom, 45, every_process, trap_input, of_input, 0, "what is read of the launcher's standard input is counted") \
  ROW(mmap, 9, every_process, trap_mmap, always, 0, "memory of the program lies in the window") \
  ROW(munmap, 11, every_process, trap_munmap, always, 0, "its addresses are free in the window again; the lower half is told") \
  ROW(mremap, 25, every_process, trap_mremap, always, 0, "memory moves within the window; the lower half is told") \
  ROW(brk, 12, every_process, trap_brk, always, 0, "the program's break lies in the window; the kernel's is the lower half's") \
  ROW(madvise, 28, every_process, trap_madvise, stays_advised, 0, "advice that stays is noted, for the kernel lists not all of it") \
  ROW(process_madvise, 440, every_process, trap_process_madvise, always, 0, "the same, by descriptor of the process") \
  ROW(mlock, 149, every_process, trap_advice, always, 0, "what stays with memory is noted, and lazily restored memory is read first") \
  ROW(mlock2, 325, every_process, trap_advice, always, 0, "what stays with memory is noted, and lazily restored memory is read first") \
  ROW(mlockall, 151, every_process, trap_advice, always, 0, "what stays with memory is noted, and lazily restored memory is read first") \
  ROW(munlockall, 152, every_process, trap_advice, always, 0, "what stays with memory is noted, and lazily restored memory is read first") \
  ROW(mbind, 237, every_process, trap_advice, always, 0, "what stays with memory is noted, and lazily restored memory is read first") \
  ROW(mseal, 462, every_process, trap_advice, always, 0, "what stays with memory is noted, and lazily restored memory is read first") \
  ROW(pkey_alloc, 330, every_process, trap_advice, always, 0, "what stays with memory is noted, and lazily restored memory is read first") \
  ROW(shmat, 30, every_process, trap_shmat, always, 0, "a segment is attached in the window") \
  ROW(shmdt, 67, every_process, trap_shmdt, always, 0, "its addresses are free in the window again") \
  ROW(io_setup, 206, every_process, trap_io_setup, always, 0, "the ring lies in the window, and contexts are noted: a restart makes them again") \
  ROW(io_destroy, 207, every_process, trap_io_destroy, always, 0, "contexts are noted; the wait may be met by a checkpoint") \
  ROW(io_submit, 209, every_process, trap_io_submit, always, 0, "what is under way is noted: a checkpoint waits for it") \
  ROW(clone, 56, every_process, trap_clone, own_memory, 0, "a thread gets a twin; a child gets whole maps of memory") \
  ROW(fork, 57, every_process, trap_clone, always, 0, "a thread gets a twin; a child gets whole maps of memory") \
  ROW(clone3, 435, every_process, nullptr, refused, 0, "libc takes clone then, whose flags a filter can see") \
  ROW(rseq, 334, every_process, nullptr, refused, 0, "the kernel has one area for each thread, which is the lower half's") \
  ROW(exit, 60, every_process, trap_exit, always, 0, "the thread ends with its twin") \
  ROW(exit_group, 231, every_process, trap_exit_group, always, 0, "the process ends by the lower half's exit, so that MPI and the launcher end in order") \
  ROW(set_tid_address, 218, every_process, trap_set_tid_address, always, 0, "the kernel clears the twin's word; the program's is cleared by mana") \
  ROW(set_robust_list, 273, every_process, trap_set_robust_list, always, 0, "the kernel knows the twin's list; the program's is walked by mana") \
  ROW(rt_sigaction, 13, every_process, trap_rt_sigaction, always, 0, "the kernel calls the stub, which calls the program's handler") \
  ROW(rt_sigprocmask, 14, every_process, trap_rt_sigprocmask, always, 0, "signals of mana's own are never blocked") \
  ROW(rt_sigpending, 127, every_process, trap_rt_sigpending, always, 0, "in a trap all signals are blocked: those that the program blocks are told") \
  ROW(sigaltstack, 131, every_process, trap_sigaltstack, always, 0, "the kernel takes the stack from the frame of the trap") \
  ROW(rt_sigsuspend, 130, every_process, trap_masked_wait, always, 0, "its mask never blocks mana's own signals") \
  ROW(rt_sigtimedwait, 128, every_process, trap_masked_wait, always, 0, "its mask never blocks mana's own signals") \
  ROW(ppoll, 271, every_process, trap_masked_wait, argument_set, 3, "its mask never blocks mana's own signals") \
  ROW(pselect6, 270, every_process, trap_masked_wait, argument_set, 5, "its mask never blocks mana's own signals") \
  ROW(epoll_pwait, 281, every_process, trap_masked_wait, argument_set, 4, "its mask never blocks mana's own signals") \
  ROW(epoll_pwait2, 441, every_process, trap_masked_wait, argument_set, 4, "its mask never blocks mana's own signals") \
  ROW(io_pgetevents, 333, every_process, trap_masked_wait, argument_set, 5, "its mask never blocks mana's own signals") \
  ROW(io_uring_enter, 426, every_process, trap_ring_wait, argument_set, 4, "its mask never blocks mana's own signals") \
  ROW(readlink, 89, every_process, trap_readlink, always, 0, "/proc/self/exe is the program, not the lower half") \
  ROW(readlinkat, 267, every_process, trap_readlink, always, 0, "/proc/self/exe is the program, not the lower half") \
  ROW(execve, 59, every_process, trap_execve, always, 0, "mana goes along until MPI_Init; the next program gets its signal mask") \
  ROW(execveat, 322, every_process, trap_execve, always, 0, "mana goes along until MPI_Init; the next program gets its signal mask") \
  ROW(arch_prctl, 158, every_process, trap_set_gs, sets_gs, 0, "%gs leads to the thread's block: refused") \
  ROW(ptrace, 101, every_process, trap_ptrace, begins_tracing, 0, "a traced process stops at each trap: a warning says so") \
  ROW(prctl, 157, every_process, trap_prctl, of_places, 0, "the break, the auxiliary vector, names of memory and dispatch of calls are not the lower half's") \
  ROW(open, 2, every_process, trap_open, always, 0, "a new descriptor; paths of /proc about the process are the program's") \
  ROW(openat, 257, every_process, trap_open, always, 0, "a new descriptor; paths of /proc about the process are the program's") \
  ROW(openat2, 437, every_process, trap_open, always, 0, "a new descriptor; paths of /proc about the process are the program's") \
  ROW(creat, 85, every_process, trap_open, always, 0, "a new descriptor; paths of /proc about the process are the program's") \
  ROW(open_by_handle_at, 304, every_process, trap_new_descriptor, always, 0, "a new descriptor is noted as the program's") \
  ROW(close, 3, every_process, trap_close, told_close, 0, "descriptors of the lower half stay open") \
  ROW(close_range, 436, every_process, trap_close_range, always, 0, "descriptors of the lower half stay open") \
  ROW(dup, 32, every_process, trap_duplicate, always, 0, "a new descriptor is noted; a number of the lower half's is not taken") \
  ROW(dup2, 33, every_process, trap_duplicate, always, 0, "a new descriptor is noted; a number of the lower half's is not taken") \
  ROW(dup3, 292, every_process, trap_duplicate, always, 0, "a new descriptor is noted; a number of the lower half's is not taken") \
  ROW(fcntl, 72, every_process, trap_duplicate, duplicates, 0, "a new descriptor is noted; a number of the lower half's is not taken") \
  ROW(pipe, 22, every_process, trap_descriptor_pair, always, 0, "two new descriptors are noted as the program's") \
  ROW(pipe2, 293, every_process, trap_descriptor_pair, always, 0, "two new descriptors are noted as the program's") \
  ROW(socketpair, 53, every_process, trap_descriptor_pair, always, 0, "two new descriptors are noted as the program's") \
  ROW(socket, 41, every_process, trap_new_descriptor, always, 0, "a new descriptor is noted as the program's") \
  ROW(accept, 43, every_process, trap_accept, always, 0, "a new descriptor is noted; the stub makes the call, for it waits") \
  ROW(accept4, 288, every_process, trap_accept, always, 0, "a new descriptor is noted; the stub makes the call, for it waits") \
  ROW(eventfd, 284, every_process, trap_new_descriptor, always, 0, "a new descriptor is noted as the program's") \
  ROW(eventfd2, 290, every_process, trap_new_descriptor, always, 0, "a new descriptor is noted as the program's") \
  ROW(memfd_create, 319, every_process, trap_new_descriptor, always, 0, "a new descriptor is noted as the program's") \
  ROW(epoll_create, 213, every_process, trap_new_descriptor, always, 0, "a new descriptor is noted as the program's") \
  ROW(epoll_create1, 291, every_process, trap_new_descriptor, always, 0, "a new descriptor is noted as the program's") \
  ROW(timerfd_create, 283, every_process, trap_new_descriptor, always, 0, "a new descriptor is noted as the program's") \
  ROW(signalfd, 282, every_process, trap_new_descriptor, always, 0, "a new descriptor is noted as the program's") \
  ROW(signalfd4, 289, every_process, trap_new_descriptor, always, 0, "a new descriptor is noted as the program's") \
  ROW(inotify_init, 253, every_process, trap_new_descriptor, always, 0, "a new descriptor is noted as the program's") \
  ROW(inotify_init1, 294, every_process, trap_new_descriptor, always, 0, "a new descriptor is noted as the program's") \
  ROW(pidfd_open, 434, every_process, trap_pidfd_open, always, 0, "a new descriptor is noted; the process may be named by its first id") \
  ROW(perf_event_open, 298, every_process, trap_new_descriptor, always, 0, "a new descriptor is noted as the program's") \
  ROW(pidfd_getfd, 438, every_process, trap_received, always, 0, "a descriptor of another process is noted") \
  ROW(recvmsg, 47, every_process, trap_receive, always, 0, "a message may bring descriptors; the stub makes the call, for it waits") \
  ROW(recvmmsg, 299, every_process, trap_receive, always, 0, "a message may bring descriptors; the stub makes the call, for it waits") \
  ROW(ioctl, 16, every_process, trap_terminal, of_terminal, 0, "a new descriptor (TIOCGPTPEER); groups may be named by first ids") \
  ROW(inotify_add_watch, 254, every_process, trap_watch, always, 0, "paths of watches are noted: the kernel tells of none") \
  ROW(bpf, 321, every_process, trap_maybe_descriptor, always, 0, "some of its commands open a descriptor") \
  ROW(open_tree, 428, every_process, trap_new_descriptor, always, 0, "a new descriptor is noted as the program's") \
  ROW(fsopen, 430, every_process, trap_new_descriptor, always, 0, "a new descriptor is noted as the program's") \
  ROW(fsmount, 432, every_process, trap_new_descriptor, always, 0, "a new descriptor is noted as the program's") \
  ROW(fspick, 433, every_process, trap_new_descriptor, always, 0, "a new descriptor is noted as the program's") \
  ROW(landlock_create_ruleset, 444, every_process, trap_maybe_descriptor, always, 0, "some of its commands open a descriptor") \
  ROW(landlock_restrict_self, 446, every_process, trap_landlock, always, 0, "the kernel tells of it nowhere: a warning says that a restart has none") \
  ROW(memfd_secret, 447, every_process, trap_new_descriptor, always, 0, "a new descriptor is noted as the program's") \
  ROW(mq_open, 240, every_process, trap_new_descriptor, always, 0, "a new descriptor is noted as the program's") \
  ROW(mq_notify, 244, every_process, trap_mq_notify, always, 0, "the kernel shows the receiver only in part: it is " \
                                                                "noted, and set again after a restart") \
  ROW(userfaultfd, 323, every_process, trap_new_descriptor, always, 0, "a new descriptor is noted as the program's") \
  ROW(fanotify_init, 300, every_process, trap_new_descriptor, always, 0, "a new descriptor is noted as the program's") \
  ROW(io_uring_setup, 425, every_process, trap_ring_setup, always, 0, "a new descriptor is noted; where the kernel maps no ring in the window, there are no rings (ENOSYS)") \
  ROW(stub_report, STUB_REPORT_NUMBER, every_process, trap_report, always, 0, "not the kernel's: the stub tells what a call that it made has opened or read") \
  ROW(stub_clock, STUB_CLOCK_NUMBER, every_process, trap_clock_gettime, always, 0, "not the kernel's: the stub's clock asks for the offset") \
  /* What names a thread or process, in a restarted process: INV-77. */ \
  ROW(kill, 62, restarted, trap_signal_to_id, always, 0, "a thread or process may be named by the id of before") \
  ROW(tkill, 200, restarted, trap_signal_to_id, always, 0, "a thread or process may be named by the id of before") \
  ROW(tgkill, 234, restarted, trap_signal_to_id, always, 0, "a thread or process may be named by the id of before") \
  ROW(rt_sigqueueinfo, 129, restarted, trap_signal_to_id, always, 0, "a thread or process may be named by the id of before") \
  ROW(rt_tgsigqueueinfo, 297, restarted, trap_signal_to_id, always, 0, "a thread or process may be named by the id of before") \
  ROW(getpgid, 121, restarted, trap_told_process, always, 0, "the program is told the id of before") \
  ROW(getsid, 124, restarted, trap_told_process, always, 0, "the program is told the id of before") \
  ROW(clock_getres, 229, restarted, trap_clock_getres, always, 0, "a process's clock may be named by the id of before") \
  ROW(prlimit64, 302, restarted, trap_call_of_id, argument_set, 0, "a thread or process may be named by the id of before") \
  ROW(getpriority, 140, restarted, trap_call_of_id, argument_set, 1, "a thread or process may be named by the id of before") \
  ROW(setpriority, 141, restarted, trap_call_of_id, argument_set, 1, "a thread or process may be named by the id of before") \
  ROW(ioprio_get, 252, restarted, trap_call_of_id, argument_set, 1, "a thread or process may be named by the id of before") \
  ROW(ioprio_set, 251, restarted, trap_call_of_id, argument_set, 1, "a thread or process may be named by the id of before") \
  ROW(sched_setparam, 142, restarted, trap_call_of_id, argument_set, 0, "a thread or process may be named by the id of before") \
  ROW(sched_getparam, 143, restarted, trap_call_of_id, argument_set, 0, "a thread or process may be named by the id of before") \
  ROW(sched_setscheduler, 144, restarted, trap_call_of_id, argument_set, 0, "a thread or process may be named by the id of before") \
  ROW(sched_getscheduler, 145, restarted, trap_call_of_id, argument_set, 0, "a thread or process may be named by the id of before") \
  ROW(sched_rr_get_interval, 148, restarted, trap_call_of_id, argument_set, 0, "a thread or process may be named by the id of before") \
  ROW(sched_setaffinity, 203, restarted, trap_call_of_id, argument_set, 0, "a thread or process may be named by the id of before") \
  ROW(sched_getaffinity, 204, restarted, trap_call_of_id, argument_set, 0, "a thread or process may be named by the id of before") \
  ROW(sched_setattr, 314, restarted, trap_call_of_id, argument_set, 0, "a thread or process may be named by the id of before") \
  ROW(sched_getattr, 315, restarted, trap_call_of_id, argument_set, 0, "a thread or process may be named by the id of before") \
  ROW(move_pages, 279, restarted, trap_call_of_id, argument_set, 0, "a thread or process may be named by the id of before") \
  ROW(migrate_pages, 256, restarted, trap_call_of_id, argument_set, 0, "a thread or process may be named by the id of before") \
  ROW(get_robust_list, 274, restarted, trap_call_of_id, argument_set, 0, "a thread or process may be named by the id of before") \
  ROW(wait4, 61, restarted, trap_wait_for_group, of_group, 0, "a child's group may be named by the id of before") \
  ROW(waitid, 247, restarted, trap_wait_for_group, of_group, 0, "a child's group may be named by the id of before") \
  ROW(setpgid, 109, restarted, trap_call_of_two_ids, always, 0, "both may be named by ids of before") \
  ROW(kcmp, 312, restarted, trap_call_of_two_ids, always, 0, "both may be named by ids of before") \
  ROW(capget, 125, restarted, trap_capabilities, always, 0, "the thread in the header may be named by the id of before") \
  ROW(capset, 126, restarted, trap_capabilities, always, 0, "the thread in the header may be named by the id of before") \
  ROW(timer_create, 222, restarted, trap_timer_create, always, 0, "the thread to be told may be named by the id of before") \
  ROW(process_vm_readv, 310, restarted, trap_call_of_id, always, 0, "a thread or process may be named by the id of before") \
  ROW(process_vm_writev, 311, restarted, trap_call_of_id, always, 0, "a thread or process may be named by the id of before") \
  /* And where the program is told the ids that it had first: INV-90. */ \
  ROW(getpid, 39, told_ids, trap_told_process, always, 0, "the program is told the id of before") \
  ROW(gettid, 186, told_ids, trap_told_thread, always, 0, "the program is told the id of before") \
  ROW(getppid, 110, told_ids, trap_told_process, always, 0, "the program is told the id of before") \
  ROW(getpgrp, 111, told_ids, trap_told_process, always, 0, "the program is told the id of before") \
  ROW(access, 21, told_ids, trap_path_of_id, always, 0, "paths of /proc may have the id of before") \
  ROW(faccessat, 269, told_ids, trap_path_of_id, always, 0, "paths of /proc may have the id of before") \
  ROW(faccessat2, 439, told_ids, trap_path_of_id, always, 0, "paths of /proc may have the id of before") \
  ROW(stat, 4, told_ids, trap_path_of_id, always, 0, "paths of /proc may have the id of before") \
  ROW(lstat, 6, told_ids, trap_path_of_id, always, 0, "paths of /proc may have the id of before") \
  ROW(newfstatat, 262, told_ids, trap_path_of_id, by_name, 3, "paths of /proc may have the id of before") \
  ROW(statx, 332, told_ids, trap_path_of_id, by_name, 2, "paths of /proc may have the id of before") \
  ROW(name_to_handle_at, 303, told_ids, trap_path_of_id, always, 0, "paths of /proc may have the id of before") \
  ROW(statfs, 137, told_ids, trap_path_of_id, always, 0, "paths of /proc may have the id of before") \
  ROW(chdir, 80, told_ids, trap_path_of_id, always, 0, "paths of /proc may have the id of before") \
  ROW(getxattr, 191, told_ids, trap_path_of_id, always, 0, "paths of /proc may have the id of before") \
  ROW(lgetxattr, 192, told_ids, trap_path_of_id, always, 0, "paths of /proc may have the id of before") \
  ROW(listxattr, 194, told_ids, trap_path_of_id, always, 0, "paths of /proc may have the id of before") \
  ROW(llistxattr, 195, told_ids, trap_path_of_id, always, 0, "paths of /proc may have the id of before") \
  ROW(getsockopt, 55, told_ids, trap_peer, of_peer, 0, "the peer may be this process, whose id is told as before")
