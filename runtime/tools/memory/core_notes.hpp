// The notes of a core dump: threads and their registers, the process, the mapped files, the auxiliary vector.
#pragma once
#include <runtime/tools/memory/saved_memory.hpp>

#include <vector>

namespace mana::tools {

/// out: the contents of a PT_NOTE segment (elf.h: NT_PRSTATUS, NT_PRPSINFO, NT_AUXV, NT_FILE)
std::vector<char> core_notes(const saved_memory& memory);

}  // namespace mana::tools
