#include <runtime/image/write/image_writer.hpp>

#include <runtime/files/io_error.hpp>
#include <runtime/image/format/table_bytes.hpp>
#include <runtime/image/origins/shared_text.hpp>

#include <mana/core/fault_points.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>

namespace mana::image {

namespace {

/// A file has the contents of its shared mappings. Only memory that the program could have changed is kept.
bool holds_memory(const region& r) noexcept { return !maps_file_again(r) || (r.protection & PROT_WRITE) != 0; }

/// Written before the process may be copied.
bool is_first(const region& r) noexcept { return r.shared || r.is_not_copied; }

std::uint64_t resident_bytes() {
  std::uint64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * page_bytes;
}

/// An estimate: no more anonymous memory than this process has resident. All memory of files may be touched.
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
    : plan_(std::move(plan)), out_(plan_.path, plan_.most_per_s, plan_.meter), memory_(plan_.pages != nullptr ? *plan_.pages : own_),
      choice_(plan_.how.mode), crew_(plan_.how, plan_.pack_threads) {
  std::vector<source> sources;
  if (plan_.base != nullptr) sources = plan_.base->sources;
  if (!plan_.origins.empty()) {
    const bool judged = !plan_.node.empty() && plan_.node_ranks != 0;
    auto worth = judged ? files_worth_a_copy(plan_.origins, plan_.regions, plan_.node_ranks, plan_.how) : program_files::choice();
    files_.emplace(std::move(plan_.origins), worth);
  }
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
  const file_header header = header_of(plan_.rank, plan_.world_size, plan_.needed);
  end_.header_checksum = header.checksum;
  const bool well = out_.append(&header, sizeof header) && out_.align() && write_regions(true) && out_.settle();
  // Before the program takes any record lock: closing any descriptor of a file releases the process's record locks of
  // that file.
  for (region& r : plan_.regions) r.contents.reset();
  return well;
}

bool image_writer::finish() noexcept {
  if (!write_regions(false)) return false;
  if (files_ && !files_->are_as_they_were())
    return out_.fail("a program file was written to during the checkpoint, and the image refers to it", ETXTBSY);
  if (const char* const changed = plan_.shown.find_changed(); changed != nullptr) return out_.fail(changed, ETXTBSY);
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

/// Counts the windows under way and their packers, the index and, for an incremental image, the base's index and a sum
/// for each page of both. A copy of the process takes in addition the memory that the program writes to meanwhile.
std::uint64_t image_writer::own_bytes() const noexcept {
  const std::uint64_t sums = plan_.sums ? end_.memory_bytes / page_bytes * sizeof(std::uint64_t) : 0;
  const std::uint64_t base = plan_.base == nullptr ? 0 : plan_.base->chunks.size() * sizeof(chunk_record) + sums;
  const std::uint64_t files = files_ ? program_files::buffer_bytes : 0;
  return files::output_file::buffer_bytes + own_memory::buffer_bytes + files + crew_.memory_bytes() + tables_.size() +
         first_.bytes() + rest_.bytes() + sums + base;
}

bool image_writer::write_regions(bool first) noexcept {
  records_ = first ? &first_ : &rest_;
  next_unwritten_ = 0;
  region_ = nullptr;
  if (!memory_.open()) return fail_here("the program's memory cannot be read from /proc/self");
  bool well = true;
  for (const region& r : plan_.regions)
    if (well && is_first(r) == first && holds_memory(r)) well = write_windows(r);
  while (well && !crew_.is_idle()) well = take_oldest();
  crew_.stop();
  return well;
}

/// Several threads pack the windows; this one writes them in their order.
bool image_writer::write_windows(const region& r) noexcept {
  for (std::uintptr_t at = r.begin; at < r.end; at += chunk_bytes) {
    if (plan_.meter != nullptr && plan_.meter->is_given_up()) return out_.fail("was given up", ECANCELED);
    window* to = crew_.vacant();
    if (to == nullptr) {
      if (!take_oldest()) return false;
      to = crew_.vacant();
    }
    to->of = &r;
    to->begin = at;
    to->pages = std::min<std::size_t>(r.end - at, chunk_bytes) / page_bytes;
    switch (fill(*to)) {
      case found::failure: return false;
      case found::something: crew_.submit(); break;
      case found::nothing: break;
    }
  }
  return true;
}

bool image_writer::is_unwritten(std::uintptr_t at) noexcept {
  const std::vector<page_range>& ranges = plan_.unwritten;
  while (next_unwritten_ < ranges.size() && ranges[next_unwritten_].end <= at) ++next_unwritten_;
  return next_unwritten_ < ranges.size() && ranges[next_unwritten_].begin <= at;
}

/// The text is in memory that this process shares with its parent.
const char* image_writer::name_unreadable(const region& r) noexcept {
  const int error = errno;
  if (r.contents) std::snprintf(unreadable_->text, sizeof unreadable_->text, "the contents of %.150s cannot be read", r.path.c_str());
  else std::snprintf(unreadable_->text, sizeof unreadable_->text, "the program's memory at %lx-%lx%s%.100s cannot be read",
                static_cast<unsigned long>(r.begin), static_cast<unsigned long>(r.end), r.path.empty() ? "" : ", of ",
                r.path.c_str());
  errno = error;
  return unreadable_->text;
}

/// Decides the treatment of each page.
image_writer::found image_writer::fill(window& w) noexcept {
  bool wanted[pages_per_window];
  std::fill_n(w.what, w.pages, page::nothing);
  w.run_count = 0;
  const int touched = memory_.find_touched(*w.of, w.begin, w.pages, wanted);
  if (touched < 0) {
    fail_here("the program's memory cannot be read from /proc/self/pagemap");
    return found::failure;
  }
  if (touched == 0) return found::nothing;
  if (plan_.meter != nullptr)
    plan_.meter->add(static_cast<std::uint64_t>(std::count(wanted, wanted + w.pages, true)) * page_bytes);
  if (plan_.base != nullptr)
    for (std::size_t i = 0; i < w.pages; ++i) {
      const std::uintptr_t at = w.begin + i * page_bytes;
      if (!wanted[i] || !is_unwritten(at)) continue;       // guards may look unwritten
      w.what[i] = page::kept;
      wanted[i] = false;
      if (plan_.sums) sums_.set(at, plan_.base->sums.get(at));
    }
  if (!memory_.copy(*w.of, w.begin, w.pages, wanted, w.memory)) {
    fail_here(name_unreadable(*w.of));
    return found::failure;
  }
  judge(w, wanted);
  if (files_ && !w.of->shared) find_in_files(w);
  if (plan_.observer && (w.of->protection & PROT_WRITE) != 0) show(w, wanted);
  choose_runs(w);
  return found::something;
}

/// Shows the observer the runs of copied pages, and those that are unchanged in the base.
void image_writer::show(const window& w, const bool* copied) noexcept {
  for (std::size_t i = 0; i < w.pages;) {
    std::size_t n = i;
    const bool holds = w.what[i] != page::nothing;
    while (n < w.pages && copied[n] == copied[i] && (w.what[n] != page::nothing) == holds) ++n;
    const std::uintptr_t from = w.begin + i * page_bytes;
    const std::size_t bytes = (n - i) * page_bytes;
    const auto* const memory = reinterpret_cast<const std::uint64_t*>(w.memory + i * page_bytes);
    if (holds && copied[i]) plan_.observer->see({memory, bytes / sizeof *memory}, from, *w.of);
    else if (holds) plan_.observer->unchanged(from, from + bytes);
    i = n;
  }
}

/// Decides which copied pages are stored. If a restart maps the file again, the file may have any contents by then:
/// zeros are stored too.
void image_writer::judge(window& w, const bool* copied) noexcept {
  const bool zeros_count = maps_file_again(*w.of);
  for (std::size_t i = 0; i < w.pages; ++i) {
    if (!copied[i]) continue;
    const char* const memory = w.memory + i * page_bytes;
    const std::uintptr_t address = w.begin + i * page_bytes;
    const bool nothing = !zeros_count && is_zero(memory);
    if (!nothing) w.what[i] = page::stored;
    if (!plan_.sums) continue;
    const std::uint64_t sum = nothing ? page_sums::of_zeros : page_sums::of(memory);
    if (!nothing && plan_.base != nullptr && plan_.base->sums.get(address) == sum) w.what[i] = page::kept;
    sums_.set(address, sum);
  }
}

/// The order of the chunks decides which chunks are tried.
void image_writer::choose_runs(window& w) noexcept {
  for (std::size_t i = 0; i < w.pages;) {
    std::size_t n = i;
    while (n < w.pages && w.what[n] == w.what[i]) ++n;
    const auto at = static_cast<std::uint32_t>(i * page_bytes), bytes = static_cast<std::uint32_t>((n - i) * page_bytes);
    if (w.what[i] == page::stored)
      w.runs[w.run_count++] = {at, bytes, choice_.is_tried(out_.is_ahead_of_disk()), 0, 0};
    i = n;
  }
}

/// Makes chunks of runs of pages that hold something, or refers to the base's.
bool image_writer::take_oldest() noexcept {
  const auto [oldest, is_packed] = crew_.oldest();
  window& w = *oldest;
  if (region_ != w.of) first_of_region_ = records_->size();
  region_ = w.of;
  bool well = true;
  unsigned run = 0;
  for (std::size_t i = 0; well && i < w.pages;) {
    std::size_t n = i;
    while (n < w.pages && w.what[n] == w.what[i]) ++n;
    switch (w.what[i]) {
      case page::nothing: break;
      case page::kept: well = keep(w.begin + i * page_bytes, w.begin + n * page_bytes); break;
      case page::referred: well = refer(w, i, n); break;
      case page::stored: well = store(w, w.runs[run++], is_packed); break;
    }
    i = n;
  }
  crew_.release();
  return well;
}

bool image_writer::store(window& w, window::run& run, bool is_packed) noexcept {
  if (put(w, run, is_packed) == nullptr) return false;
  if (run.tried) choice_.hear(run.bytes, run.packed_bytes);
  const bool shrank = run.packed_bytes > 0;
  chunk_record record{};
  record.address = w.begin + run.at;
  record.memory_bytes = record.unpacked_bytes = run.bytes;
  record.codec = static_cast<std::uint8_t>(shrank ? codec_of(plan_.how.mode) : codec::none);
  record.offset = out_.position();
  record.stored_bytes = shrank ? run.packed_bytes : run.bytes;
  record.checksum = run.checksum;
  out_.commit(record.stored_bytes);
  end_.own_bytes += record.stored_bytes;
  end_.memory_bytes += run.bytes;
  return records_->push(record) || fail_here("there is no memory for its chunks' records");
}

/// Puts the run's bytes at the end of the file, without making them part of it yet.     out: nullptr: failed
char* image_writer::put(window& w, window::run& run, bool is_packed) noexcept {
  char* place = nullptr;
  if (!is_packed) {
    place = out_.room(run.bytes);
    if (place == nullptr) return nullptr;
    crew_.pack_into(run, w.memory_of(run), place);
    if (run.packed_bytes > 0) return place;
  }
  const bool shrank = run.packed_bytes > 0;
  if (!shrank && !out_.align()) return nullptr;
  place = out_.room(shrank ? run.packed_bytes : run.bytes);
  if (place != nullptr)
    std::memcpy(place, shrank ? w.packed_of(run) : w.memory_of(run), shrank ? run.packed_bytes : run.bytes);
  return place;
}

/// Refers to the base's chunks in [begin, end). The rest is zeros in the base too.
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
    if (records_->size() > first_of_region_) {      // may continue the last one, in the same chunk
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

void image_writer::find_in_files(window& w) noexcept {
  bool wanted[pages_per_window] = {};
  for (std::size_t i = 0; i < w.pages; ++i) wanted[i] = w.what[i] == page::stored;
  files_->find(w.begin, w.pages, wanted, w.memory, w.where);
  for (std::size_t i = 0; i < w.pages; ++i)
    if (w.where[i].file >= 0) w.what[i] = page::referred;
}

/// Pages [first, end) of the window. Pages that are consecutive in a file become one chunk.
bool image_writer::refer(const window& w, std::size_t first, std::size_t end) noexcept {
  for (std::size_t i = first; i < end;) {
    std::size_t n = i + 1;
    const program_files::place& at = w.where[i];
    while (n < end && w.where[n].file == at.file && w.where[n].offset == at.offset + (n - i) * page_bytes) ++n;
    const std::size_t bytes = (n - i) * page_bytes;
    const char* const memory = w.memory + i * page_bytes;
    chunk_record record{};
    record.address = w.begin + i * page_bytes;
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
  end_.chunk_count = first_.size() + rest_.size();
  end_.checksum = XXH3_64bits(&end_, offsetof(trailer, checksum));
  return true;
}

/// This is the first section.
bool image_writer::write_observed() noexcept {
  const auto bytes = plan_.observer ? plan_.observer->bytes() : std::nullopt;
  if (!bytes) return true;
  ++end_.section_count;
  observed_.bytes = bytes->size();
  return add_to_tables(&observed_, sizeof observed_) && add_to_tables(bytes->data(), bytes->size());
}

/// Merges the records that were written first with the rest, ascending.
bool image_writer::write_chunk_records() noexcept {
  std::size_t s = 0, p = 0;
  while (s < first_.size() || p < rest_.size()) {
    const bool takes_first =
        p == rest_.size() || (s < first_.size() && first_[s].address < rest_[p].address);
    const chunk_record& next = takes_first ? first_[s++] : rest_[p++];
    if (!add_to_tables(&next, sizeof next)) return false;
  }
  return true;
}

std::vector<made_copy> image_writer::copy_files() const {
  if (!files_ || plan_.node.empty()) return {};
  return files_->copy_to(files::directory_of(plan_.path), plan_.node, plan_.most_per_s, plan_.meter);
}

std::string image_writer::failure_text(const files::io_failure& why) const {
  return plan_.path + ": " + why.what + ": " + std::strerror(why.error) + files::remedy(why.error);
}

write_result write_rank_image(image_plan plan) {
  image_writer writer(std::move(plan));
  if (!writer.write_shared() || !writer.finish())
    throw files::image_error(files::error_kind::io, writer.failure_text(writer.failure()));
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
