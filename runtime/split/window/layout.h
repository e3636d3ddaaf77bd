/* Offsets and addresses for the stub's assembly. Checked against the C++ layouts in layout_check.cpp. */
#ifndef MANA_STUB_LAYOUT_H
#define MANA_STUB_LAYOUT_H

#define STUB_VDSO_TABLE_OFFSET 96      /* of bridge::vdso, from bridge_address */
#define STUB_VDSO_TABLE (0x200000000000 + STUB_VDSO_TABLE_OFFSET)
#define STUB_GS_VDSO_FRAME 168          /* thread_block::vdso_frame */

/* Slots of bridge::vdso behind the five functions: the live vDSO's address range. */
#define STUB_VDSO_BEGIN_SLOT 5
#define STUB_VDSO_END_SLOT 6

/* Frame of a call that the stub makes for a trap, below the caller's red zone. Offsets from the stack pointer. */
#define STUB_CALL_MASK 0                /* copy of a signal mask */
#define STUB_CALL_RETURN 8              /* instruction after the trapped one */
#define STUB_CALL_NUMBER 16             /* system call number */
#define STUB_CALL_PAIR 24               /* pselect6's { mask, size } */
#define STUB_CALL_RDI 40                /* arguments as the program gave them: a system call changes only %rax, %rcx, %r11 */
#define STUB_CALL_R8 48
#define STUB_CALL_R9 56
#define STUB_CALL_R10 64
#define STUB_CALL_RING 80               /* copy of io_uring_enter's argument, 24 bytes */
#define STUB_CALL_BYTES 240             /* the frame (112) and the 128 bytes of red zone */

/* The same frame for a call that names a thread or process, or for a wait until a time of the program's clock. The deadline
   by the kernel's clock is in STUB_CALL_PAIR. */
#define STUB_TIMED_RDX STUB_CALL_MASK   /* the program's: clock_nanosleep has its time in %rdx */
#define STUB_TIMED_RSI 72               /* the program's: tgkill has a thread's id in %rsi */

/* Frame of a timed wait that is made again (signals.cpp), below the caller's red zone. */
#define STUB_WAIT_TIME 0                /* the remaining time, a timespec that the kernel updates */
#define STUB_WAIT_RETURN 16             /* instruction after the program's call */
#define STUB_WAIT_NUMBER 24
#define STUB_WAIT_RDI 32                /* arguments as the program gave them */
#define STUB_WAIT_RSI 40
#define STUB_WAIT_RDX 48
#define STUB_WAIT_R8 56
#define STUB_WAIT_R10 64
#define STUB_WAIT_LEFT 72               /* the program's address for the remaining time, or null */
#define STUB_WAIT_BYTES 208             /* the frame (80) and the red zone */
#define STUB_WAIT_SECONDS_SHIFT 30      /* in the routine's argument: seconds above nanoseconds */

/* No system call of the kernel's: the stub tells the traps that a descriptor was opened. */
#define STUB_REPORT_NUMBER 0x3d4d41
/* Another number that is no system call: clock_gettime of a clock that may name a thread or process by its id. The filter
   traps all numbers from STUB_REPORT_NUMBER on. */
#define STUB_CLOCK_NUMBER 0x3d4d42

#endif
