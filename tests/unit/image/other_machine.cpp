// Images of another format version, or of a processor with more features, are refused as such, not as damaged.
#include "../temporary_directory.hpp"
#include "in_child.hpp"
#include "open_image.hpp"
#include "window_memory.hpp"

#include <runtime/image/read/rank_image.hpp>
#include <runtime/image/write/image_writer.hpp>

#include <doctest/doctest.h>

namespace other_machine_tests {

using namespace mana;

namespace {

/// An image whose header is what `change` makes of it, with the right checksum of its own.
template <class Change>
std::string changed_image(const temporary_directory& directory, Change&& change) {
  const std::string path = directory.path() / "image";
  std::filesystem::remove(path);
  CHECK(in_child([&]() -> std::string {
    window_memory::make_small();
    image::write_rank_image(path, 0, 1, {}, image::upper_regions(0, 0));
    return {};
  }) == "");
  open_image opened(read_bytes(path));
  change(opened.header);
  return directory.write("image", opened.sealed());
}

/// How a restart, in a process of its own, is refused.
files::error_kind kind_of_refusal(const std::string& path) {
  const std::string kind = in_child([&]() -> std::string {
    try {
      image::rank_image(path).restore_memory();
      return "restored";
    } catch (const files::image_error& error) {
      return std::to_string(static_cast<int>(error.kind()));
    }
  });
  REQUIRE(kind.size() == 1);
  return static_cast<files::error_kind>(kind[0] - '0');
}

}  // namespace

TEST_CASE("another version is not taken for damage") {
  const temporary_directory directory;
  CHECK(kind_of_refusal(changed_image(directory, [](auto& h) { ++h.version; })) == files::error_kind::version);
  CHECK(kind_of_refusal(changed_image(directory, [](auto& h) { ++h.layout_major; })) == files::error_kind::version);
  CHECK(kind_of_refusal(changed_image(directory, [](auto& h) { --h.layout_major; })) == files::error_kind::version);
  CHECK(kind_of_refusal(changed_image(directory, [](auto& h) { ++h.services_minor; })) == files::error_kind::version);
}

TEST_CASE("a processor must have what the writing one had, and may have more") {
  const temporary_directory directory;
  const image::processor_features all = image::features_here();
  const auto& here = all.words;
  CHECK((here[0] >> 32 & 1) != 0);                      // SSE3
  CHECK((here[0] & 1u << 26) != 0);                     // SSE2
  for (int word = 0; word < 4; ++word) {
    const auto with_one_more = [&](auto& h) { h.cpu_features[word] |= ~here[word] & -~here[word]; };
    const std::string path = changed_image(directory, with_one_more);
    CHECK(kind_of_refusal(path) == files::error_kind::cpu);
    CHECK(image::rank_image(path).header().world_size == 1);   // it can be looked at anywhere
  }
}

TEST_CASE("a level limits what is needed, and says what is missing of it") {
  const image::processor_features here = image::features_here();
  CHECK(image::limited_to("", here).words[1] == here.words[1]);
  CHECK(image::lacking(image::limited_to("x86-64", here), image::least_of("x86-64")).empty());
  CHECK(image::lacking(image::least_of("x86-64"), here).empty());        // else this would not run
  image::processor_features v3 = image::least_of("x86-64-v3");
  CHECK(image::lacking(image::least_of("x86-64-v2"), v3).empty());
  CHECK(image::lacking(image::least_of("x86-64-v4"), v3) ==
        std::vector<std::string>{"avx512f", "avx512dq", "avx512cd", "avx512bw", "avx512vl"});
  v3.words[1] |= 1u << 16;
  CHECK(image::limited_to("x86-64-v3", v3).words[1] == image::least_of("x86-64-v3").words[1]);
  v3.words[1] |= 1u << 18;                             // rdseed, of no level
  CHECK(image::lacking(v3, image::least_of("x86-64-v4")) == std::vector<std::string>{"feature 1.18"});
}

TEST_CASE("libc is told to use nothing beyond a level, after what the user told it") {
  const std::string v2 = image::tunables_for("x86-64-v2", "");
  CHECK(v2.starts_with("glibc.cpu.hwcaps=-"));
  for (const char* off : {"-AVX", "-AVX2", "-FMA", "-BMI2", "-XSAVE", "-AVX512F", "-ERMS"})
    CHECK((v2 + ",").find(std::string(off) + ",") != std::string::npos);
  CHECK(v2.find("SSE4_2") == std::string::npos);
  CHECK(image::tunables_for("x86-64-v4", "glibc.malloc.check=1") ==
        "glibc.malloc.check=1:glibc.cpu.hwcaps=-ERMS,-RTM,-FMA4,-XSAVEC");
}

}  // namespace other_machine_tests
