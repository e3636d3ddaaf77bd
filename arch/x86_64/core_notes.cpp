#include <runtime/tools/memory/core_notes.hpp>

#include <runtime/tools/memory/loaded_objects.hpp>
#include <runtime/tools/memory/memory_kinds.hpp>

#include <runtime/files/read_document.hpp>
#include <runtime/job/run_record.hpp>

#include <elf.h>
#include <sys/procfs.h>

#include <cstring>
#include <filesystem>

namespace mana::tools {
namespace {

class note_writer {
 public:
  void add(std::uint32_t type, const void* bytes, std::size_t n) {
    static constexpr char owner[8] = "CORE";            // padded to four bytes
    const Elf64_Nhdr header{5, static_cast<Elf64_Word>(n), type};
    append(&header, sizeof header);
    append(owner, sizeof owner);
    append(bytes, n);
    out_.resize((out_.size() + 3) / 4 * 4);
  }
  std::vector<char> take() { return std::move(out_); }

 private:
  void append(const void* bytes, std::size_t n) {
    const char* const from = static_cast<const char*>(bytes);
    out_.insert(out_.end(), from, from + n);
  }
  std::vector<char> out_;
};

int process_of(const saved_memory& memory) {
  const image::section* const s = memory.section("process");
  try {
    return s == nullptr ? 1 : files::read_document(s->bytes).at("pid").get<int>();
  } catch (const std::exception&) {
    return 1;
  }
}

/// User mode of x86-64 Linux, as in the kernel's core files.
constexpr unsigned long user_cs = 0x33, user_ss = 0x2b, plain_flags = 0x202;

elf_prstatus status_of(const saved_thread& thread, int pid) {
  elf_prstatus status{};
  status.pr_pid = thread.tid;
  status.pr_pgrp = status.pr_sid = pid;
  user_regs_struct registers{};
  registers.rbx = thread.registers.rbx;
  registers.rbp = thread.registers.rbp;
  registers.r12 = thread.registers.r12;
  registers.r13 = thread.registers.r13;
  registers.r14 = thread.registers.r14;
  registers.r15 = thread.registers.r15;
  registers.rsp = thread.registers.rsp;
  registers.rip = thread.registers.rip;
  registers.fs_base = thread.upper_fs;
  registers.orig_rax = ~0ul;                            // in no system call
  registers.cs = user_cs;
  registers.ss = user_ss;
  registers.eflags = plain_flags;
  static_assert(sizeof registers == sizeof status.pr_reg);
  std::memcpy(&status.pr_reg, &registers, sizeof registers);
  return status;
}

void add_threads(const saved_memory& memory, int pid, note_writer& into) {
  std::vector<saved_thread> threads = threads_of(memory);
  if (threads.empty()) threads.push_back({0, pid, true, 0, 0, {}});      // a core file needs at least one thread
  for (const saved_thread& t : threads) {
    const elf_prstatus status = status_of(t, pid);
    into.add(NT_PRSTATUS, &status, sizeof status);
  }
}

job::run_record record_of(const saved_memory& memory) {
  const image::section* const s = memory.section("run");
  try {
    return s == nullptr ? job::run_record{} : job::decode_run_record(s->bytes);
  } catch (const std::exception&) {
    return {};
  }
}

void add_process(const saved_memory& memory, int pid, note_writer& into) {
  elf_prpsinfo process{};
  process.pr_sname = 'S';
  process.pr_pid = pid;
  const job::run_record record = record_of(memory);
  const std::string name = std::filesystem::path(record.program).filename().string();
  std::string words;
  for (const std::string& word : record.arguments) words += (words.empty() ? "" : " ") + word;
  name.copy(process.pr_fname, sizeof process.pr_fname - 1);
  words.copy(process.pr_psargs, sizeof process.pr_psargs - 1);
  into.add(NT_PRPSINFO, &process, sizeof process);
}

void add_files(const image::contents& about, note_writer& into) {
  std::vector<std::uint64_t> words{0, image::page_bytes};
  std::string names;
  for (const image::region& r : about.regions) {
    if (r.path.empty() || image::seems_contents(r)) continue;
    words.insert(words.end(), {r.begin, r.end, r.offset / image::page_bytes});
    names.append(r.path.c_str(), r.path.size() + 1);
    ++words[0];
  }
  std::vector<char> bytes(words.size() * sizeof words[0]);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  bytes.insert(bytes.end(), names.begin(), names.end());
  into.add(NT_FILE, bytes.data(), bytes.size());
}

/// The address of the program's own dynamic linker; 0: unknown.
std::uintptr_t linker_base(const saved_memory& memory, const std::vector<loaded_object>& objects,
                           const Elf64_Ehdr& header) {
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const auto segment =
        memory.get<Elf64_Phdr>(objects[0].headers + header.e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment || segment->p_type != PT_INTERP) continue;
    const auto name = std::filesystem::path(memory.text(objects[0].bias + segment->p_vaddr)).filename();
    for (const loaded_object& o : objects)
      if (std::filesystem::path(o.path).filename() == name) return o.bias;
  }
  return 0;
}

/// In this vector debuggers find the program's addresses, its libraries, and the functions that replace the kernel's
/// vDSO.
void add_vector(const saved_memory& memory, note_writer& into) {
  const std::vector<loaded_object> objects = loaded_objects(memory);
  const auto header = objects.empty() ? std::nullopt : memory.get<Elf64_Ehdr>(objects[0].headers);
  if (!header) return;
  const std::vector<std::uint64_t> words{AT_PHDR, objects[0].headers + header->e_phoff,
                                         AT_PHENT, sizeof(Elf64_Phdr),
                                         AT_PHNUM, header->e_phnum,
                                         AT_PAGESZ, image::page_bytes,
                                         AT_BASE, linker_base(memory, objects, *header),
                                         AT_ENTRY, objects[0].bias + header->e_entry,
                                         AT_SYSINFO_EHDR, lower::stub_address,
                                         AT_NULL, 0};
  into.add(NT_AUXV, words.data(), words.size() * sizeof words[0]);
}

}  // namespace

std::vector<char> core_notes(const saved_memory& memory) {
  note_writer notes;
  const int pid = process_of(memory);
  add_threads(memory, pid, notes);
  add_process(memory, pid, notes);
  add_vector(memory, notes);
  add_files(memory.about(), notes);
  return notes.take();
}

}  // namespace mana::tools
