// Tests may run as root, whom no mode of a file keeps from anything.
#pragma once
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

/// From now on this process is kept from files by their modes, as ordinary users are: for a child of a test.
inline void give_up_rights_over_files() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  if (syscall(SYS_capget, &header, data) != 0) return;
  data[0].effective &= ~(1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH);
  syscall(SYS_capset, &header, data);
}
