// A group's files in memory.
#pragma once
#include <runtime/redundancy/encode.hpp>
#include "members.hpp"
#include <runtime/redundancy/rebuild.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <doctest/doctest.h>
#include <random>
#include <utility>

/// A file without a name that is gone at its end.
class memory_file {
 public:
  memory_file() : fd_(memfd_create("redundancy", MFD_CLOEXEC)) { REQUIRE(fd_ >= 0); }
  ~memory_file() { if (fd_ >= 0) close(fd_); }
  memory_file(memory_file&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  memory_file& operator=(memory_file&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  mana::redundancy::local_file file(const std::string& name) const { return {fd_, name}; }
  std::vector<std::byte> bytes() const {
    std::vector<std::byte> all(mana::redundancy::size_of(file("?")));
    all.resize(mana::redundancy::read_at(file("?"), 0, all));
    return all;
  }
  void set(std::span<const std::byte> bytes) const {
    mana::redundancy::set_size(file("?"), 0);
    mana::redundancy::write_at(file("?"), 0, bytes);
  }
  void flip(std::uint64_t at, unsigned bit) const {
    std::byte one[1];
    REQUIRE(mana::redundancy::read_at(file("?"), at, one) == 1);
    one[0] ^= std::byte{1} << bit;
    mana::redundancy::write_at(file("?"), at, one);
  }

 private:
  int fd_;
};

struct group_files {
  using sizes = std::vector<std::size_t>;

  group_files(unsigned parity, const sizes& image_bytes) {
    std::mt19937_64 random(image_bytes.size() * 100 + parity);
    of.parity = parity;
    for (std::size_t i = 0; i < image_bytes.size(); ++i) {
      of.ranks.push_back(static_cast<std::uint32_t>(10 + 3 * i));
      std::vector<std::uint64_t> words(image_bytes[i] / 8 + 1);
      for (std::uint64_t& word : words) word = random();
      const auto all = std::as_bytes(std::span(words)).first(image_bytes[i]);
      std::vector<std::byte> bytes(all.begin(), all.end());
      images.emplace_back().set(bytes);
      wanted_images.push_back(std::move(bytes));
      parities.emplace_back();
      has_image.push_back(true);
      has_parity.push_back(true);
    }
  }

  unsigned count() const { return of.members(); }
  static std::uint64_t identity(unsigned member) { return 1000 + member; }

  outcome encode_all(std::uint64_t generation = 7, std::uint64_t nonce = 99) {
    const outcome end = run_members(count(), [&](unsigned i, auto& link) {
      const mana::redundancy::own_image own{images[i].file("image" + std::to_string(i)), identity(i),
                                            parities[i].file("parity" + std::to_string(i))};
      mana::redundancy::encode({of, i}, {generation, nonce}, own, link);
    });
    wanted_parities.clear();
    for (const memory_file& one : parities) wanted_parities.push_back(one.bytes());
    return end;
  }

  outcome rebuild_all(mana::redundancy::look how = mana::redundancy::look::at_contents, std::uint64_t generation = 7) {
    repaired.assign(count(), {});
    return run_members(count(), [&](unsigned i, auto& link) {
      repaired[i] = mana::redundancy::rebuild({of, i}, generation, own_files(i), how, link);
    });
  }

  mana::redundancy::own_files own_files(unsigned i) const {
    return {images[i].file("image" + std::to_string(i)), has_image[i], identity(i),
            parities[i].file("parity" + std::to_string(i)), has_parity[i]};
  }

  void lose_image(unsigned member) { images[member] = memory_file(); has_image[member] = false; }
  void lose_parity(unsigned member) { parities[member] = memory_file(); has_parity[member] = false; }
  void lose(unsigned member) {
    lose_image(member);
    lose_parity(member);
  }
  /// After a rebuild.
  void found() {
    has_image.assign(count(), true);
    has_parity.assign(count(), true);
  }
  bool is_as_it_was() const {
    for (unsigned i = 0; i < count(); ++i)
      if (images[i].bytes() != wanted_images[i] || parities[i].bytes() != wanted_parities[i]) return false;
    return true;
  }

  mana::redundancy::group of;
  std::vector<memory_file> images, parities;
  std::vector<std::vector<std::byte>> wanted_images, wanted_parities;
  std::vector<bool> has_image, has_parity;
  std::vector<std::vector<mana::redundancy::repair>> repaired;      // what each member was told
};

inline bool is_of_kind(const std::exception_ptr& thrown, mana::redundancy::error_kind kind) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const mana::redundancy::redundancy_error& error) {
    return error.kind() == kind;
  } catch (...) {
  }
  return false;
}

inline bool all_of_kind(const outcome& end, mana::redundancy::error_kind kind) {
  if (!end.all_failed()) return false;
  for (const auto& one : end.thrown)
    if (!is_of_kind(one, kind)) return false;
  return true;
}
