# The stub: the upper half's synthetic vDSO, and all code of the runtime whose addresses a saved signal frame may
# contain. Position: stub_address. Usable: the bridge, %gs. Not: any libc, any relocation.
#include <runtime/split/window/layout.h>

#include <sys/syscall.h>
    .text

# A vDSO function calls the live kernel's, through the bridge. The live vDSO is outside the window, so no signal frame
# may be saved with an address inside the vDSO. Therefore a stack frame keeps all data to make the call again (vDSO
# functions only read), and signals.cpp goes back to `again`. Cost: eleven stores, no branch.
    .macro vdso_function name, index
    .globl \name
    .type \name, @function
\name:
    .cfi_startproc
    sub $88, %rsp
    .cfi_adjust_cfa_offset 88
    mov %gs:STUB_GS_VDSO_FRAME, %rax
    mov %rax, 8(%rsp)                   # of the call that this one interrupts, if any
    movabs $(STUB_VDSO_TABLE + 8 * \index), %rax
    mov %rax, 0(%rsp)
    mov %rbx, 16(%rsp)
    mov %rbp, 24(%rsp)
    mov %r12, 32(%rsp)
    mov %r13, 40(%rsp)
    mov %r14, 48(%rsp)
    mov %r15, 56(%rsp)
    mov %rdi, 64(%rsp)
    mov %rsi, 72(%rsp)
    mov %rdx, 80(%rsp)
    mov %rsp, %gs:STUB_GS_VDSO_FRAME
    call *(%rax)
    mov 8(%rsp), %rcx
    mov %rcx, %gs:STUB_GS_VDSO_FRAME
    add $88, %rsp
    .cfi_adjust_cfa_offset -88
    ret
    .cfi_endproc
    .size \name, . - \name
    .endm

    vdso_function __vdso_clock_gettime, 0
    vdso_function __vdso_gettimeofday, 1
    vdso_function __vdso_time, 2
    vdso_function __vdso_getcpu, 3
    vdso_function __vdso_clock_getres, 4

# Makes the vDSO call of the frame at %rsp again.
    .globl mana_vdso_again
    .hidden mana_vdso_again
    .type mana_vdso_again, @function
mana_vdso_again:
    .cfi_startproc
    .cfi_def_cfa_offset 96
    mov 16(%rsp), %rbx
    mov 24(%rsp), %rbp
    mov 32(%rsp), %r12
    mov 40(%rsp), %r13
    mov 48(%rsp), %r14
    mov 56(%rsp), %r15
    mov 64(%rsp), %rdi
    mov 72(%rsp), %rsi
    mov 80(%rsp), %rdx
    mov 0(%rsp), %rax
    call *(%rax)
    mov 8(%rsp), %rcx
    mov %rcx, %gs:STUB_GS_VDSO_FRAME
    add $88, %rsp
    .cfi_def_cfa_offset 8
    ret
    .cfi_endproc
    .size mana_vdso_again, . - mana_vdso_again

# Makes the system call, for a kernel whose vDSO lacks the function.
    .macro fallback name, number
    .globl \name
    .type \name, @function
\name:
    .cfi_startproc
    mov $\number, %eax
    syscall
    ret
    .cfi_endproc
    .size \name, . - \name
    .endm

    fallback mana_fallback_0, 228       # clock_gettime
    fallback mana_fallback_1, 96        # gettimeofday
    fallback mana_fallback_2, 201       # time
    fallback mana_fallback_3, 309       # getcpu
    fallback mana_fallback_4, 229       # clock_getres

# Return address of every signal handler. Unwinders recognise its bytes, so it has no unwind table. gdb sees that
# the function has a name, and then recognises only the one that libc uses.
    .globl __restore_rt
    .type __restore_rt, @function
    nop                                 # unwinders look one byte before a return address
__restore_rt:
    mov $15, %rax
    syscall
    .size __restore_rt, . - __restore_rt

# Makes a trapped call that blocks, on the frame that the trap has prepared. The filter lets calls from here pass. As
# after any system call, %rcx has the address of the next instruction, and only %rax and %r11 have changed besides.
    .macro begin_call name
    .globl \name
    .type \name, @function
    .globl \name\()_made
    .hidden \name\()_made
\name:
    .cfi_startproc
    .cfi_def_cfa rsp, STUB_CALL_BYTES
    .cfi_offset rip, STUB_CALL_RETURN - STUB_CALL_BYTES
    syscall
\name\()_made:
    .endm

    .macro end_call name
    mov STUB_CALL_RDI(%rsp), %rdi
    mov STUB_CALL_R8(%rsp), %r8
    mov STUB_CALL_R9(%rsp), %r9
    mov STUB_CALL_R10(%rsp), %r10
    mov STUB_CALL_RETURN(%rsp), %rcx
    lea STUB_CALL_BYTES(%rsp), %rsp
    .cfi_def_cfa rsp, 0
    .cfi_register rip, rcx
    jmp *%rcx
    .cfi_endproc
    .size \name, . - \name
    .endm

    begin_call mana_call
    end_call mana_call

# The same for a call that opens a descriptor. A trap of its own reports the result.
    begin_call mana_reported_call
    test %rax, %rax
    js 1f
    mov %rax, %rdi
    mov $STUB_REPORT_NUMBER, %eax
    syscall
1:  end_call mana_reported_call

# The same for a wait until a time of one of the program's clocks, and for a signal to an id of the program. The
# deadline or id here is this process's. Therefore an interruption makes the program's own call again (signals.cpp).
    .globl mana_timed_call_entry
    .hidden mana_timed_call_entry
mana_timed_call_entry:
    begin_call mana_timed_call
    mov STUB_TIMED_RSI(%rsp), %rsi
    mov STUB_TIMED_RDX(%rsp), %rdx
    end_call mana_timed_call

# Makes a relative wait again, for the remaining time, after an interruption by mana. signals.cpp enters it. It puts the
# wait's number (nanosleep, clock_nanosleep or ppoll) into %rax, the address after the program's call into %rcx, and the
# time into %r11: a system call may change these registers. All others are as the program had them.
    .globl mana_wait
    .hidden mana_wait
    .type mana_wait, @function
    .globl mana_wait_made
    .hidden mana_wait_made
mana_wait:
    .cfi_startproc
    .cfi_def_cfa rsp, 0
    .cfi_register rip, rcx
    lea -STUB_WAIT_BYTES(%rsp), %rsp
    .cfi_def_cfa rsp, STUB_WAIT_BYTES
    mov %rcx, STUB_WAIT_RETURN(%rsp)
    .cfi_offset rip, STUB_WAIT_RETURN - STUB_WAIT_BYTES
    mov %rax, STUB_WAIT_NUMBER(%rsp)
    mov %rdi, STUB_WAIT_RDI(%rsp)
    mov %rsi, STUB_WAIT_RSI(%rsp)
    mov %rdx, STUB_WAIT_RDX(%rsp)
    mov %r8, STUB_WAIT_R8(%rsp)
    mov %r10, STUB_WAIT_R10(%rsp)
    mov %r11, %rcx
    shr $STUB_WAIT_SECONDS_SHIFT, %rcx
    mov %rcx, STUB_WAIT_TIME(%rsp)
    and $((1 << STUB_WAIT_SECONDS_SHIFT) - 1), %r11d
    mov %r11, STUB_WAIT_TIME + 8(%rsp)
    lea STUB_WAIT_TIME(%rsp), %rcx
    cmp $SYS_nanosleep, %eax
    je 1f
    cmp $SYS_clock_nanosleep, %eax
    je 2f
    mov %rcx, %rdx                      # ppoll without a mask
    xor %r10d, %r10d
    mov $8, %r8d
    movq $0, STUB_WAIT_LEFT(%rsp)
    jmp 3f
1:  mov %rsi, STUB_WAIT_LEFT(%rsp)
    mov %rcx, %rdi
    mov %rcx, %rsi
    jmp 3f
2:  mov %r10, STUB_WAIT_LEFT(%rsp)
    mov %rcx, %rdx
    mov %rcx, %r10
3:  syscall
mana_wait_made:
    mov STUB_WAIT_RDI(%rsp), %rdi
    mov STUB_WAIT_RSI(%rsp), %rsi
    mov STUB_WAIT_RDX(%rsp), %rdx
    mov STUB_WAIT_R8(%rsp), %r8
    mov STUB_WAIT_R10(%rsp), %r10
    cmp $-4, %rax                       # EINTR, by a signal of the program
    jne 4f
    mov STUB_WAIT_LEFT(%rsp), %r11
    test %r11, %r11
    jz 4f
    mov STUB_WAIT_TIME(%rsp), %rcx
    mov %rcx, (%r11)
    mov STUB_WAIT_TIME + 8(%rsp), %rcx
    mov %rcx, 8(%r11)
4:  mov STUB_WAIT_RETURN(%rsp), %rcx
    lea STUB_WAIT_BYTES(%rsp), %rsp
    .cfi_def_cfa rsp, 0
    .cfi_register rip, rcx
    jmp *%rcx
    .cfi_endproc
    .size mana_wait, . - mana_wait
    .section .note.GNU-stack, "", @progbits
