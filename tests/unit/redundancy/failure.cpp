// One member fails: all return, all say why, and no message is left over.
#include "../long_run.hpp"
#include "group_files.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace redundancy_failure_tests {

using namespace mana::redundancy;

namespace {

class opened {
 public:
  opened(const char* path, int flags) : fd_(open(path, flags | O_CLOEXEC)), path_(path) { REQUIRE(fd_ >= 0); }
  ~opened() { close(fd_); }
  opened(const opened&) = delete;
  opened& operator=(const opened&) = delete;
  local_file file() const { return {fd_, path_}; }

 private:
  int fd_;
  std::string path_;
};

const group_files::sizes sizes{3000000, 1, 2500000, 4096, 3000000};

}  // namespace

TEST_CASE("redundancy: a full disk while parity is written, on any member") {
  const opened full("/dev/full", O_RDWR);
  for (unsigned victim = 0; victim < 5; ++victim) {
    group_files files(2, sizes);
    const outcome end = run_members(5, [&](unsigned i, auto& link) {
      const local_file parity = i == victim ? full.file() : files.parities[i].file("parity");
      const own_image own{files.images[i].file("image"), 0, parity};
      encode({files.of, i}, {7, 99}, own, link);
    });
    CHECK(all_of_kind(end, error_kind::io));
    for (const std::string& text : end.errors)
      CHECK(text == "rank " + std::to_string(files.of.ranks[victim]) +
                        ": /dev/full: cannot be written: No space left on device");
  }
}

TEST_CASE("redundancy: the limit on the size of files is met before the signal that it sends") {
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  group_files files(2, sizes);
  rlimit small = before;
  small.rlim_cur = 1u << 20;
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  const outcome end = files.encode_all();
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  CHECK(all_of_kind(end, error_kind::io));
  CHECK(end.errors[0].find("cannot be written: File too large") != std::string::npos);
}

TEST_CASE("redundancy: an image that cannot be read, or that became shorter") {
  group_files files(2, sizes);
  const opened write_only("/dev/null", O_WRONLY);
  const outcome unreadable = run_members(5, [&](unsigned i, auto& link) {
    const own_image own{i == 3 ? local_file{-1, "/d/image"} : files.images[i].file("image"), 0,
                        files.parities[i].file("parity")};
    encode({files.of, i}, {7, 99}, own, link);
  });
  CHECK(all_of_kind(unreadable, error_kind::io));
  CHECK(unreadable.errors[0] == "rank 19: /d/image: cannot be examined: Bad file descriptor");

  struct shortening final : transport {
    shortening(transport& real, const memory_file& image) : real_(real), image_(image) {}
    void exchange(std::span<const outgoing> out, std::span<const incoming> in) override {
      if (++calls_ == 5) set_size(image_.file("?"), 100);
      real_.exchange(out, in);
    }
    transport& real_;
    const memory_file& image_;
    int calls_ = 0;
  };
  const outcome shorter = run_members(5, [&](unsigned i, auto& link) {
    shortening shorter_link(link, files.images[0]);
    const own_image own{files.images[i].file("image" + std::to_string(i)), 0, files.parities[i].file("parity")};
    encode({files.of, i}, {7, 99}, own, i == 0 ? static_cast<transport&>(shorter_link) : link);
  });
  CHECK(all_of_kind(shorter, error_kind::damaged));
  CHECK(shorter.errors[4] == "rank 10: image0: ends before its 3000000 bytes");
}

TEST_CASE("redundancy: two members that fail are both named") {
  group_files files(2, sizes);
  const opened full("/dev/full", O_RDWR);
  const outcome end = run_members(5, [&](unsigned i, auto& link) {
    const own_image own{files.images[i].file("image"), 0, i % 3 == 1 ? full.file() : files.parities[i].file("parity")};
    encode({files.of, i}, {7, 99}, own, link);
  });
  CHECK(all_of_kind(end, error_kind::io));
  CHECK(end.errors[0].find("rank 13: /dev/full") != std::string::npos);
  CHECK(end.errors[0].find("; rank 22: /dev/full") != std::string::npos);
}

TEST_CASE("redundancy: what is rebuilt cannot be written") {
  for (const bool image : {true, false})
    for (const unsigned victim : {0u, 1u, 4u}) {
      if (!is_long_run() && victim != (image ? 1 : 4)) continue;
      group_files files(2, sizes);
      REQUIRE(files.encode_all().all_well());
      files.lose(victim);
      files.lose((victim + 2) % 5);
      const std::string name = (image ? "image" : "parity") + std::to_string(victim);
      const int sealed = (image ? files.images : files.parities)[victim].file("").fd;
      const std::string path = "/proc/self/fd/" + std::to_string(sealed);
      const opened read_only(path.c_str(), O_RDONLY);
      const outcome end = run_members(5, [&](unsigned i, auto& link) {
        own_files own = files.own_files(i);
        if (i == victim) (image ? own.image : own.parity).fd = read_only.file().fd;
        rebuild({files.of, i}, 7, own, look::at_contents, link);
      });
      CHECK(all_of_kind(end, error_kind::io));
      CHECK(end.errors[0].find("rank " + std::to_string(files.of.ranks[victim]) + ": " + name + ":") !=
            std::string::npos);
    }
}

TEST_CASE("redundancy: a disk that fails in the middle of a rebuild") {
  // A source whose file is cut after its blocks were checked.
  struct cutting final : transport {
    cutting(transport& real, const group_files& files) : real_(real), files_(files) {}
    void exchange(std::span<const outgoing> out, std::span<const incoming> in) override {
      if (++calls_ == 12) set_size(files_.images[2].file("?"), 0);
      real_.exchange(out, in);
    }
    transport& real_;
    const group_files& files_;
    int calls_ = 0;
  };
  group_files files(2, sizes);
  REQUIRE(files.encode_all().all_well());
  files.lose(0);
  const outcome end = run_members(5, [&](unsigned i, auto& link) {
    cutting cut(link, files);
    rebuild({files.of, i}, 7, files.own_files(i), look::at_claims, i == 2 ? static_cast<transport&>(cut) : link);
  });
  CHECK(all_of_kind(end, error_kind::damaged));
  CHECK(end.errors[0].find("rank 16: image2: ends before") != std::string::npos);
}

TEST_CASE("redundancy: a network that changes a byte of what is rebuilt") {
  struct changing final : transport {
    explicit changing(transport& real) : real_(real) {}
    void exchange(std::span<const outgoing> out, std::span<const incoming> in) override {
      real_.exchange(out, in);
      for (const incoming& message : in)
        if (message.bytes.size() > page_bytes && !std::exchange(changed_, true)) message.bytes[100] ^= std::byte{1};
    }
    transport& real_;
    bool changed_ = false;
  };
  group_files files(2, sizes);
  REQUIRE(files.encode_all().all_well());
  files.lose(0);
  const outcome end = run_members(5, [&](unsigned i, auto& link) {
    changing change(link);
    rebuild({files.of, i}, 7, files.own_files(i), look::at_claims, i == 0 ? static_cast<transport&>(change) : link);
  });
  CHECK(all_of_kind(end, error_kind::damaged));
  CHECK(end.errors[3].find("rank 10: block ") != std::string::npos);
}

TEST_CASE("redundancy: members that were told different checkpoints") {
  group_files files(1, {5000, 6000, 7000});
  const outcome end = run_members(3, [&](unsigned i, auto& link) {
    const own_image own{files.images[i].file("image"), 0, files.parities[i].file("parity")};
    encode({files.of, i}, {7, i == 2 ? 98u : 99u}, own, link);
  });
  CHECK(all_of_kind(end, error_kind::usage));
  CHECK(end.errors[0] == "rank 16 and rank 10 protect images of different checkpoints");
}

TEST_CASE("redundancy: a parity file that was not finished is none") {
  group_files files(2, sizes);
  const opened full("/dev/full", O_RDWR);
  run_members(5, [&](unsigned i, auto& link) {
    const own_image own{files.images[i].file("image"), 0, i == 4 ? full.file() : files.parities[i].file("parity")};
    encode({files.of, i}, {7, 99}, own, link);
  });
  for (unsigned i = 0; i < 4; ++i) CHECK_FALSE(read_header(files.parities[i].file("parity")).has_value());
  CHECK(all_of_kind(files.rebuild_all(), error_kind::lost));
}

TEST_CASE("redundancy: a group that cannot be") {
  for (const membership& bad : {membership{{{0}, 1}, 0}, membership{{{0, 1}, 2}, 0}, membership{{{0, 1}, 0}, 0},
                                membership{{{0, 1}, 1}, 2}})
    CHECK(all_of_kind(run_members(1, [&](unsigned, auto& link) { encode(bad, {}, {}, link); }), error_kind::usage));
}

}  // namespace redundancy_failure_tests
