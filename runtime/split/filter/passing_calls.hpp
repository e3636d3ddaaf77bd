// Rows of the table of system calls (system_calls.hpp): the calls that the filter lets through, by number.
#pragma once

// ROW(name, number, why mana ignores it)
#define MANA_PASSING_CALLS(ROW) \
  ROW(write, 1, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(fstat, 5, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(poll, 7, "waits on open descriptors or asks for their state; after a checkpoint the call begins again") \
  ROW(lseek, 8, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(mprotect, 10, "changes or writes memory in place; a checkpoint asks the kernel what is mapped") \
  ROW(rt_sigreturn, 15, "returns from a handler through a frame that the stub and the kernel made") \
  ROW(pread64, 17, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(pwrite64, 18, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(writev, 20, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(select, 23, "waits on open descriptors or asks for their state; after a checkpoint the call begins again") \
  ROW(sched_yield, 24, "waits; a checkpoint interrupts the wait as a signal does, and the wait continues") \
  ROW(msync, 26, "changes or writes memory in place; a checkpoint asks the kernel what is mapped") \
  ROW(mincore, 27, "only asks; the kernel keeps nothing") \
  ROW(shmget, 29, "uses a named object of the system, which is not in the checkpoint") \
  ROW(shmctl, 31, "uses a named object of the system, which is not in the checkpoint") \
  ROW(pause, 34, "waits; a checkpoint interrupts the wait as a signal does, and the wait continues") \
  ROW(nanosleep, 35, "waits; a checkpoint interrupts the wait as a signal does, and the wait continues") \
  ROW(getitimer, 36, "only asks; the kernel keeps nothing") \
  ROW(alarm, 37, "sets a value that a checkpoint asks the kernel for") \
  ROW(setitimer, 38, "sets a value that a checkpoint asks the kernel for") \
  ROW(sendfile, 40, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(connect, 42, "uses an open socket; a checkpoint asks the kernel for its state") \
  ROW(sendto, 44, "uses an open socket; a checkpoint asks the kernel for its state") \
  ROW(sendmsg, 46, "uses an open socket; a checkpoint asks the kernel for its state") \
  ROW(shutdown, 48, "uses an open socket; a checkpoint asks the kernel for its state") \
  ROW(bind, 49, "uses an open socket; a checkpoint asks the kernel for its state") \
  ROW(listen, 50, "uses an open socket; a checkpoint asks the kernel for its state") \
  ROW(getsockname, 51, "uses an open socket; a checkpoint asks the kernel for its state") \
  ROW(getpeername, 52, "uses an open socket; a checkpoint asks the kernel for its state") \
  ROW(setsockopt, 54, "uses an open socket; a checkpoint asks the kernel for its state") \
  ROW(vfork, 58, "the child runs in the parent's memory until it executes a program or ends; its own calls are trapped") \
  ROW(uname, 63, "only asks; the kernel keeps nothing") \
  ROW(semget, 64, "uses a named object of the system, which is not in the checkpoint") \
  ROW(semop, 65, "uses a named object of the system, which is not in the checkpoint") \
  ROW(semctl, 66, "uses a named object of the system, which is not in the checkpoint") \
  ROW(msgget, 68, "uses a named object of the system, which is not in the checkpoint") \
  ROW(msgsnd, 69, "uses a named object of the system, which is not in the checkpoint") \
  ROW(msgrcv, 70, "uses a named object of the system, which is not in the checkpoint") \
  ROW(msgctl, 71, "uses a named object of the system, which is not in the checkpoint") \
  ROW(flock, 73, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(fsync, 74, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(fdatasync, 75, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(truncate, 76, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(ftruncate, 77, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(getdents, 78, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(getcwd, 79, "only asks; the kernel keeps nothing") \
  ROW(fchdir, 81, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(rename, 82, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(mkdir, 83, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(rmdir, 84, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(link, 86, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(unlink, 87, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(symlink, 88, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(chmod, 90, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(fchmod, 91, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(chown, 92, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(fchown, 93, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(lchown, 94, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(umask, 95, "sets a value that a checkpoint asks the kernel for") \
  ROW(gettimeofday, 96, "shows the time of day, which is the machine's own") \
  ROW(getrlimit, 97, "only asks; the kernel keeps nothing") \
  ROW(sysinfo, 99, "only asks; the kernel keeps nothing") \
  ROW(getuid, 102, "only asks; the kernel keeps nothing") \
  ROW(syslog, 103, "needs a privilege, and changes the machine, not the process") \
  ROW(getgid, 104, "only asks; the kernel keeps nothing") \
  ROW(setuid, 105, "changes the process's rights: a checkpoint warns that a restart does not restore them") \
  ROW(setgid, 106, "changes the process's rights: a checkpoint warns that a restart does not restore them") \
  ROW(geteuid, 107, "only asks; the kernel keeps nothing") \
  ROW(getegid, 108, "only asks; the kernel keeps nothing") \
  ROW(setsid, 112, "a restart keeps the program's own session as far as the launcher allows") \
  ROW(setreuid, 113, "changes the process's rights: a checkpoint warns that a restart does not restore them") \
  ROW(setregid, 114, "changes the process's rights: a checkpoint warns that a restart does not restore them") \
  ROW(getgroups, 115, "only asks; the kernel keeps nothing") \
  ROW(setgroups, 116, "sets a value that a checkpoint asks the kernel for") \
  ROW(setresuid, 117, "changes the process's rights: a checkpoint warns that a restart does not restore them") \
  ROW(getresuid, 118, "only asks; the kernel keeps nothing") \
  ROW(setresgid, 119, "changes the process's rights: a checkpoint warns that a restart does not restore them") \
  ROW(getresgid, 120, "only asks; the kernel keeps nothing") \
  ROW(setfsuid, 122, "changes the process's rights: a checkpoint warns that a restart does not restore them") \
  ROW(setfsgid, 123, "changes the process's rights: a checkpoint warns that a restart does not restore them") \
  ROW(utime, 132, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(mknod, 133, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(uselib, 134, "no kernel of x86-64 has it: ENOSYS") \
  ROW(personality, 135, "sets a value that a checkpoint asks the kernel for") \
  ROW(ustat, 136, "only asks; the kernel keeps nothing") \
  ROW(fstatfs, 138, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(sysfs, 139, "only asks; the kernel keeps nothing") \
  ROW(sched_get_priority_max, 146, "only asks; the kernel keeps nothing") \
  ROW(sched_get_priority_min, 147, "only asks; the kernel keeps nothing") \
  ROW(munlock, 150, "changes or writes memory in place; a checkpoint asks the kernel what is mapped") \
  ROW(vhangup, 153, "needs a privilege, and changes the machine, not the process") \
  ROW(modify_ldt, 154, "segments of 32-bit programs") \
  ROW(pivot_root, 155, "needs a privilege, and changes the machine, not the process") \
  ROW(_sysctl, 156, "no kernel of x86-64 has it: ENOSYS") \
  ROW(adjtimex, 159, "needs a privilege, and changes the machine, not the process") \
  ROW(setrlimit, 160, "sets a value that a checkpoint asks the kernel for") \
  ROW(chroot, 161, "changes the process's rights: a checkpoint warns that a restart does not restore them") \
  ROW(sync, 162, "writes the disks of the machine") \
  ROW(acct, 163, "needs a privilege, and changes the machine, not the process") \
  ROW(settimeofday, 164, "needs a privilege, and changes the machine, not the process") \
  ROW(mount, 165, "needs a privilege, and changes the machine, not the process") \
  ROW(umount2, 166, "needs a privilege, and changes the machine, not the process") \
  ROW(swapon, 167, "needs a privilege, and changes the machine, not the process") \
  ROW(swapoff, 168, "needs a privilege, and changes the machine, not the process") \
  ROW(reboot, 169, "needs a privilege, and changes the machine, not the process") \
  ROW(sethostname, 170, "needs a privilege, and changes the machine, not the process") \
  ROW(setdomainname, 171, "needs a privilege, and changes the machine, not the process") \
  ROW(iopl, 172, "needs a privilege, and changes the machine, not the process") \
  ROW(ioperm, 173, "needs a privilege, and changes the machine, not the process") \
  ROW(create_module, 174, "no kernel of x86-64 has it: ENOSYS") \
  ROW(init_module, 175, "needs a privilege, and changes the machine, not the process") \
  ROW(delete_module, 176, "needs a privilege, and changes the machine, not the process") \
  ROW(get_kernel_syms, 177, "no kernel of x86-64 has it: ENOSYS") \
  ROW(query_module, 178, "no kernel of x86-64 has it: ENOSYS") \
  ROW(quotactl, 179, "needs a privilege, and changes the machine, not the process") \
  ROW(nfsservctl, 180, "no kernel of x86-64 has it: ENOSYS") \
  ROW(getpmsg, 181, "no kernel of x86-64 has it: ENOSYS") \
  ROW(putpmsg, 182, "no kernel of x86-64 has it: ENOSYS") \
  ROW(afs_syscall, 183, "no kernel of x86-64 has it: ENOSYS") \
  ROW(tuxcall, 184, "no kernel of x86-64 has it: ENOSYS") \
  ROW(security, 185, "no kernel of x86-64 has it: ENOSYS") \
  ROW(readahead, 187, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(setxattr, 188, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(lsetxattr, 189, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(fsetxattr, 190, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(fgetxattr, 193, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(flistxattr, 196, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(removexattr, 197, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(lremovexattr, 198, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(fremovexattr, 199, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(time, 201, "shows the time of day, which is the machine's own") \
  ROW(set_thread_area, 205, "no kernel of x86-64 has it: ENOSYS") \
  ROW(io_getevents, 208, "waits on open descriptors or asks for their state; after a checkpoint the call begins again") \
  ROW(io_cancel, 210, "cancels a request; a checkpoint waits for requests under way") \
  ROW(get_thread_area, 211, "no kernel of x86-64 has it: ENOSYS") \
  ROW(lookup_dcookie, 212, "only asks; the kernel keeps nothing") \
  ROW(epoll_ctl_old, 214, "no kernel of x86-64 has it: ENOSYS") \
  ROW(epoll_wait_old, 215, "no kernel of x86-64 has it: ENOSYS") \
  ROW(remap_file_pages, 216, "changes or writes memory in place; a checkpoint asks the kernel what is mapped") \
  ROW(getdents64, 217, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(restart_syscall, 219, "the kernel's own continuation of a wait") \
  ROW(semtimedop, 220, "uses a named object of the system, which is not in the checkpoint") \
  ROW(fadvise64, 221, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(timer_gettime, 224, "only asks; the kernel keeps nothing") \
  ROW(timer_getoverrun, 225, "only asks; the kernel keeps nothing") \
  ROW(timer_delete, 226, "sets a value that a checkpoint asks the kernel for") \
  ROW(clock_settime, 227, "needs a privilege, and changes the machine, not the process") \
  ROW(epoll_wait, 232, "waits on open descriptors or asks for their state; after a checkpoint the call begins again") \
  ROW(epoll_ctl, 233, "changes an open descriptor; a checkpoint asks the kernel for its state") \
  ROW(utimes, 235, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(vserver, 236, "no kernel of x86-64 has it: ENOSYS") \
  ROW(set_mempolicy, 238, "sets a value that a checkpoint asks the kernel for") \
  ROW(get_mempolicy, 239, "only asks; the kernel keeps nothing") \
  ROW(mq_unlink, 241, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(mq_timedsend, 242, "changes an open descriptor; a checkpoint asks the kernel for its state") \
  ROW(mq_timedreceive, 243, "changes an open descriptor; a checkpoint asks the kernel for its state") \
  ROW(mq_getsetattr, 245, "changes an open descriptor; a checkpoint asks the kernel for its state") \
  ROW(kexec_load, 246, "needs a privilege, and changes the machine, not the process") \
  ROW(add_key, 248, "changes the process's rights: a checkpoint warns that a restart does not restore them") \
  ROW(request_key, 249, "changes the process's rights: a checkpoint warns that a restart does not restore them") \
  ROW(keyctl, 250, "changes the process's rights: a checkpoint warns that a restart does not restore them") \
  ROW(inotify_rm_watch, 255, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(mkdirat, 258, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(mknodat, 259, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(fchownat, 260, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(futimesat, 261, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(unlinkat, 263, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(renameat, 264, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(linkat, 265, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(symlinkat, 266, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(fchmodat, 268, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(unshare, 272, "changes the process's rights: a checkpoint warns that a restart does not restore them") \
  ROW(tee, 276, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(sync_file_range, 277, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(vmsplice, 278, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(utimensat, 280, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(fallocate, 285, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(timerfd_gettime, 287, "changes an open descriptor; a checkpoint asks the kernel for its state") \
  ROW(preadv, 295, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(pwritev, 296, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(fanotify_mark, 301, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(clock_adjtime, 305, "needs a privilege, and changes the machine, not the process") \
  ROW(syncfs, 306, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(sendmmsg, 307, "uses an open socket; a checkpoint asks the kernel for its state") \
  ROW(setns, 308, "changes the process's rights: a checkpoint warns that a restart does not restore them") \
  ROW(getcpu, 309, "only asks; the kernel keeps nothing") \
  ROW(finit_module, 313, "needs a privilege, and changes the machine, not the process") \
  ROW(renameat2, 316, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(seccomp, 317, "changes the process's rights: a checkpoint warns that a restart does not restore them") \
  ROW(getrandom, 318, "only asks; the kernel keeps nothing") \
  ROW(kexec_file_load, 320, "needs a privilege, and changes the machine, not the process") \
  ROW(membarrier, 324, "sets a value that a checkpoint asks the kernel for") \
  ROW(copy_file_range, 326, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(pwritev2, 328, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(pkey_mprotect, 329, "changes or writes memory in place; a checkpoint asks the kernel what is mapped") \
  ROW(pkey_free, 331, "frees a protection key; a checkpoint warns of keys") \
  ROW(pidfd_send_signal, 424, "sends a signal to an open descriptor of a process") \
  ROW(io_uring_register, 427, "changes an open descriptor; a checkpoint asks the kernel for its state") \
  ROW(move_mount, 429, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(fsconfig, 431, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(mount_setattr, 442, "needs a privilege, and changes the machine, not the process") \
  ROW(quotactl_fd, 443, "needs a privilege, and changes the machine, not the process") \
  ROW(landlock_add_rule, 445, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(process_mrelease, 448, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(set_mempolicy_home_node, 450, "changes or writes memory in place; a checkpoint asks the kernel what is mapped") \
  ROW(cachestat, 451, "uses an open descriptor: the program's and the kernel's numbers are the same") \
  ROW(fchmodat2, 452, "acts on the file of a path; the file is outside the checkpoint") \
  ROW(map_shadow_stack, 453, "maps a shadow stack at an address of the kernel's choice; only libc asks for one, and the program's libc does not") \
  ROW(futex_wake, 454, "waits; a checkpoint interrupts the wait as a signal does, and the wait continues") \
  ROW(futex_requeue, 456, "waits; a checkpoint interrupts the wait as a signal does, and the wait continues") \
  ROW(statmount, 457, "only asks; the kernel keeps nothing") \
  ROW(listmount, 458, "only asks; the kernel keeps nothing") \
  ROW(lsm_get_self_attr, 459, "only asks; the kernel keeps nothing") \
  ROW(lsm_set_self_attr, 460, "changes the process's rights: a checkpoint warns that a restart does not restore them") \
  ROW(lsm_list_modules, 461, "only asks; the kernel keeps nothing")
