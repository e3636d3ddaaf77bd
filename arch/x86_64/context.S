# mana_save_context, mana_restore_context: layout of mana::lower::context, see include/mana/lower/abi.hpp.
# Usable in any state: no stack beyond the return address, no thread-local storage.
# mana_call_on_stack: the caller's stack is found again through rbp, which the frames above preserve.
    .text
    .globl mana_save_context
    .type mana_save_context, @function
mana_save_context:
    mov %rbx, 0(%rdi)
    mov %rbp, 8(%rdi)
    mov %r12, 16(%rdi)
    mov %r13, 24(%rdi)
    mov %r14, 32(%rdi)
    mov %r15, 40(%rdi)
    lea 8(%rsp), %rax           # the stack as the caller sees it after the return
    mov %rax, 48(%rdi)
    mov (%rsp), %rax
    mov %rax, 56(%rdi)
    stmxcsr 64(%rdi)
    movl $0, 68(%rdi)
    fnstcw 68(%rdi)
    xor %eax, %eax
    ret
    .size mana_save_context, . - mana_save_context

    .globl mana_restore_context
    .type mana_restore_context, @function
mana_restore_context:
    mov 0(%rdi), %rbx
    mov 8(%rdi), %rbp
    mov 16(%rdi), %r12
    mov 24(%rdi), %r13
    mov 32(%rdi), %r14
    mov 40(%rdi), %r15
    ldmxcsr 64(%rdi)
    fldcw 68(%rdi)
    mov 48(%rdi), %rsp
    mov 56(%rdi), %rcx
    mov $1, %eax
    jmp *%rcx
    .size mana_restore_context, . - mana_restore_context

    .globl mana_call_on_stack
    .type mana_call_on_stack, @function
mana_call_on_stack:
    .cfi_startproc
    .cfi_signal_frame                  // without it, debuggers expect a caller's frame on the same stack
    push %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    mov %rdi, %rsp
    mov %rdx, %rdi
    call *%rsi
    mov %rbp, %rsp
    pop %rbp
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size mana_call_on_stack, . - mana_call_on_stack
    .section .note.GNU-stack, "", @progbits
