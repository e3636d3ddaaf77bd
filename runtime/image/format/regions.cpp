#include <runtime/image/format/regions.hpp>

#include <runtime/files/image_error.hpp>

#include <mana/lower/zones.hpp>

#include <sys/mman.h>
#include <sys/sysmacros.h>

#include <cstdio>
#include <cstring>
#include <fstream>

namespace mana::image {

namespace {

/// One line of /proc/self/maps: "begin-end rwxp offset dev inode   path".
bool parse_line(const std::string& line, region& out) {
  unsigned long begin = 0, end = 0, offset = 0, inode = 0;
  unsigned device_class = 0, device = 0;
  char mode[5] = {};
  int path_at = 0;
  if (std::sscanf(line.c_str(), "%lx-%lx %4s %lx %x:%x %lu %n", &begin, &end, mode, &offset, &device_class, &device,
                  &inode, &path_at) < 7)
    return false;
  out.device = makedev(device_class, device);
  out.inode = inode;
  out.begin = begin;
  out.end = end;
  out.offset = offset;
  out.protection =
      (mode[0] == 'r' ? PROT_READ : 0) | (mode[1] == 'w' ? PROT_WRITE : 0) | (mode[2] == 'x' ? PROT_EXEC : 0);
  out.shared = mode[3] == 's';
  out.path = path_at > 0 && static_cast<std::size_t>(path_at) < line.size()
                 ? line.substr(static_cast<std::size_t>(path_at))
                 : "";
  if (out.path.starts_with("anon_inode:")) out.kernels = out.path;
  if (!out.path.empty() && out.path[0] != '/') out.path.clear();   // "[heap]", "[anon:…]"
  out.is_file = !out.path.empty();
  return true;
}

/// A ring of the kernel's asynchronous I/O. The section "process" has its contents.
bool is_async_ring(const region& r) { return r.shared && r.path == "/[aio] (deleted)"; }

}  // namespace

std::vector<region> upper_regions(std::uintptr_t fixed_begin, std::uintptr_t fixed_end) {
  std::ifstream maps("/proc/self/maps");
  std::vector<region> found;
  std::string line;
  while (std::getline(maps, line)) {
    region r{};
    if (!parse_line(line, r) || is_async_ring(r)) continue;
    const bool in_window = (r.begin >= lower::window_begin && r.end <= lower::window_end) ||
                           lower::is_in_low_zone(r.begin, r.end);
    const bool in_program = r.begin >= fixed_begin && r.end <= fixed_end;
    if (in_window || in_program) found.push_back(std::move(r));
  }
  if (found.empty())
    throw files::image_error(files::error_kind::io,
                             "/proc/self/maps does not show the program's memory: is /proc mounted?");
  return found;
}

}  // namespace mana::image
