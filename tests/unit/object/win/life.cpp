// Windows: what the live MPI hears of them, and what a checkpoint leaves.
#include <running_mpi.hpp>

#include <runtime/words/exit_status.hpp>

#include <mana/object/win/class.hpp>
#include <mana/object/win/descriptor.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <tuple>
#include <utility>

namespace win_life_tests {

using namespace mana;
using namespace mana::scripted;

namespace {

std::vector<int> heard_codes;
void note_win_error(MPI_Win*, int* code, ...) { heard_codes.push_back(*code); }
/// The window notes errors from now on, and no handle is left.
void note_errors(MPI_Win win) {
  MPI_Errhandler made = MPI_ERRHANDLER_NULL;
  MPI_Win_create_errhandler(note_win_error, &made);
  CHECK(MPI_Win_set_errhandler(win, made) == MPI_SUCCESS);
  MPI_Errhandler_free(&made);
  heard_codes.clear();
}

int memory[16];

/// The other ranks are on another node: no name of shared memory comes from rank 0, and each rank has its lock words alone.
void expect_other_node() {
  always<&mpi_slots::MPI_Bcast>().gives(neutral::success);
  always<&mpi_slots::MPI_Info_set>().gives(neutral::success);
  always<&mpi_slots::MPI_Allreduce>().does(agree);
}

/// A window over all ranks, whose handler notes errors.
struct window {
  MPI_Win win = MPI_WIN_NULL;
  window() {
    expect_other_node();
    REQUIRE(MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win) == MPI_SUCCESS);
    note_errors(win);
  }
  ~window() { CHECK(MPI_Win_free(&win) == MPI_SUCCESS); }
  void check_error(int code, int error_class) {
    CHECK(class_of(code) == error_class);
    REQUIRE(heard_codes.size() == 1);
    CHECK(heard_codes[0] == code);
    heard_codes.clear();
  }
};

/// Words of all ranks, for MPI_Fetch_and_op. The only rank that acts is the test.
struct words {
  std::int64_t all[world_size][4] = {};
  words() {
    always<&mpi_slots::MPI_Fetch_and_op>().does([this](const void* from, void* result, real<kind::datatype>, int home,
                                                       std::intptr_t word, real<kind::op>, real<kind::win>) {
      std::int64_t amount = 0;
      std::memcpy(&amount, from, sizeof amount);
      REQUIRE(word % object::words_of_line == 0);
      std::memcpy(result, &all[home][word / object::words_of_line], sizeof amount);
      all[home][word / object::words_of_line] += amount;
      return int{neutral::success};
    });
    always<&mpi_slots::MPI_Win_flush>().gives(neutral::success);
  }
};

/// The ranks are on one node: the words of all lie in a file, by the name that rank 0 has told. This test acts as the others.
class node_words {
 public:
  node_words() {
    begin_file();
    always<&mpi_slots::MPI_Bcast>().does([this](void* to, int bytes, auto, int, auto) {
      std::memcpy(to, name_, static_cast<std::size_t>(bytes) < sizeof name_ ? static_cast<std::size_t>(bytes) : sizeof name_);
      return int{neutral::success};
    });
    always<&mpi_slots::MPI_Allreduce>().does(agree);
    always<&services::probe>().does([](int, int, auto, int, int* flag, neutral::status*) { return *flag = 0, int{neutral::success}; });
  }
  ~node_words() { end_file(); }
  std::int64_t& at(int rank, int place) { return all_[rank * object::words_of_rank(world_size) + place]; }
  std::int64_t& at(int rank, object::lock_word word) { return at(rank, static_cast<int>(object::place_of(word))); }
  std::int64_t& at_round(int rank, int round) { return at(rank, static_cast<int>(object::place_of_round(round))); }
  std::int64_t& at(int rank, object::token kind, int sender) {
    return at(rank, static_cast<int>(object::place_of(kind, sender, world_size)));
  }
  /// As of a rank 0 of a new process: without contents.
  void replace_file() {
    end_file();
    begin_file();
  }

 private:
  static constexpr std::size_t bytes = 4096;
  char name_[32] = {};
  std::int64_t* all_ = nullptr;
  void begin_file() {
    static int number = 0;
    std::snprintf(name_, sizeof name_, "/mana-window-%d-%d", getpid(), ++number);
    const int fd = shm_open(name_, O_CREAT | O_EXCL | O_RDWR, 0600);
    REQUIRE(fd >= 0);
    REQUIRE(ftruncate(fd, bytes) == 0);
    all_ = static_cast<std::int64_t*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    close(fd);
  }
  void end_file() {
    munmap(all_, bytes);
    shm_unlink(name_);
  }
};

/// Ranks of MPI_COMM_WORLD.
MPI_Group group_of(std::initializer_list<int> ranks) {
  MPI_Group world = MPI_GROUP_NULL, made = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, static_cast<int>(ranks.size()), std::data(ranks), &made);
  MPI_Group_free(&world);
  return made;
}

/// Memory of a live MPI that shares it between processes, of which a page shows what a new process allocates.
class live_memory {
 public:
  static constexpr std::size_t bytes = 8192, lead = 64;
  live_memory() {
    begin();
    always<&mpi_slots::MPI_Win_allocate>().does([this](auto, int, auto, auto, void* to, real<kind::win>* made) {
      void* const base = at_ + lead;
      std::memcpy(to, &base, sizeof base);
      *made = make<kind::win>();
      return int{neutral::success};
    });
  }
  ~live_memory() { end(); }
  void replace(int kind = MAP_SHARED) {
    end();
    begin(kind);
  }
  char* base() { return at_ + lead; }

 private:
  int fd_ = -1;
  char* at_ = nullptr;
  void begin(int kind = MAP_SHARED) {
    fd_ = memfd_create("live", 0);
    REQUIRE(ftruncate(fd_, bytes) == 0);
    at_ = static_cast<char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kind, fd_, 0));
  }
  void end() {
    munmap(at_, bytes);
    close(fd_);
  }
};

/// The program goes on in a new process.
void restart() {
  arrive({lower::predefined(neutral::comm_world), 0, 1, "text"});
  expect_checkpoint_in<&services::probe>(outcome::restarts);
  CHECK(MPI_Probe(0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  int data = 0;
  expect<&services::deliver>().gives(neutral::success);
  CHECK(MPI_Recv(&data, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

void expect_put() { expect<&mpi_slots::MPI_Put>().gives(neutral::success); }

}  // namespace

TEST_CASE("a restart that splits shared memory ends with the status of other surroundings") {
  CHECK(object::status_if_memory_is_split == static_cast<int>(exit_status::surroundings_differ));
}

TEST_CASE("displacements of a window in bytes are from the multiple of 16 before the part") {
  object::win_entry e;
  object::win_segment parts[] = {{4, 4, 4096}, {8, 2, 4100}};
  e.what.parts = parts;
  e.what.is_in_bytes = true;
  CHECK(object::live_displacement(e, 0, 0) == 0);
  CHECK(object::live_displacement(e, 0, 1) == 4);
  CHECK(object::live_displacement(e, 1, 3) == 10);
  e.what.is_in_bytes = false;
  CHECK(object::live_displacement(e, 1, 3) == 3);
}

TEST_CASE_FIXTURE(running_mpi, "INV-134 a live window begins at a multiple of 16, and operations reach the program's places") {
  alignas(16) static char block[64];
  expect_other_node();
  always<&mpi_slots::MPI_Allgather>().does([](const void* own, auto bytes, auto, void* all, auto...) {
    for (int rank = 0; rank < 2; ++rank) std::memcpy(static_cast<char*>(all) + rank * bytes, own, static_cast<std::size_t>(bytes));
    return int{neutral::success};
  });
  const auto live = [] {                     // {base, bytes, unit} of the newest live window over the block
    std::tuple<const char*, std::intptr_t, int> found;
    for (const auto& call : calls<&mpi_slots::MPI_Win_create>())
      if (const auto* const base = static_cast<const char*>(std::get<0>(call)); base >= block && base < block + sizeof block)
        found = {base, std::get<1>(call), static_cast<int>(std::get<2>(call))};
    return found;
  };
  MPI_Win win = MPI_WIN_NULL;
  REQUIRE(MPI_Win_create(block + 20, 40, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win) == MPI_SUCCESS);
  CHECK(live() == std::tuple{block + 16, 44, 1});
  CHECK(MPI_Win_lock_all(MPI_MODE_NOCHECK, win) == MPI_SUCCESS);
  expect_put();
  CHECK(MPI_Put(block, 1, MPI_INT, 1, 3, 1, MPI_INT, win) == MPI_SUCCESS);
  CHECK(std::get<4>(calls<&mpi_slots::MPI_Put>().back()) == 4 + 3 * 4);
  expect<&mpi_slots::MPI_Win_flush_all>().gives(neutral::success);
  CHECK(MPI_Win_unlock_all(win) == MPI_SUCCESS);
  CHECK(MPI_Win_free(&win) == MPI_SUCCESS);
  // Where each base is a multiple, the live window is the program's.
  REQUIRE(MPI_Win_create(block + 16, 40, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win) == MPI_SUCCESS);
  CHECK(live() == std::tuple{block + 16, 40, 4});
  CHECK(MPI_Win_free(&win) == MPI_SUCCESS);
}

TEST_CASE_FIXTURE(running_mpi, "a window has two live ones, in an epoch that nobody else asks for") {
  expect_other_node();
  MPI_Win win = MPI_WIN_NULL;
  const std::size_t entered = calls<&services::win_enter>().size();
  CHECK(MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win) == MPI_SUCCESS);
  CHECK(live_count(kind_code::win) == 2);
  CHECK(calls<&services::win_enter>().size() == entered + 2);
  void* base = nullptr;
  MPI_Aint* bytes = nullptr;
  int *unit = nullptr, *flavor = nullptr, *model = nullptr, flag = 0;
  CHECK(MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag) == MPI_SUCCESS);
  CHECK(MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag) == MPI_SUCCESS);
  CHECK(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &flag) == MPI_SUCCESS);
  CHECK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag) == MPI_SUCCESS);
  CHECK(MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &flag) == MPI_SUCCESS);
  CHECK(base == memory);
  CHECK(*bytes == sizeof memory);
  CHECK(*unit == 4);
  CHECK(*flavor == MPI_WIN_FLAVOR_CREATE);
  CHECK(*model == MPI_WIN_UNIFIED);
  MPI_Win stale = win;
  CHECK(MPI_Win_free(&win) == MPI_SUCCESS);
  CHECK(win == MPI_WIN_NULL);
  CHECK(live_count(kind_code::win) == 0);
  check_error(MPI_Win_fence(0, stale), MPI_ERR_WIN);
  check_error(MPI_Win_free(&stale), MPI_ERR_WIN);
}

TEST_CASE_FIXTURE(running_mpi, "wrong arguments of constructors are errors of the communicator, and leave nothing") {
  MPI_Win win = MPI_WIN_NULL;
  check_error(MPI_Win_create(memory, -1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_SIZE);
  check_error(MPI_Win_create(memory, 4, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_DISP);
  check_error(MPI_Win_create(nullptr, 4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_BASE);
  check_error(MPI_Win_create(memory, 4, 1, MPI_INFO_NULL, MPI_COMM_NULL, &win), MPI_ERR_COMM);
}

TEST_CASE_FIXTURE(running_mpi, "a window that the live MPI refuses leaves nothing") {
  MPI_Win win = MPI_WIN_NULL;
  always<&mpi_slots::MPI_Allreduce>().does(agree);
  expect<&mpi_slots::MPI_Win_create>().gives(neutral::err_other);
  check_error(MPI_Win_create(memory, 4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_OTHER);
}

TEST_CASE_FIXTURE(running_mpi, "a window that one member could not make is one that no member has") {
  MPI_Win win = MPI_WIN_NULL;
  const auto before = live_count(kind_code::comm);
  const std::size_t freed = calls<&mpi_slots::MPI_Win_free>().size(), told = calls<&mpi_slots::MPI_Bcast>().size();
  real<kind::win> left;
  expect<&mpi_slots::MPI_Win_create>().does([&](auto, auto, auto, auto, auto, real<kind::win>* made) {
    return *made = left = make<kind::win>(), int{neutral::success}; });
  expect<&mpi_slots::MPI_Allreduce>().does(agree);                               // where the bases lie
  always<&mpi_slots::MPI_Allreduce>().does([](const void* from, void* to, int n, auto, auto, auto) {
    std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(std::int64_t));
    if (n == 1) *static_cast<std::int64_t*>(to) = neutral::err_no_mem;           // of another member, which has no live window
    else *static_cast<std::int64_t*>(to) = 1;
    return int{neutral::success};
  });
  check_error(MPI_Win_create(memory, 4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_NO_MEM);
  CHECK(calls<&mpi_slots::MPI_Win_free>().size() == freed);                       // would wait for it
  CHECK(calls<&mpi_slots::MPI_Bcast>().size() == told);
  CHECK(live_count(kind_code::comm) == before);
  end(left);
}

TEST_CASE_FIXTURE(running_mpi, "a window without a handler shows MPI_ERRORS_ARE_FATAL; built for MPICH it uses that of MPI_COMM_WORLD") {
  expect_other_node();
  MPI_Win win = MPI_WIN_NULL;
  REQUIRE(MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win) == MPI_SUCCESS);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  CHECK(MPI_Win_get_errhandler(win, &handler) == MPI_SUCCESS);
  CHECK(handler == MPI_ERRORS_ARE_FATAL);
  if (family::unset_errhandler_is_of_world) check_error(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
  CHECK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN) == MPI_SUCCESS);
  CHECK(class_of(MPI_Win_complete(win)) == MPI_ERR_RMA_SYNC);
  CHECK(MPI_Win_free(&win) == MPI_SUCCESS);
}

TEST_CASE_FIXTURE(running_mpi, "operations need an epoch; a flush always goes down, the end of an epoch flushes what is dirty") {
  window w;
  int one = 1;
  w.check_error(MPI_Put(&one, 1, MPI_INT, 2, 0, 1, MPI_INT, w.win), MPI_ERR_RMA_SYNC);
  w.check_error(MPI_Put(&one, 1, MPI_INT, 9, 0, 1, MPI_INT, w.win), MPI_ERR_RANK);
  w.check_error(MPI_Put(&one, -1, MPI_INT, 2, 0, 1, MPI_INT, w.win), MPI_ERR_COUNT);
  w.check_error(MPI_Put(&one, 1, MPI_DATATYPE_NULL, 2, 0, 1, MPI_INT, w.win), MPI_ERR_TYPE);
  CHECK(MPI_Win_lock_all(MPI_MODE_NOCHECK, w.win) == MPI_SUCCESS);
  expect<&mpi_slots::MPI_Win_flush_all>().gives(neutral::success);
  CHECK(MPI_Win_flush_all(w.win) == MPI_SUCCESS);                     // clean, but peers may wait for the live MPI's turn
  CHECK(MPI_Put(&one, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, w.win) == MPI_SUCCESS);
  w.check_error(MPI_Put(&one, 1, MPI_INT, 2, -1, 1, MPI_INT, w.win), MPI_ERR_DISP);
  expect_put();
  CHECK(MPI_Put(&one, 1, MPI_INT, 2, 0, 1, MPI_INT, w.win) == MPI_SUCCESS);
  for (int times = 0; times < 2; ++times) {
    expect<&mpi_slots::MPI_Win_flush>().gives(neutral::success);
    CHECK(MPI_Win_flush(2, w.win) == MPI_SUCCESS);
  }
  expect<&mpi_slots::MPI_Win_flush_all>().gives(neutral::success);
  CHECK(MPI_Win_unlock_all(w.win) == MPI_SUCCESS);
  CHECK(MPI_Win_lock_all(MPI_MODE_NOCHECK, w.win) == MPI_SUCCESS);
  CHECK(MPI_Win_unlock_all(w.win) == MPI_SUCCESS);                    // clean
}

TEST_CASE_FIXTURE(running_mpi, "only predefined operations are allowed") {
  window w;
  int one = 1;
  MPI_Op own = MPI_OP_NULL;
  MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &own);
  CHECK(MPI_Win_lock_all(MPI_MODE_NOCHECK, w.win) == MPI_SUCCESS);
  w.check_error(MPI_Accumulate(&one, 1, MPI_INT, 2, 0, 1, MPI_INT, own, w.win), MPI_ERR_OP);
  expect<&mpi_slots::MPI_Accumulate>().gives(neutral::success);
  CHECK(MPI_Accumulate(&one, 1, MPI_INT, 2, 0, 1, MPI_INT, MPI_REPLACE, w.win) == MPI_SUCCESS);
  expect<&mpi_slots::MPI_Win_flush_all>().gives(neutral::success);
  CHECK(MPI_Win_unlock_all(w.win) == MPI_SUCCESS);
  MPI_Op_free(&own);
}

TEST_CASE_FIXTURE(running_mpi, "locks are places in queues, and leave no trace") {
  words all;
  {
    window w;
    CHECK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, w.win) == MPI_SUCCESS);
    w.check_error(MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, w.win), MPI_ERR_RMA_SYNC);
    w.check_error(MPI_Win_lock(77, 3, 0, w.win), MPI_ERR_LOCKTYPE);
    w.check_error(MPI_Win_lock(MPI_LOCK_SHARED, 3, 1 << 20, w.win), MPI_ERR_ASSERT);
    CHECK(MPI_Win_lock(MPI_LOCK_SHARED, 3, 0, w.win) == MPI_SUCCESS);
    CHECK(all.all[2][0] == std::int64_t{1} << 32);
    CHECK(all.all[3][0] == 1);
    CHECK(all.all[0][2] == std::int64_t{1} << 32);
    MPI_Win copy = w.win;
    w.check_error(MPI_Win_free(&copy), MPI_ERR_RMA_SYNC);
    CHECK(MPI_Win_unlock(2, w.win) == MPI_SUCCESS);
    CHECK(MPI_Win_unlock(3, w.win) == MPI_SUCCESS);
    w.check_error(MPI_Win_unlock(3, w.win), MPI_ERR_RMA_SYNC);
    CHECK(MPI_Win_lock_all(0, w.win) == MPI_SUCCESS);
    CHECK(MPI_Win_unlock_all(w.win) == MPI_SUCCESS);
  }
  for (const auto& rank : all.all) {
    CHECK(rank[0] == rank[1]);
    CHECK(rank[2] == rank[3]);
  }
}

TEST_CASE_FIXTURE(running_mpi, "a rank that waits for a lock needs the others, is saved, and gets it in the new process") {
  for (const outcome how : all_ways) {
    INFO(std::string(way_names[static_cast<int>(how)]));
    words all;
    window w;
    const std::int64_t writer = std::int64_t{1} << 32;
    all.all[2][0] = writer;                                     // another rank has the lock
    expect<&services::clock_wait>().does([&](const int* ranks, int n) {
      CHECK(n == 3);
      CHECK(ranks[0] == 0);
      CHECK(ranks[1] == 2);
      after_checkpoint([&] { all.all[2][1] = writer; });        // and gives it back
      return declare_line(how);
    });
    raise_attention();
    const int before = parks();
    CHECK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, w.win) == MPI_SUCCESS);
    CHECK(parks() == before + 1);
    CHECK(live_count(kind_code::win) == 2);
    CHECK(MPI_Win_unlock(2, w.win) == MPI_SUCCESS);
  }
}

TEST_CASE_FIXTURE(running_mpi, "INV-122 a checkpoint flushes what is dirty, and completes requests") {
  for (const outcome how : {outcome::resumes, outcome::restarts}) {
    window w;
    int one = 1;
    MPI_Request r = MPI_REQUEST_NULL, other = MPI_REQUEST_NULL;
    CHECK(MPI_Win_lock_all(MPI_MODE_NOCHECK, w.win) == MPI_SUCCESS);
    expect<&mpi_slots::MPI_Rput>().does([](auto... a) {
      *std::get<sizeof...(a) - 1>(std::tuple(a...)) = pending_request(true);
      return int{neutral::success};
    });
    CHECK(MPI_Rput(&one, 1, MPI_INT, 2, 0, 1, MPI_INT, w.win, &r) == MPI_SUCCESS);
    expect<&services::irecv>().does([](auto... a) {
      *std::get<sizeof...(a) - 1>(std::tuple(a...)) = pending_request(false);
      return int{neutral::success};
    });
    CHECK(MPI_Irecv(&one, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, &other) == MPI_SUCCESS);
    if (how == outcome::restarts)
      expect<&services::irecv>().does([](auto... a) {
        *std::get<sizeof...(a) - 1>(std::tuple(a...)) = pending_request(false);
        return int{neutral::success};
      });
    expect<&mpi_slots::MPI_Win_flush_all>().gives(neutral::success);
    expect_checkpoint_in<&services::wait_some>(how);
    expect<&services::wait_some>().does([](int n, real<kind::request>* reals, neutral::status* statuses, int) {
      for (int i = 0; i < n; ++i)
        if (reals[i]) complete(reals[i], {2, 7, neutral::success, 0, 4});
      return take_completed(n, reals, statuses);
    });
    CHECK(MPI_Wait(&other, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(pending_requests() == 0);
    CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);      // complete since the checkpoint
    CHECK(MPI_Win_unlock_all(w.win) == MPI_SUCCESS);            // clean
  }
}

TEST_CASE_FIXTURE(running_mpi, "INV-123 a fence is one collective, after which operations may follow") {
  window w;
  int one = 1;
  always<&mpi_slots::MPI_Barrier>().gives(neutral::success);
  w.check_error(MPI_Win_fence(1 << 20, w.win), MPI_ERR_ASSERT);
  CHECK(MPI_Win_fence(MPI_MODE_NOPRECEDE, w.win) == MPI_SUCCESS);
  expect_put();
  CHECK(MPI_Put(&one, 1, MPI_INT, 2, 0, 1, MPI_INT, w.win) == MPI_SUCCESS);
  w.check_error(MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, w.win), MPI_ERR_RMA_SYNC);
  expect<&mpi_slots::MPI_Win_flush_all>().gives(neutral::success);
  const std::size_t before = calls<&mpi_slots::MPI_Barrier>().size();
  CHECK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win) == MPI_SUCCESS);
  CHECK(calls<&mpi_slots::MPI_Barrier>().size() == before + 1);
  w.check_error(MPI_Put(&one, 1, MPI_INT, 2, 0, 1, MPI_INT, w.win), MPI_ERR_RMA_SYNC);
}

TEST_CASE_FIXTURE(running_mpi, "INV-128 on one node locks are taken without the live MPI, and a restart keeps the own words") {
  using object::lock_word;
  node_words all;
  MPI_Win win = MPI_WIN_NULL;
  REQUIRE(MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win) == MPI_SUCCESS);
  CHECK(live_count(kind_code::win) == 1);
  const std::int64_t writer = std::int64_t{1} << 32;
  CHECK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, win) == MPI_SUCCESS);
  CHECK(all.at(2, lock_word::asked) == writer);
  CHECK(all.at(0, lock_word::all_asked) == writer);
  CHECK(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win) == MPI_SUCCESS);
  CHECK(all.at(1, lock_word::asked) == 1);
  all.replace_file();
  restart();
  CHECK(all.at(1, lock_word::asked) == 1);                       // what the others have, they bring along
  CHECK(all.at(2, lock_word::asked) == 0);
  CHECK(MPI_Win_unlock(1, win) == MPI_SUCCESS);
  CHECK(all.at(1, lock_word::done) == 1);
  words below;
  below.all[1][0] = below.all[1][1] = 1;
  expect_other_node();
  restart();
  CHECK(live_count(kind_code::win) == 2);
  CHECK(MPI_Win_unlock(2, win) == MPI_SUCCESS);
  CHECK(below.all[2][1] == writer);
  CHECK(below.all[0][3] == writer);
  CHECK(MPI_Win_free(&win) == MPI_SUCCESS);
}

TEST_CASE_FIXTURE(running_mpi, "INV-130 on one node ranks meet in a fence by words, without a live communicator") {
  node_words all;
  MPI_Win win = MPI_WIN_NULL;
  const auto before = live_count(kind_code::comm);
  REQUIRE(MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win) == MPI_SUCCESS);
  CHECK(live_count(kind_code::comm) == before);
  const std::size_t barriers = calls<&mpi_slots::MPI_Barrier>().size();
  always<&mpi_slots::MPI_Win_sync>().gives(neutral::success);
  all.at_round(1, 0) = 3;                         // its writer has left this fence and the next
  int turns = 0;
  always<&services::probe>().does([&](int, int, auto, int, int* flag, neutral::status*) {
    CHECK(all.at_round(2, 0) == 1);
    CHECK(all.at_round(3, 1) == 1);
    all.at_round(1, 1) = ++turns < 3 ? 0 : 1;
    return *flag = 0, int{neutral::success};
  });
  CHECK(MPI_Win_fence(0, win) == MPI_SUCCESS);
  CHECK(turns == 3);
  all.at_round(1, 0) = 1;
  all.replace_file();
  restart();
  CHECK(live_count(kind_code::comm) == before);
  CHECK(all.at_round(1, 0) == 1);
  all.at_round(1, 0) = all.at_round(1, 1) = 2;
  CHECK(MPI_Win_fence(0, win) == MPI_SUCCESS);
  CHECK(all.at_round(2, 0) == 2);
  CHECK(calls<&mpi_slots::MPI_Barrier>().size() == barriers);
  expect_other_node();
  restart();
  CHECK(live_count(kind_code::comm) == before + 1);
  always<&mpi_slots::MPI_Barrier>().gives(neutral::success);
  CHECK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win) == MPI_SUCCESS);
  CHECK(calls<&mpi_slots::MPI_Barrier>().size() == barriers + 1);
  CHECK(MPI_Win_free(&win) == MPI_SUCCESS);
  CHECK(live_count(kind_code::comm) == before);
}

TEST_CASE_FIXTURE(running_mpi, "INV-123 a fence meets the others also if its flush fails") {
  window w;
  int one = 1;
  always<&mpi_slots::MPI_Barrier>().gives(neutral::success);
  CHECK(MPI_Win_fence(0, w.win) == MPI_SUCCESS);
  expect_put();
  CHECK(MPI_Put(&one, 1, MPI_INT, 2, 0, 1, MPI_INT, w.win) == MPI_SUCCESS);
  expect<&mpi_slots::MPI_Win_flush_all>().gives(neutral::err_rma_range);
  const std::size_t before = calls<&mpi_slots::MPI_Barrier>().size();
  w.check_error(MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win), MPI_ERR_RMA_RANGE);
  CHECK(calls<&mpi_slots::MPI_Barrier>().size() == before + 1);
  CHECK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win) == MPI_SUCCESS);
}

TEST_CASE_FIXTURE(running_mpi, "INV-129 on one node tokens are counts; a rank that waits for some needs their senders") {
  using object::token;
  node_words all;
  MPI_Win win = MPI_WIN_NULL;
  REQUIRE(MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win) == MPI_SUCCESS);
  MPI_Group two = group_of({2, 3});
  for (int round = 1; round <= 2; ++round) {
    CHECK(MPI_Win_post(two, 0, win) == MPI_SUCCESS);
    CHECK(all.at(2, token::posted, 1) == round);
    CHECK(all.at(3, token::posted, 1) == round);
    for (int sender : {0, 2, 3}) all.at(1, token::posted, sender) = round;      // one more than it waits for
    CHECK(MPI_Win_start(two, 0, win) == MPI_SUCCESS);
    CHECK(MPI_Win_complete(win) == MPI_SUCCESS);
    CHECK(all.at(2, token::completed, 1) == round);
    CHECK(all.at(3, token::completed, 1) == round);
    CHECK(all.at(1, token::posted, 2) == round);              // its sender's alone
    int flag = 1;
    all.at(1, token::completed, 3) = round;
    CHECK(MPI_Win_test(win, &flag) == MPI_SUCCESS);
    CHECK(flag == 0);
    expect<&services::clock_wait>().does([&](const int* needed, int n) {
      CHECK(n == 1);
      CHECK(needed[0] == 2);
      after_checkpoint([&] { all.at(1, token::completed, 2) = round; });
      return declare_line(outcome::resumes);
    });
    raise_attention();
    CHECK(MPI_Win_wait(win) == MPI_SUCCESS);
  }
  MPI_Group_free(&two);
  CHECK(MPI_Win_free(&win) == MPI_SUCCESS);
}

TEST_CASE_FIXTURE(running_mpi, "INV-129 a restart on two nodes continues with the same counts, by MPI_SUM alone") {
  using object::token;
  node_words all;
  MPI_Win win = MPI_WIN_NULL;
  REQUIRE(MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win) == MPI_SUCCESS);
  MPI_Group other = group_of({2});
  CHECK(MPI_Win_post(other, 0, win) == MPI_SUCCESS);
  all.at(1, token::completed, 2) = 1;
  all.replace_file();
  expect_other_node();
  restart();
  std::vector<std::pair<int, std::intptr_t>> added;
  always<&mpi_slots::MPI_Win_flush>().gives(neutral::success);
  always<&mpi_slots::MPI_Fetch_and_op>().does([&](const void* from, void* result, real<kind::datatype>, int home,
                                                  std::intptr_t place, real<kind::op> op, real<kind::win>) {
    std::int64_t amount = 0, one = 1;
    std::memcpy(&amount, from, sizeof amount);
    std::memcpy(result, &one, sizeof one);        // what rank 1's memory has: it has brought it along
    CHECK(op == lower::predefined(neutral::sum));
    if (amount != 0) added.emplace_back(home, place);
    return int{neutral::success};
  });
  CHECK(MPI_Win_wait(win) == MPI_SUCCESS);
  CHECK(added.empty());
  CHECK(MPI_Win_post(other, 0, win) == MPI_SUCCESS);
  REQUIRE(added.size() == 1);
  CHECK(added[0].first == 2);
  CHECK(added[0].second == static_cast<std::intptr_t>(object::place_of(token::posted, 1, world_size)));
  int flag = 1;
  CHECK(MPI_Win_test(win, &flag) == MPI_SUCCESS);
  CHECK(flag == 0);                               // one completion was taken
  always<&mpi_slots::MPI_Fetch_and_op>().does([&](const void*, void* result, auto, int, auto, auto, auto) {
    const std::int64_t two = 2;
    std::memcpy(result, &two, sizeof two);
    return int{neutral::success};
  });
  CHECK(MPI_Win_wait(win) == MPI_SUCCESS);
  MPI_Group_free(&other);
  CHECK(MPI_Win_free(&win) == MPI_SUCCESS);
}

TEST_CASE_FIXTURE(running_mpi, "INV-127 memory of MPI_Win_allocate is the live MPI's, at an address and with contents that stay") {
  expect_other_node();
  live_memory live;
  MPI_Win win = MPI_WIN_NULL;
  char* base = nullptr;
  REQUIRE(MPI_Win_allocate(5000, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win) == MPI_SUCCESS);
  CHECK(reinterpret_cast<std::uintptr_t>(base) % 4096 == live_memory::lead);
  live.base()[4999] = 7;                          // a peer
  CHECK(base[4999] == 7);
  live.replace();
  live.base()[-1] = 5;                            // a neighbour in the page
  restart();
  CHECK(base[4999] == 7);
  CHECK(live.base()[4999] == 7);
  CHECK(live.base()[-1] == 5);
  base[0] = 3;
  CHECK(live.base()[0] == 3);
  live.replace(MAP_PRIVATE);                      // a live MPI that shares no memory
  const std::size_t created = calls<&mpi_slots::MPI_Win_create>().size();
  restart();
  CHECK(calls<&mpi_slots::MPI_Win_create>().size() == created + 2);
  CHECK(std::get<0>(calls<&mpi_slots::MPI_Win_create>()[created]) == base);
  CHECK(live_count(kind_code::win) == 2);
  CHECK(MPI_Win_free(&win) == MPI_SUCCESS);
}

TEST_CASE_FIXTURE(running_mpi, "memory of MPI_Win_allocate is the process's own") {
  MPI_Win win = MPI_WIN_NULL;
  char* base = nullptr;
  expect_other_node();
  CHECK(MPI_Win_allocate(10000, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win) == MPI_SUCCESS);
  REQUIRE(base != nullptr);
  CHECK(reinterpret_cast<std::uintptr_t>(base) % 4096 == 0);
  std::memset(base, 1, 10000);
  MPI_Aint bytes = 0;
  int unit = 0;
  void* other = nullptr;
  int me = -1, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int rank = 0; rank < ranks; ++rank) {       // MPI-4.1: what cannot be reached has no size
    CHECK(MPI_Win_shared_query(win, rank, &bytes, &unit, &other) == MPI_SUCCESS);
    CHECK(other == (rank == me ? base : nullptr));
    CHECK(bytes == (rank == me ? 10000 : 0));
  }
  CHECK(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &other) == MPI_SUCCESS);
  CHECK(bytes == (me == 0 ? 10000 : 0));
  note_errors(win);
  CHECK(class_of(MPI_Win_shared_query(win, ranks, &bytes, &unit, &other)) == MPI_ERR_RANK);
  CHECK(MPI_Win_free(&win) == MPI_SUCCESS);
}

TEST_CASE_FIXTURE(running_mpi, "attached memory is attached again in a new process") {
  MPI_Win win = MPI_WIN_NULL;
  expect_other_node();
  CHECK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win) == MPI_SUCCESS);
  always<&mpi_slots::MPI_Win_attach>().gives(neutral::success);
  always<&mpi_slots::MPI_Win_detach>().gives(neutral::success);
  CHECK(MPI_Win_attach(win, memory, 8) == MPI_SUCCESS);
  CHECK(MPI_Win_attach(win, memory + 4, 8) == MPI_SUCCESS);
  const std::size_t before = calls<&mpi_slots::MPI_Win_attach>().size();
  arrive({lower::predefined(neutral::comm_world), 0, 1, "text"});
  expect_checkpoint_in<&services::probe>(outcome::restarts);
  CHECK(MPI_Probe(0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(calls<&mpi_slots::MPI_Win_attach>().size() == before + 2);
  int data = 0;
  expect<&services::deliver>().gives(neutral::success);
  CHECK(MPI_Recv(&data, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Win_detach(win, memory) == MPI_SUCCESS);
  note_errors(win);
  CHECK(class_of(MPI_Win_detach(win, memory)) == MPI_ERR_RMA_ATTACH);
  CHECK(MPI_Win_free(&win) == MPI_SUCCESS);
}

TEST_CASE_FIXTURE(running_mpi, "tokens of posts and starts are messages of a communicator that the program does not know") {
  window w;
  MPI_Group all = MPI_GROUP_NULL, two = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  const int ranks[] = {2};
  MPI_Group_incl(all, 1, ranks, &two);
  std::shared_ptr<real<kind::request>> completion = expect_start<&services::irecv>();
  std::shared_ptr<real<kind::request>> sent = expect_start<&services::isend>();
  CHECK(MPI_Win_post(two, 0, w.win) == MPI_SUCCESS);
  complete(*sent);
  int flag = 1;
  CHECK(MPI_Win_test(w.win, &flag) == MPI_SUCCESS);
  CHECK(flag == 0);
  w.check_error(MPI_Win_post(two, 0, w.win), MPI_ERR_RMA_SYNC);
  complete(*completion, {2, 2, neutral::success, 0, 0});
  CHECK(MPI_Win_wait(w.win) == MPI_SUCCESS);
  w.check_error(MPI_Win_wait(w.win), MPI_ERR_RMA_SYNC);
  CHECK(MPI_Win_start(two, MPI_MODE_NOCHECK, w.win) == MPI_SUCCESS);
  int one = 1;
  w.check_error(MPI_Put(&one, 1, MPI_INT, 3, 0, 1, MPI_INT, w.win), MPI_ERR_RMA_SYNC);
  expect_put();
  CHECK(MPI_Put(&one, 1, MPI_INT, 2, 0, 1, MPI_INT, w.win) == MPI_SUCCESS);
  expect<&mpi_slots::MPI_Win_flush>().gives(neutral::success);
  sent = expect_start<&services::isend>();
  CHECK(MPI_Win_complete(w.win) == MPI_SUCCESS);
  complete(*sent);
  w.check_error(MPI_Win_complete(w.win), MPI_ERR_RMA_SYNC);
  MPI_Group_free(&all);
  MPI_Group_free(&two);
}

}  // namespace win_life_tests
