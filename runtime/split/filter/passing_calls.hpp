// Rows of the table of system calls (system_calls.hpp): those that the filter lets through, by number.
#pragma once

// ROW(name, number, why mana has nothing to do with it)
#define MANA_PASSING_CALLS(ROW) \
  ROW(write, 1, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(fstat, 5, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(poll, 7, "waits or asks on open descriptors; a checkpoint lets it begin again") \
  ROW(lseek, 8, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(mprotect, 10, "changes or writes memory where it is; a checkpoint asks the kernel what is mapped") \
  ROW(rt_sigreturn, 15, "returns from a handler by a frame that the stub and the kernel made") \
  ROW(pread64, 17, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(pwrite64, 18, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(writev, 20, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(select, 23, "waits or asks on open descriptors; a checkpoint lets it begin again") \
  ROW(sched_yield, 24, "waits; a checkpoint ends it as a signal does, and it continues") \
  ROW(msync, 26, "changes or writes memory where it is; a checkpoint asks the kernel what is mapped") \
  ROW(mincore, 27, "asks only, and nothing of it is kept") \
  ROW(shmget, 29, "uses an object of the system that has a name: it is not in the checkpoint") \
  ROW(shmctl, 31, "uses an object of the system that has a name: it is not in the checkpoint") \
  ROW(pause, 34, "waits; a checkpoint ends it as a signal does, and it continues") \
  ROW(nanosleep, 35, "waits; a checkpoint ends it as a signal does, and it continues") \
  ROW(getitimer, 36, "asks only, and nothing of it is kept") \
  ROW(alarm, 37, "sets what a checkpoint asks the kernel for") \
  ROW(setitimer, 38, "sets what a checkpoint asks the kernel for") \
  ROW(sendfile, 40, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(connect, 42, "uses an open socket; a checkpoint asks the kernel for its state") \
  ROW(sendto, 44, "uses an open socket; a checkpoint asks the kernel for its state") \
  ROW(sendmsg, 46, "uses an open socket; a checkpoint asks the kernel for its state") \
  ROW(shutdown, 48, "uses an open socket; a checkpoint asks the kernel for its state") \
  ROW(bind, 49, "uses an open socket; a checkpoint asks the kernel for its state") \
  ROW(listen, 50, "uses an open socket; a checkpoint asks the kernel for its state") \
  ROW(getsockname, 51, "uses an open socket; a checkpoint asks the kernel for its state") \
  ROW(getpeername, 52, "uses an open socket; a checkpoint asks the kernel for its state") \
  ROW(setsockopt, 54, "uses an open socket; a checkpoint asks the kernel for its state") \
  ROW(vfork, 58, "the child runs in the borrowed memory until it executes or ends; its own calls are trapped") \
  ROW(uname, 63, "asks only, and nothing of it is kept") \
  ROW(semget, 64, "uses an object of the system that has a name: it is not in the checkpoint") \
  ROW(semop, 65, "uses an object of the system that has a name: it is not in the checkpoint") \
  ROW(semctl, 66, "uses an object of the system that has a name: it is not in the checkpoint") \
  ROW(msgget, 68, "uses an object of the system that has a name: it is not in the checkpoint") \
  ROW(msgsnd, 69, "uses an object of the system that has a name: it is not in the checkpoint") \
  ROW(msgrcv, 70, "uses an object of the system that has a name: it is not in the checkpoint") \
  ROW(msgctl, 71, "uses an object of the system that has a name: it is not in the checkpoint") \
  ROW(flock, 73, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(fsync, 74, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(fdatasync, 75, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(truncate, 76, "acts on the file of a path, which is outside the checkpoint") \
  ROW(ftruncate, 77, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(getdents, 78, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(getcwd, 79, "asks only, and nothing of it is kept") \
  ROW(fchdir, 81, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(rename, 82, "acts on the file of a path, which is outside the checkpoint") \
  ROW(mkdir, 83, "acts on the file of a path, which is outside the checkpoint") \
  ROW(rmdir, 84, "acts on the file of a path, which is outside the checkpoint") \
  ROW(link, 86, "acts on the file of a path, which is outside the checkpoint") \
  ROW(unlink, 87, "acts on the file of a path, which is outside the checkpoint") \
  ROW(symlink, 88, "acts on the file of a path, which is outside the checkpoint") \
  ROW(chmod, 90, "acts on the file of a path, which is outside the checkpoint") \
  ROW(fchmod, 91, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(chown, 92, "acts on the file of a path, which is outside the checkpoint") \
  ROW(fchown, 93, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(lchown, 94, "acts on the file of a path, which is outside the checkpoint") \
  ROW(umask, 95, "sets what a checkpoint asks the kernel for") \
  ROW(gettimeofday, 96, "shows the time of day, which is the machine's") \
  ROW(getrlimit, 97, "asks only, and nothing of it is kept") \
  ROW(sysinfo, 99, "asks only, and nothing of it is kept") \
  ROW(getuid, 102, "asks only, and nothing of it is kept") \
  ROW(syslog, 103, "needs a right over the machine, and changes the machine, not the process") \
  ROW(getgid, 104, "asks only, and nothing of it is kept") \
  ROW(setuid, 105, "changes whose rights the process has: a checkpoint warns that a restart does not") \
  ROW(setgid, 106, "changes whose rights the process has: a checkpoint warns that a restart does not") \
  ROW(geteuid, 107, "asks only, and nothing of it is kept") \
  ROW(getegid, 108, "asks only, and nothing of it is kept") \
  ROW(setsid, 112, "a group of its own is kept as far as a launcher lets it") \
  ROW(setreuid, 113, "changes whose rights the process has: a checkpoint warns that a restart does not") \
  ROW(setregid, 114, "changes whose rights the process has: a checkpoint warns that a restart does not") \
  ROW(getgroups, 115, "asks only, and nothing of it is kept") \
  ROW(setgroups, 116, "sets what a checkpoint asks the kernel for") \
  ROW(setresuid, 117, "changes whose rights the process has: a checkpoint warns that a restart does not") \
  ROW(getresuid, 118, "asks only, and nothing of it is kept") \
  ROW(setresgid, 119, "changes whose rights the process has: a checkpoint warns that a restart does not") \
  ROW(getresgid, 120, "asks only, and nothing of it is kept") \
  ROW(setfsuid, 122, "changes whose rights the process has: a checkpoint warns that a restart does not") \
  ROW(setfsgid, 123, "changes whose rights the process has: a checkpoint warns that a restart does not") \
  ROW(utime, 132, "acts on the file of a path, which is outside the checkpoint") \
  ROW(mknod, 133, "acts on the file of a path, which is outside the checkpoint") \
  ROW(uselib, 134, "no kernel of x86-64 has it: ENOSYS") \
  ROW(personality, 135, "sets what a checkpoint asks the kernel for") \
  ROW(ustat, 136, "asks only, and nothing of it is kept") \
  ROW(fstatfs, 138, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(sysfs, 139, "asks only, and nothing of it is kept") \
  ROW(sched_get_priority_max, 146, "asks only, and nothing of it is kept") \
  ROW(sched_get_priority_min, 147, "asks only, and nothing of it is kept") \
  ROW(munlock, 150, "changes or writes memory where it is; a checkpoint asks the kernel what is mapped") \
  ROW(vhangup, 153, "needs a right over the machine, and changes the machine, not the process") \
  ROW(modify_ldt, 154, "segments of 32-bit programs") \
  ROW(pivot_root, 155, "needs a right over the machine, and changes the machine, not the process") \
  ROW(_sysctl, 156, "no kernel of x86-64 has it: ENOSYS") \
  ROW(adjtimex, 159, "needs a right over the machine, and changes the machine, not the process") \
  ROW(setrlimit, 160, "sets what a checkpoint asks the kernel for") \
  ROW(chroot, 161, "changes whose rights the process has: a checkpoint warns that a restart does not") \
  ROW(sync, 162, "writes the disks of the machine") \
  ROW(acct, 163, "needs a right over the machine, and changes the machine, not the process") \
  ROW(settimeofday, 164, "needs a right over the machine, and changes the machine, not the process") \
  ROW(mount, 165, "needs a right over the machine, and changes the machine, not the process") \
  ROW(umount2, 166, "needs a right over the machine, and changes the machine, not the process") \
  ROW(swapon, 167, "needs a right over the machine, and changes the machine, not the process") \
  ROW(swapoff, 168, "needs a right over the machine, and changes the machine, not the process") \
  ROW(reboot, 169, "needs a right over the machine, and changes the machine, not the process") \
  ROW(sethostname, 170, "needs a right over the machine, and changes the machine, not the process") \
  ROW(setdomainname, 171, "needs a right over the machine, and changes the machine, not the process") \
  ROW(iopl, 172, "needs a right over the machine, and changes the machine, not the process") \
  ROW(ioperm, 173, "needs a right over the machine, and changes the machine, not the process") \
  ROW(create_module, 174, "no kernel of x86-64 has it: ENOSYS") \
  ROW(init_module, 175, "needs a right over the machine, and changes the machine, not the process") \
  ROW(delete_module, 176, "needs a right over the machine, and changes the machine, not the process") \
  ROW(get_kernel_syms, 177, "no kernel of x86-64 has it: ENOSYS") \
  ROW(query_module, 178, "no kernel of x86-64 has it: ENOSYS") \
  ROW(quotactl, 179, "needs a right over the machine, and changes the machine, not the process") \
  ROW(nfsservctl, 180, "no kernel of x86-64 has it: ENOSYS") \
  ROW(getpmsg, 181, "no kernel of x86-64 has it: ENOSYS") \
  ROW(putpmsg, 182, "no kernel of x86-64 has it: ENOSYS") \
  ROW(afs_syscall, 183, "no kernel of x86-64 has it: ENOSYS") \
  ROW(tuxcall, 184, "no kernel of x86-64 has it: ENOSYS") \
  ROW(security, 185, "no kernel of x86-64 has it: ENOSYS") \
  ROW(readahead, 187, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(setxattr, 188, "acts on the file of a path, which is outside the checkpoint") \
  ROW(lsetxattr, 189, "acts on the file of a path, which is outside the checkpoint") \
  ROW(fsetxattr, 190, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(fgetxattr, 193, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(flistxattr, 196, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(removexattr, 197, "acts on the file of a path, which is outside the checkpoint") \
  ROW(lremovexattr, 198, "acts on the file of a path, which is outside the checkpoint") \
  ROW(fremovexattr, 199, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(time, 201, "shows the time of day, which is the machine's") \
  ROW(set_thread_area, 205, "no kernel of x86-64 has it: ENOSYS") \
  ROW(io_getevents, 208, "waits or asks on open descriptors; a checkpoint lets it begin again") \
  ROW(io_cancel, 210, "takes a request back; a checkpoint waits for what is under way") \
  ROW(get_thread_area, 211, "no kernel of x86-64 has it: ENOSYS") \
  ROW(lookup_dcookie, 212, "asks only, and nothing of it is kept") \
  ROW(epoll_ctl_old, 214, "no kernel of x86-64 has it: ENOSYS") \
  ROW(epoll_wait_old, 215, "no kernel of x86-64 has it: ENOSYS") \
  ROW(remap_file_pages, 216, "changes or writes memory where it is; a checkpoint asks the kernel what is mapped") \
  ROW(getdents64, 217, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(restart_syscall, 219, "the kernel's own continuation of a wait") \
  ROW(semtimedop, 220, "uses an object of the system that has a name: it is not in the checkpoint") \
  ROW(fadvise64, 221, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(timer_gettime, 224, "asks only, and nothing of it is kept") \
  ROW(timer_getoverrun, 225, "asks only, and nothing of it is kept") \
  ROW(timer_delete, 226, "sets what a checkpoint asks the kernel for") \
  ROW(clock_settime, 227, "needs a right over the machine, and changes the machine, not the process") \
  ROW(epoll_wait, 232, "waits or asks on open descriptors; a checkpoint lets it begin again") \
  ROW(epoll_ctl, 233, "changes an open descriptor; a checkpoint asks the kernel for its state") \
  ROW(utimes, 235, "acts on the file of a path, which is outside the checkpoint") \
  ROW(vserver, 236, "no kernel of x86-64 has it: ENOSYS") \
  ROW(set_mempolicy, 238, "sets what a checkpoint asks the kernel for") \
  ROW(get_mempolicy, 239, "asks only, and nothing of it is kept") \
  ROW(mq_unlink, 241, "acts on the file of a path, which is outside the checkpoint") \
  ROW(mq_timedsend, 242, "changes an open descriptor; a checkpoint asks the kernel for its state") \
  ROW(mq_timedreceive, 243, "changes an open descriptor; a checkpoint asks the kernel for its state") \
  ROW(mq_getsetattr, 245, "changes an open descriptor; a checkpoint asks the kernel for its state") \
  ROW(kexec_load, 246, "needs a right over the machine, and changes the machine, not the process") \
  ROW(add_key, 248, "changes whose rights the process has: a checkpoint warns that a restart does not") \
  ROW(request_key, 249, "changes whose rights the process has: a checkpoint warns that a restart does not") \
  ROW(keyctl, 250, "changes whose rights the process has: a checkpoint warns that a restart does not") \
  ROW(inotify_rm_watch, 255, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(mkdirat, 258, "acts on the file of a path, which is outside the checkpoint") \
  ROW(mknodat, 259, "acts on the file of a path, which is outside the checkpoint") \
  ROW(fchownat, 260, "acts on the file of a path, which is outside the checkpoint") \
  ROW(futimesat, 261, "acts on the file of a path, which is outside the checkpoint") \
  ROW(unlinkat, 263, "acts on the file of a path, which is outside the checkpoint") \
  ROW(renameat, 264, "acts on the file of a path, which is outside the checkpoint") \
  ROW(linkat, 265, "acts on the file of a path, which is outside the checkpoint") \
  ROW(symlinkat, 266, "acts on the file of a path, which is outside the checkpoint") \
  ROW(fchmodat, 268, "acts on the file of a path, which is outside the checkpoint") \
  ROW(unshare, 272, "changes whose rights the process has: a checkpoint warns that a restart does not") \
  ROW(tee, 276, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(sync_file_range, 277, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(vmsplice, 278, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(utimensat, 280, "acts on the file of a path, which is outside the checkpoint") \
  ROW(fallocate, 285, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(timerfd_gettime, 287, "changes an open descriptor; a checkpoint asks the kernel for its state") \
  ROW(preadv, 295, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(pwritev, 296, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(fanotify_mark, 301, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(clock_adjtime, 305, "needs a right over the machine, and changes the machine, not the process") \
  ROW(syncfs, 306, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(sendmmsg, 307, "uses an open socket; a checkpoint asks the kernel for its state") \
  ROW(setns, 308, "changes whose rights the process has: a checkpoint warns that a restart does not") \
  ROW(getcpu, 309, "asks only, and nothing of it is kept") \
  ROW(finit_module, 313, "needs a right over the machine, and changes the machine, not the process") \
  ROW(renameat2, 316, "acts on the file of a path, which is outside the checkpoint") \
  ROW(seccomp, 317, "changes whose rights the process has: a checkpoint warns that a restart does not") \
  ROW(getrandom, 318, "asks only, and nothing of it is kept") \
  ROW(kexec_file_load, 320, "needs a right over the machine, and changes the machine, not the process") \
  ROW(membarrier, 324, "sets what a checkpoint asks the kernel for") \
  ROW(copy_file_range, 326, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(pwritev2, 328, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(pkey_mprotect, 329, "changes or writes memory where it is; a checkpoint asks the kernel what is mapped") \
  ROW(pkey_free, 331, "takes a key of memory back; a checkpoint warns of keys") \
  ROW(pidfd_send_signal, 424, "sends a signal to an open descriptor of a process") \
  ROW(io_uring_register, 427, "changes an open descriptor; a checkpoint asks the kernel for its state") \
  ROW(move_mount, 429, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(fsconfig, 431, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(mount_setattr, 442, "needs a right over the machine, and changes the machine, not the process") \
  ROW(quotactl_fd, 443, "needs a right over the machine, and changes the machine, not the process") \
  ROW(landlock_add_rule, 445, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(process_mrelease, 448, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(set_mempolicy_home_node, 450, "changes or writes memory where it is; a checkpoint asks the kernel what is mapped") \
  ROW(cachestat, 451, "uses an open descriptor: the program's numbers are the kernel's") \
  ROW(fchmodat2, 452, "acts on the file of a path, which is outside the checkpoint") \
  ROW(map_shadow_stack, 453, "maps a shadow stack where the kernel likes: libc alone asks for one, and the program's does not") \
  ROW(futex_wake, 454, "waits; a checkpoint ends it as a signal does, and it continues") \
  ROW(futex_requeue, 456, "waits; a checkpoint ends it as a signal does, and it continues") \
  ROW(statmount, 457, "asks only, and nothing of it is kept") \
  ROW(listmount, 458, "asks only, and nothing of it is kept") \
  ROW(lsm_get_self_attr, 459, "asks only, and nothing of it is kept") \
  ROW(lsm_set_self_attr, 460, "changes whose rights the process has: a checkpoint warns that a restart does not") \
  ROW(lsm_list_modules, 461, "asks only, and nothing of it is kept")
