#include "image_writer.hpp"

#include "io_error.hpp"

#include <mana/core/fault_points.hpp>
#include <mana/lower/abi.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <utility>

namespace mana::image {

namespace {

void append(std::vector<char>& to, const void* data, std::size_t n) {
  const char* const at = static_cast<const char*>(data);
  to.insert(to.end(), at, at + n);
}

void add(std::vector<char>& to, const section& s) {
  section_header h{};
  s.name.copy(h.name, sizeof h.name - 1);
  h.bytes = s.bytes.size();
  append(to, &h, sizeof h);
  append(to, s.bytes.data(), s.bytes.size());
}

void add(std::vector<char>& to, const region& r) {
  const region_record h{r.begin, r.end, static_cast<std::uint32_t>(r.protection), r.shared ? 1u : 0u, r.offset,
                        r.path.size()};
  append(to, &h, sizeof h);
  append(to, r.path.data(), r.path.size());
}

void add(std::vector<char>& to, const source& s) {
  const source_record h{static_cast<std::uint32_t>(s.kind), static_cast<std::uint32_t>(s.name.size()), s.generation,
                        s.identity};
  append(to, &h, sizeof h);
  append(to, s.name.data(), s.name.size());
}

file_header header_of(const image_plan& plan) noexcept {
  file_header h{};
  h.magic = file_magic;
  h.version = format_version;
  h.abi_version = lower::abi_version;
  h.rank = plan.rank;
  h.world_size = plan.world_size;
  h.page_bytes = page_bytes;
  std::copy(std::begin(plan.needed.words), std::end(plan.needed.words), h.cpu_features);
  h.checksum = XXH3_64bits(&h, offsetof(file_header, checksum));
  return h;
}

/// What a shared mapping of a file shows is in the file; only what the program could have changed is kept.
bool holds_memory(const region& r) noexcept { return !maps_file_again(r) || (r.protection & PROT_WRITE) != 0; }

std::uint64_t resident_bytes() {
  std::uint64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * page_bytes;
}

/// About: of anonymous memory no more than what this process has of any. That of files all may be touched.
std::uint64_t bytes_to_copy(const std::vector<region>& regions) {
  std::uint64_t anonymous = 0, of_files = 0;
  for (const region& r : regions)
    if (holds_memory(r)) (r.is_file || r.shared ? of_files : anonymous) += r.end - r.begin;
  return of_files + std::min(anonymous, resident_bytes());
}

}  // namespace

base_image as_base(const contents& from, std::uint64_t generation, const std::string& name) {
  base_image base;
  base.sources.push_back({source_kind::generation, generation, from.identity, name});
  base.chunks = from.chunks;
  std::vector<std::uint16_t> number(from.sources.size() + 1, 0);     // of a source in the base's list; 0: not in it
  number[0] = 1;
  for (chunk_record& c : base.chunks) {
    std::uint16_t& n = number[c.source];
    if (n == 0) {
      base.sources.push_back(from.sources[c.source - 1u]);
      n = static_cast<std::uint16_t>(base.sources.size());
    }
    c.source = n;
  }
  return base;
}

image_writer::image_writer(image_plan plan)
    : plan_(std::move(plan)), out_(plan_.path, plan_.most_per_s), memory_(plan_.pages != nullptr ? *plan_.pages : own_), packer_(plan_.how), copy_(new char[chunk_bytes]) {
  std::vector<source> sources;
  if (plan_.base != nullptr) sources = plan_.base->sources;
  if (!plan_.origins.empty()) files_.emplace(std::move(plan_.origins));
  if (files_)
    for (std::size_t i = 0; i < files_->sources().size(); ++i) {
      const source s = plan_.node.empty() ? files_->sources()[i] : files_->copy_of(i, plan_.generation, plan_.node);
      auto at = std::find(sources.begin(), sources.end(), s);
      if (at == sources.end()) at = sources.insert(at, s);
      number_of_.push_back(static_cast<std::uint16_t>(at - sources.begin() + 1));
    }
  if (plan_.meter != nullptr) plan_.meter->begin(bytes_to_copy(plan_.regions));
  if (plan_.sums) sums_ = page_sums(plan_.regions);
  if (plan_.observer) plan_.observer->section_name().copy(observed_.name, sizeof observed_.name - 1);
  for (const section& s : plan_.sections) add(tables_, s);
  for (const region& r : plan_.regions) add(tables_, r);
  for (const source& s : sources) add(tables_, s);
  end_.section_count = static_cast<std::uint32_t>(plan_.sections.size());
  end_.region_count = static_cast<std::uint32_t>(plan_.regions.size());
  end_.source_count = static_cast<std::uint32_t>(sources.size());
}

bool image_writer::write_shared() noexcept {
  const file_header header = header_of(plan_);
  end_.header_checksum = header.checksum;
  return out_.append(&header, sizeof header) && out_.align() && write_regions(true) && out_.settle();
}

bool image_writer::finish() noexcept {
  if (!write_regions(false)) return false;
  if (files_ && !files_->are_as_they_were())
    return out_.fail("a file of the program's was written to while the image was written, which refers to it", ETXTBSY);
  fault_point(fault::point::half_written);
  if (!write_tables() || !out_.append(&end_, sizeof end_)) return false;
  result_.file_bytes = out_.position();
  result_.memory_bytes = end_.memory_bytes;
  result_.stored_bytes = end_.own_bytes;
  result_.writer_bytes = own_bytes();
  result_.checksum = XXH3_64bits(&end_, sizeof end_);
  fault_point(fault::point::before_sync);
  if (!out_.finish()) return false;
  result_.sync_s = out_.sync_s();
  fault_point(fault::point::written);
  return true;
}

/// The parts that are under way, a window, the index, and for changes the base's index and a sum for each page of both. A copy of
/// the process has besides what the program writes to meanwhile.
std::uint64_t image_writer::own_bytes() const noexcept {
  const std::uint64_t sums = plan_.sums ? end_.memory_bytes / page_bytes * sizeof(std::uint64_t) : 0;
  const std::uint64_t base = plan_.base == nullptr ? 0 : plan_.base->chunks.size() * sizeof(chunk_record) + sums;
  const std::uint64_t files = files_ ? program_files::buffer_bytes : 0;
  return output_file::buffer_bytes + chunk_bytes + own_memory::buffer_bytes + files + packer_.workspace_bytes() + tables_.size() +
         shared_.bytes() + private_.bytes() + sums + base;
}

bool image_writer::write_regions(bool shared) noexcept {
  records_ = shared ? &shared_ : &private_;
  next_unwritten_ = 0;
  if (!memory_.open()) return fail_here("the program's memory cannot be read from /proc/self");
  for (const region& r : plan_.regions) {
    if (r.shared != shared || !holds_memory(r)) continue;
    first_of_region_ = records_->size();
    for (std::uintptr_t at = r.begin; at < r.end; at += chunk_bytes)
      if (!write_window(r, at, std::min(r.end, at + chunk_bytes))) return false;
  }
  return true;
}

bool image_writer::is_unwritten(std::uintptr_t at) noexcept {
  const std::vector<page_range>& ranges = plan_.unwritten;
  while (next_unwritten_ < ranges.size() && ranges[next_unwritten_].end <= at) ++next_unwritten_;
  return next_unwritten_ < ranges.size() && ranges[next_unwritten_].begin <= at;
}

/// Runs of pages that hold something become chunks, or parts of the base's.
bool image_writer::write_window(const region& r, std::uintptr_t begin, std::uintptr_t end) noexcept {
  const std::size_t pages = (end - begin) / page_bytes;
  bool wanted[pages_per_window];
  page what[pages_per_window] = {};
  const int touched = memory_.find_touched(r, begin, pages, wanted);
  if (touched < 0) return fail_here("the program's memory cannot be read from /proc/self/pagemap");
  if (touched == 0) return true;
  if (plan_.meter != nullptr)
    plan_.meter->add(static_cast<std::uint64_t>(std::count(wanted, wanted + pages, true)) * page_bytes);
  if (plan_.base != nullptr)
    for (std::size_t i = 0; i < pages; ++i)
      if (is_unwritten(begin + i * page_bytes)) {
        what[i] = page::kept;
        wanted[i] = false;
        if (plan_.sums) sums_.set(begin + i * page_bytes, plan_.base->sums.get(begin + i * page_bytes));
      }
  memory_.copy(r, begin, pages, wanted, copy_.get());
  judge(r, begin, pages, wanted, what);
  if (files_ && !r.shared) find_in_files(begin, pages, what);
  if (plan_.observer && (r.protection & PROT_WRITE) != 0) show(r, begin, pages, wanted, what);
  for (std::size_t i = 0; i < pages;) {
    std::size_t n = i;
    while (n < pages && what[n] == what[i]) ++n;
    const std::uintptr_t from = begin + i * page_bytes, to = begin + n * page_bytes;
    if (what[i] == page::stored && !store(from, copy_.get() + i * page_bytes, to - from)) return false;
    if (what[i] == page::kept && !keep(from, to)) return false;
    if (what[i] == page::referred && !refer(begin, i, n)) return false;
    i = n;
  }
  return true;
}

/// Runs of pages that were copied, and of those that the base has as they are.
void image_writer::show(const region& r, std::uintptr_t begin, std::size_t pages, const bool* copied,
                        const page* what) noexcept {
  for (std::size_t i = 0; i < pages;) {
    std::size_t n = i;
    const bool holds = what[i] != page::nothing;
    while (n < pages && copied[n] == copied[i] && (what[n] != page::nothing) == holds) ++n;
    const std::uintptr_t from = begin + i * page_bytes;
    const std::size_t bytes = (n - i) * page_bytes;
    const auto* const memory = reinterpret_cast<const std::uint64_t*>(copy_.get() + i * page_bytes);
    if (holds && copied[i]) plan_.observer->see({memory, bytes / sizeof *memory}, from, r);
    else if (holds) plan_.observer->unchanged(from, from + bytes);
    i = n;
  }
}

/// Which of the pages that were copied are to be stored. A file that is mapped again may hold anything by then: its zeros
/// are kept too.
void image_writer::judge(const region& r, std::uintptr_t begin, std::size_t pages, bool* wanted, page* what) noexcept {
  const bool zeros_count = maps_file_again(r);
  for (std::size_t i = 0; i < pages; ++i) {
    if (!wanted[i]) continue;
    const char* const memory = copy_.get() + i * page_bytes;
    const std::uintptr_t address = begin + i * page_bytes;
    const bool nothing = !zeros_count && is_zero(memory);
    if (!nothing) what[i] = page::stored;
    if (!plan_.sums) continue;
    const std::uint64_t sum = nothing ? page_sums::of_zeros : page_sums::of(memory);
    if (!nothing && plan_.base != nullptr && plan_.base->sums.get(address) == sum) what[i] = page::kept;
    sums_.set(address, sum);
  }
}

bool image_writer::store(std::uintptr_t address, const char* memory, std::size_t bytes) noexcept {
  chunk_record record{};
  record.address = address;
  record.memory_bytes = record.unpacked_bytes = static_cast<std::uint32_t>(bytes);
  char* place = nullptr;
  std::size_t packed = 0;
  if (packer_.is_tried(out_.is_ahead_of_disk())) {
    place = out_.room(bytes);
    if (place == nullptr) return false;
    packed = packer_.pack(memory, bytes, place);
  }
  if (packed == 0) {
    if (!out_.align()) return false;
    place = out_.room(bytes);
    if (place == nullptr) return false;
    std::memcpy(place, memory, bytes);
  }
  const std::size_t stored = packed > 0 ? packed : bytes;
  record.codec = static_cast<std::uint8_t>(packed > 0 ? packer_.kind() : codec::none);
  record.offset = out_.position();
  record.stored_bytes = static_cast<std::uint32_t>(stored);
  record.checksum = chunk_checksum(memory, bytes, place, stored);
  out_.commit(stored);
  end_.own_bytes += stored;
  end_.memory_bytes += bytes;
  return records_->push(record) || fail_here("there is no memory for its chunks' records");
}

/// What the base has of [begin, end); the rest is zeros there too.
bool image_writer::keep(std::uintptr_t begin, std::uintptr_t end) noexcept {
  const std::vector<chunk_record>& chunks = plan_.base->chunks;
  auto at = std::upper_bound(chunks.begin(), chunks.end(), begin,
                             [](std::uintptr_t a, const chunk_record& c) { return a < c.address + c.memory_bytes; });
  for (; at != chunks.end() && at->address < end; ++at) {
    chunk_record part = *at;
    const std::uintptr_t from = std::max(begin, part.address), to = std::min(end, part.address + part.memory_bytes);
    part.skipped_bytes += static_cast<std::uint32_t>(from - part.address);
    part.address = from;
    part.memory_bytes = static_cast<std::uint32_t>(to - from);
    end_.memory_bytes += part.memory_bytes;
    result_.kept_bytes += part.memory_bytes;
    if (records_->size() > first_of_region_) {      // may go on where the last one ends, in the same chunk
      chunk_record& last = records_->back();
      if (last.source == part.source && last.offset == part.offset && last.address + last.memory_bytes == from &&
          last.skipped_bytes + last.memory_bytes == part.skipped_bytes) {
        last.memory_bytes += part.memory_bytes;
        continue;
      }
    }
    if (!records_->push(part)) return fail_here("there is no memory for its chunks' records");
  }
  return true;
}

void image_writer::find_in_files(std::uintptr_t begin, std::size_t pages, page* what) noexcept {
  bool wanted[pages_per_window] = {};
  for (std::size_t i = 0; i < pages; ++i) wanted[i] = what[i] == page::stored;
  files_->find(begin, pages, wanted, copy_.get(), where_);
  for (std::size_t i = 0; i < pages; ++i)
    if (where_[i].file >= 0) what[i] = page::referred;
}

/// Pages [first, end) of the window: those that stand one behind the other in a file are a chunk.
bool image_writer::refer(std::uintptr_t begin, std::size_t first, std::size_t end) noexcept {
  for (std::size_t i = first; i < end;) {
    std::size_t n = i + 1;
    const program_files::place& at = where_[i];
    while (n < end && where_[n].file == at.file && where_[n].offset == at.offset + (n - i) * page_bytes) ++n;
    const std::size_t bytes = (n - i) * page_bytes;
    const char* const memory = copy_.get() + i * page_bytes;
    chunk_record record{};
    record.address = begin + i * page_bytes;
    record.offset = at.offset;
    record.memory_bytes = record.unpacked_bytes = record.stored_bytes = static_cast<std::uint32_t>(bytes);
    record.source = number_of_[static_cast<std::size_t>(at.file)];
    record.checksum = chunk_checksum(memory, bytes, memory, bytes);
    end_.memory_bytes += bytes;
    result_.referred_bytes += bytes;
    if (!records_->push(record)) return fail_here("there is no memory for its chunks' records");
    i = n;
  }
  return true;
}

bool image_writer::add_to_tables(const void* data, std::size_t bytes) noexcept {
  tables_sum_.add(data, bytes);
  end_.tables_bytes += bytes;
  return out_.append(data, bytes);
}

bool image_writer::write_tables() noexcept {
  if (!out_.align()) return false;
  end_.tables_offset = out_.position();
  if (!write_observed() || !add_to_tables(tables_.data(), tables_.size()) || !write_chunk_records()) return false;
  end_.magic = trailer_magic;
  end_.tables_checksum = tables_sum_.digest();
  end_.chunk_count = shared_.size() + private_.size();
  end_.checksum = XXH3_64bits(&end_, offsetof(trailer, checksum));
  return true;
}

/// The first of the sections.
bool image_writer::write_observed() noexcept {
  const auto bytes = plan_.observer ? plan_.observer->bytes() : std::nullopt;
  if (!bytes) return true;
  ++end_.section_count;
  observed_.bytes = bytes->size();
  return add_to_tables(&observed_, sizeof observed_) && add_to_tables(bytes->data(), bytes->size());
}

/// Of shared and of private memory, ascending.
bool image_writer::write_chunk_records() noexcept {
  std::size_t s = 0, p = 0;
  while (s < shared_.size() || p < private_.size()) {
    const bool takes_shared =
        p == private_.size() || (s < shared_.size() && shared_[s].address < private_[p].address);
    const chunk_record& next = takes_shared ? shared_[s++] : private_[p++];
    if (!add_to_tables(&next, sizeof next)) return false;
  }
  return true;
}

std::vector<made_copy> image_writer::copy_files() const {
  if (!files_ || plan_.node.empty()) return {};
  return files_->copy_to(directory_of(plan_.path), plan_.node, plan_.most_per_s);
}

std::string image_writer::failure_text(const io_failure& why) const {
  return plan_.path + ": " + why.what + ": " + std::strerror(why.error) + remedy(why.error);
}

write_result write_rank_image(image_plan plan) {
  image_writer writer(std::move(plan));
  if (!writer.write_shared() || !writer.finish())
    throw image_error(error_kind::io, writer.failure_text(writer.failure()));
  return writer.result();
}

write_result write_rank_image(const std::string& path, std::uint32_t rank, std::uint32_t world_size,
                              std::vector<section> sections, std::vector<region> regions,
                              const processor_features& needed) {
  image_plan plan;
  plan.path = path;
  plan.rank = rank;
  plan.world_size = world_size;
  plan.sections = std::move(sections);
  plan.regions = std::move(regions);
  plan.needed = needed;
  return write_rank_image(std::move(plan));
}

}  // namespace mana::image
