// Facts of x86-64 in ELF files and the dynamic linker.
#pragma once
#include <elf.h>

#include <cstdint>

namespace mana::arch {

inline constexpr std::uint16_t elf_machine = EM_X86_64;
inline constexpr char name[] = "x86-64";                    // for people
inline constexpr char platform[] = "x86_64";                // AT_PLATFORM
inline constexpr std::int32_t cached_library = 0x0303;      // flags of /etc/ld.so.cache: FLAG_X8664_LIB64 | FLAG_ELF_LIBC6
inline constexpr const char* library_folders[] = {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64",
                                                  "/lib", "/usr/lib"};

}  // namespace mana::arch
