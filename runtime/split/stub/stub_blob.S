# The stub's file, as it was linked, in the runtime's read-only data.
    .section .rodata.mana_stub, "a", @progbits
    .globl mana_stub_begin
    .globl mana_stub_end
    .balign 16
mana_stub_begin:
    .incbin MANA_STUB_FILE
mana_stub_end:
    .byte 0
    .section .note.GNU-stack, "", @progbits
