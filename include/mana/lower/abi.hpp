// The frozen boundary between the halves: fixed addresses, the bridge, a thread's block, the runtime's services. The
// runtime and the wrapper libraries read it, and so do the stub (assembly) and every image.
// For the changes that are allowed, and how to make them, see version.hpp; tests/frozen checks the layout.
// All types are neutral: no mpi.h, no libc type whose size a libc may choose.
#pragma once
#include <mana/core/handle.hpp>
#include <mana/lower/neutral.hpp>
#include <mana/lower/version.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mana::vid { struct group_clock; }

namespace mana::lower {

inline constexpr std::uint64_t bridge_magic = 0x3147'4452'4241'4e41;   // "ANABRDG1", little endian

// INV-1 every byte of the upper half lies in the window, below 2 GiB where MAP_32BIT chooses (zones.hpp), or in the
// program's own fixed segments. These lie below the window, and their code below 4 GiB.
inline constexpr std::uintptr_t window_begin = 0x2000'0000'0000;
inline constexpr std::uintptr_t window_end   = 0x5000'0000'0000;
inline constexpr std::uintptr_t fixed_end    = window_begin;             // ET_EXEC programs live below this

// Zones of the window.
inline constexpr std::uintptr_t bridge_address = window_begin;                     // struct bridge, then thread blocks
inline constexpr std::uintptr_t stub_address   = window_begin + 0x0000'4000'0000;  // synthetic vDSO, signal trampolines
inline constexpr std::uintptr_t program_zone   = window_begin + 0x0001'0000'0000;  // program (PIE), then its ld.so
inline constexpr std::uintptr_t stack_zone =
    window_begin + 0x0003'0000'0000;  // the initial thread's stack, below its top
inline constexpr std::uintptr_t large_program_zone =
    window_begin + 0x0080'0000'0000;  // for a program that is too large to fit before the stack; 512 GiB
inline constexpr std::uintptr_t brk_zone       = window_begin + 0x0100'0000'0000;
inline constexpr std::uintptr_t mmap_zone      = window_begin + 0x0200'0000'0000;  // everything that mmap chooses

/// Registers that survive a call, for a thread that parks. save_context() stores them, restore_context() loads them.
struct context {
  std::uint64_t rbx, rbp, r12, r13, r14, r15, rsp, rip;
  std::uint32_t mxcsr;
  std::uint32_t x87_control;
};
static_assert(sizeof(context) == 72);

enum class thread_state : std::uint32_t { unused = 0, running = 1, parked = 2, exiting = 3 };

/// Of a parked thread, see parked.hpp. unknown: the thread's wrapper library does not look for signals.
enum class look_order : std::uint32_t { unknown = 0, none = 1, look = 2 };

/// Processor time. ns: the whole time; system_us: the time spent in the kernel.
struct processor_time {
  std::int64_t ns, system_us;
};

/// A stack_t. bytes 0: no stack
struct signal_stack {
  std::uint64_t address, bytes, flags;
};

/// Each thread of the upper half has one, to which its block register points. It lies in the window, so images have it.
/// A restart writes lower_fs and tid again.
struct thread_block {
  thread_block* self;                 // 0
  std::uint64_t lower_fs;             // 8   thread pointer of the lower half's twin of this thread
  std::uint64_t upper_fs;             // 16  valid while the thread runs lower-half code, or is parked
  std::int32_t inside;                // 24  >0: in a wrapper, an upcall or a trap. Such a thread parks when it leaves
  std::uint32_t function;             // 28  function_id of the outermost wrapper, for diagnosis; 0: none
  std::uint32_t index;                // 32  own index in bridge::threads
  std::atomic<thread_state> state;    // 36
  std::int32_t tid;                   // 40  kernel's id in this process
  std::uint32_t in_lower;             // 44  1 while the thread pointer is the lower half's
  std::uint64_t tid_address;          // 48  where the upper libc caches the thread id (set_tid_address, PARENT_SETTID)
  std::uint64_t clear_tid;            // 56  CLONE_CHILD_CLEARTID address, zeroed and woken at the thread's end
  std::uint64_t robust_list;          // 64
  std::uint64_t robust_length;        // 72
  std::uint64_t signal_mask;          // 80  of the upper half, when parked
  context saved;                      // 88
  std::uint64_t lower_private;        // 160 the runtime's own data of this thread; not valid after a restart
  std::uint64_t vdso_frame;           // 168 stack frame of the stub's vDSO call under way; no meaning outside one
  signal_stack alternate_stack;       // 176 of a parked thread
  void* interrupted;                  // 200 of a thread that the park signal parked: its ucontext_t; else null
  std::uint64_t parked_epoch;         // 208 bridge::release_epoch when it parked: "parked" holds until that changes
  processor_time time_ahead;          // 216 how far the program's time of the thread is ahead of the kernel's
  processor_time time_used;           // 232 of a parked thread: the time that the program sees
  std::atomic<look_order> look;       // 248 a futex: the thread sets it to none when it has looked
  std::uint32_t blocks_sigsys;        // 252 1: the program blocks SIGSYS on this thread; only the thread writes it
  std::uint64_t spare[8];             // 256 zero. A later minor may name one; in older images it is zero
};
static_assert(sizeof(thread_block) == 320);
inline constexpr std::uint32_t max_threads = 4096;

/// Phases of a checkpoint, in this order, and what holds in each.
enum class phase : std::uint32_t {
  running = 0,     // no checkpoint under way
  agreeing = 1,    // a request is known; collectives start only if the clock allows it
  parking = 2,     // the recovery line is declared: every thread of the upper half goes to its park point
  draining = 3,    // all parked; the initial thread completes collectives and receives what is in flight
  writing = 4,     // nothing in flight; images are written and committed
  resuming = 5,    // committed or given up; threads are let go
  restoring = 6,   // in a new process: objects are being rebuilt
};

/// Bits of bridge::attention.
inline constexpr std::uint32_t checkpoint_pending = 1;
inline constexpr std::uint32_t collectives_ask = 2;   // each start of a collective asks the clock, checkpoint or none

/// How a checkpoint ended, as the upper half sees it.
enum class outcome : int { resumed = 0, given_up = 1, restarted = 2 };

struct services;
struct mpi_slots;     // generated: a pointer for each MPI function that the wrappers call in the lower half

/// Entry points of the upper half's wrapper library, registered by attach().
struct upper_entry {
  /// Signal handler of the park signal: parks the thread, or returns at once while it is inside a wrapper.
  void (*on_park_signal)(int signal, void* siginfo, void* ucontext);
  /// User reduction number `index` over `count` elements; called under the upper half's thread pointer.
  void (*reduce)(std::uint32_t index, void* in, void* inout, std::int64_t count, real<kind::datatype> datatype);
};

struct upper_functions;
struct thread_block;

/// Functions of the live lower half that the upper half and the stub call, all under either thread pointer.
using thread_listener = void (*)(thread_block*);
using signal_function = void (*)(int signal, void* siginfo, void* ucontext);
using clock_function = int (*)(int clock, void* timespec);

inline constexpr unsigned inventory_limit = 24;     // of inventory.hpp

struct bridge {
  std::uint64_t magic;
  std::uint32_t major;
  std::uint32_t has_fsgsbase;                     // chosen once at start; if 0, arch_prctl moves the thread pointer
  std::atomic<std::uint32_t> attention;           // see checkpoint_pending. The one load of every fast path
  std::atomic<phase> current;
  std::atomic<std::uint32_t> release_epoch;       // parked threads wait (futex) until it changes
  std::atomic<std::uint32_t> parked_count;
  std::uint32_t world_size, world_rank;           // valid after MPI_Init
  std::uint32_t main_thread;                      // index of the thread that called MPI_Init
  std::uint32_t restarts;                         // how often this process image was restarted
  table_head head;                                // of this struct, as the image's upper half and its loader know it
  const services* service;                        // lower half; replaced at restart
  const mpi_slots* mpi;                           // lower half; replaced at restart
  upper_entry upper;                              // zero until the wrapper library attaches
  std::uint64_t upper_root;                       // wrapper library's own state, for diagnosis
  std::uint64_t vdso[8];                          // clock_gettime gettimeofday time getcpu clock_getres; per lower half
  std::uint64_t signal_handlers[65];              // the program's handlers, for the stub's trampoline
  std::uint64_t signal_flags[65];
  std::uint64_t predefined_real[neutral::predefined_limit];   // neutral code → handle of the live lower half

  // --- requests for checkpoints
  std::int64_t requests;                          // eventfd: request_amount() written to it asks for a checkpoint
  std::uint64_t stop_signals;                     // bit n-1: signal n asks for a checkpoint that ends the job
  std::uint64_t our_signals;                      // bit n-1: signal n is ours
  std::uint64_t end_signals;                      // bit n-1: a handler's signal n from outside is added to `requests`
  std::uint64_t last_end_signal;                  // the last such signal; 0: none
  std::uint64_t request_number;                   // of the latest checkpoint request; 0: none in this process
  std::uint64_t stage;                            // control::stage

  // --- parked threads
  thread_listener thread_parks;                   // called before a thread is parked
  thread_listener thread_looks;                   // called on a parked thread that must look at its pending signals
  thread_listener thread_continues;               // in a new process, on the new thread, before it enters the upper half
  std::atomic<std::uint32_t> parked_turns;        // a futex, see parked.hpp

  // --- signals and streams
  std::uint32_t unbuffered;                       // bit n: the live MPI's start made this standard stream unbuffered
  signal_function trap_handler;                   // carries out a trapped system call
  signal_function lower_handler;                  // calls the handler that the live MPI's libraries have for a signal
  std::uint64_t hidden_handlers;                  // 1: the lower half's signal handlers wait for MPI_Init

  // --- the program's clocks (program_clocks.hpp)
  clock_function clock_gettime;                   // the live vDSO's, if the stub shows the program's clocks; else null
  std::int64_t clock_offsets[3];                  // ns: monotonic, raw, boottime
  std::int64_t ticks_offset;                      // of times()
  processor_time process_ahead;                   // as thread_block::time_ahead, of the process

  const upper_functions* functions;               // of the wrapper library; null: none
  std::uint64_t inventory[inventory_limit];       // see inventory.hpp
};
static_assert(sizeof(bridge) == sizes_by_minor[services_minor].bridge, "appended? add a row to sizes_by_minor");

inline constexpr std::uintptr_t threads_address = bridge_address + 0x10000;
static_assert(sizeof(bridge) <= 0x10000);

#if defined(MANA_ONE_PROCESS)      // wrappers without the split: see cross.hpp
inline bridge the_only_bridge{};
inline bridge& the_bridge() noexcept { return the_only_bridge; }
#else
inline bridge& the_bridge() noexcept { return *reinterpret_cast<bridge*>(bridge_address); }
#endif
/// The live MPI's handle of a predefined object, by its neutral code. K: kind of the code
template <class K>
inline real<K> predefined_of(std::uint32_t code) noexcept { return real<K>(the_bridge().predefined_real[code]); }
inline real<kind::comm> predefined(neutral::comm_code code) noexcept { return predefined_of<kind::comm>(code); }
inline real<kind::info> predefined(neutral::info_code code) noexcept { return predefined_of<kind::info>(code); }
inline real<kind::op> predefined(neutral::op_code code) noexcept { return predefined_of<kind::op>(code); }
inline real<kind::datatype> predefined(neutral::datatype_code code) noexcept {
  return predefined_of<kind::datatype>(code);
}

inline thread_block* thread_blocks() noexcept { return reinterpret_cast<thread_block*>(threads_address); }

/// How a wait in the lower half ended.
enum class wait_end : int { done = 0, attention = 1, refused = 2 };

/// The next step of a drain.
enum class drain_order : int { go_on = 0, report = 1, end = 2 };

/// A collective that a thread is about to start. The clock has already counted it.
struct collective_start {
  vid::group_clock* clock;
  real<kind::comm> comm;        // over the clock's members; empty if no such communicator exists yet
  std::uint32_t blocking;       // its caller may wait for others
  std::uint32_t waits_for_all;  // it certainly waits until all members have started it
};

enum class send_mode : int { standard = 0, synchronous = 1, ready = 2 };

/// The services of the runtime and its MPI beyond plain MPI functions. The upper half calls all of them through cross()
/// (lower thread pointer). "error" results are neutral error classes. Requests, messages, communicators, … are real
/// handles.
struct services {
  // --- start and end
  table_head head;
  void (*attach)(const upper_entry* entry, std::uint64_t root);
  /// MPI_Init_thread in the lower half; fills world_size, world_rank, predefined_real; starts agent and coordinator.
  int (*init)(int required, int* provided);
  int (*finalize)();
  void (*abort)(int exit_code);                              // MPI_Abort on the world; does not return
  void (*fatal)(const char* text);                           // for a bug of mana: prints text and state, aborts
  void (*note)(const char* text);                            // one line to the job's log (stderr)

  // --- point-to-point, interruptible: poll completion and bridge::attention in one visit.
  /// Starts a send and waits. *request: 0 when complete, else the request that is still pending (end == attention).
  int (*send)(send_mode mode, const void* buffer, std::int64_t count, real<kind::datatype> datatype, int dest, int tag,
              real<kind::comm> comm, real<kind::request>* request);
  int (*recv)(void* buffer, std::int64_t count, real<kind::datatype> datatype, int source, int tag,
              real<kind::comm> comm, neutral::status* status, real<kind::request>* request);
  int (*isend)(send_mode mode, const void* buffer, std::int64_t count, real<kind::datatype> datatype, int dest, int tag,
               real<kind::comm> comm, real<kind::request>* request);
  int (*irecv)(void* buffer, std::int64_t count, real<kind::datatype> datatype, int source, int tag,
               real<kind::comm> comm, real<kind::request>* request);
  /// Tests n requests once, in order. Sets completed ones to 0, and statuses[i] and statuses[i].error.
  /// Returns how many completed in this call. requests: real[n], an empty one is skipped; statuses: status[n].
  int (*test_some)(int n, real<kind::request>* requests, neutral::status* statuses);
  /// Polls until at least `least` of the n requests have completed, or attention is set. Requests that are 0 at entry
  /// do not count. Returns how many completed in this call.
  int (*wait_some)(int n, real<kind::request>* requests, neutral::status* statuses, int least);
  int (*cancel)(real<kind::request> request);
  int (*request_free)(real<kind::request> request);
  /// Probes once, or (block != 0) until a message comes or attention is set. *flag: a message has come.
  int (*probe)(int source, int tag, real<kind::comm> comm, int block, int* flag, neutral::status* status);
  int (*mprobe)(int source, int tag, real<kind::comm> comm, int block, int* flag, real<kind::message>* message,
                neutral::status* status);
  int (*imrecv)(void* buffer, std::int64_t count, real<kind::datatype> datatype, real<kind::message> message,
                real<kind::request>* request);
  /// Receives a matched message as bytes (MPI_PACKED), buffer: uint8[bytes].
  int (*mrecv_bytes)(void* buffer, std::int64_t bytes, real<kind::message> message, neutral::status* status);
  /// Unpacks bytes as `count` of `datatype`, with MPI's own rules on truncation and partial elements: the runtime sends
  /// them to itself on a communicator of its own.
  int (*deliver)(const void* bytes, std::int64_t size, void* buffer, std::int64_t count, real<kind::datatype> datatype,
                 neutral::status* status);

  // --- objects
  /// sizes: int[2], members of this process's group and, in an intercommunicator, of the other one, else 0; always set.
  ///
  /// ranks: int[capacity], world ranks of the first group in rank order, then of the other, cut off at capacity
  int (*comm_members)(real<kind::comm> comm, int* sizes, int* ranks, int capacity);
  /// Collective over the named world ranks only (MPI_Comm_create_group on a communicator of the runtime).
  int (*comm_from_ranks)(const int* world_ranks, int n, int tag, real<kind::comm>* comm);
  /// As MPI_Comm_create on comm: collective over comm; n == 0: not a member. *result is 0 for those outside.
  int (*comm_create)(real<kind::comm> comm, const int* world_ranks, int n, real<kind::comm>* result);
  /// As MPI_Comm_create_group on comm; group given by world ranks: int[n].
  int (*comm_create_group)(real<kind::comm> comm, const int* world_ranks, int n, int tag, real<kind::comm>* result);
  /// As MPI_Intercomm_create, with the runtime's own communicator between the leaders. remote_leader: world rank. The
  /// leaders' arguments count only at the leaders; the tag counts everywhere.
  int (*intercomm_create)(real<kind::comm> local, int local_leader, int remote_leader, int tag,
                          real<kind::comm>* result);
  /// Collective over the two groups, this process's and the other one; each int[n] world ranks.
  int (*intercomm_from_ranks)(const int* group, int n, const int* other, int n_other, int tag, real<kind::comm>* comm);
  int (*intercomm_merge)(real<kind::comm> comm, int high, real<kind::comm>* result);
  /// MPI_Comm_split_type by MPI_COMM_TYPE_SHARED, or (member == 0) MPI_UNDEFINED. *result is 0 for those outside.
  int (*split_shared)(real<kind::comm> comm, int member, int key, real<kind::comm>* result);
  /// MPI_Comm_idup. *result must keep its address: it is written at the latest when the request completes.
  int (*comm_idup)(real<kind::comm> comm, real<kind::comm>* result, real<kind::request>* request);
  /// layout: int64[5] = size, lb, extent, true_lb, true_extent, in bytes; undefined values are neutral::undefined
  int (*datatype_layout)(real<kind::datatype> datatype, std::int64_t* layout);
  /// User reduction number `index` (< 1024), calls upper_entry::reduce.
  int (*op_create)(std::uint32_t index, int commute, real<kind::op>* op);
  /// Value of a predefined attribute of MPI_COMM_WORLD. which: 0 TAG_UB, 1 HOST, 2 IO, 3 WTIME_IS_GLOBAL,
  /// 4 UNIVERSE_SIZE, 5 APPNUM. Since minor 1: 6, the live MPI's own TAG_UB.
  int (*world_attribute)(int which, int* flag, std::int64_t* value);
  /// text: char[512]; English text of a neutral error class in the live MPI's words.
  int (*error_text)(int error_class, char* text, int* length);

  // --- quiesce
  /// Called when bridge::attention is set before a collective. If it returns done, start the collective. Otherwise the
  /// collective was taken back (seq decremented). If it returns attention, park, then start again. If it returns
  /// refused, the clock's policy has no such collectives.
  wait_end (*clock_enter)(const collective_start* start);
  /// Called when bridge::attention is set and a collective was taken back after its start, because the live MPI refused
  /// it.
  void (*clock_retract)();
  /// The calling thread waits for messages of the given world ranks (n == -1: of anyone). Called on each fruitless poll
  /// while attention is set. attention: the recovery line is declared; park now.
  wait_end (*clock_wait)(const int* world_ranks, int n);
  /// The wait that clock_wait announced is over.
  void (*clock_wait_end)();
  /// The rank is in MPI_Finalize. done: all ranks are in it, and no checkpoint will come: finalize. attention: the
  /// recovery line is declared; park, then call again.
  wait_end (*clock_ending)();

  // --- checkpoint, called by the thread that called MPI_Init, in this order
  /// Waits until every other thread of the upper half is parked. false: given up.
  int (*park_others)();
  /// Begins the drain of this checkpoint and discards mails of earlier ones.
  int (*drain_begin)();
  /// Sends a copy of bytes: uint8[n], a mail, to a world rank.
  int (*drain_post)(int rank, const void* bytes, std::int64_t n);
  /// Receives the mails that have come. *taken: how many since drain_begin(). *unsent: this rank's mails that their
  /// receivers have not received yet.
  int (*drain_look)(int* taken, int* unsent);
  /// The mail number `index` of those received: its sender's world rank, *bytes: uint8[*n], valid until the next
  /// drain_begin().
  void (*drain_mail)(int index, int* from, const void** bytes, std::int64_t* n);
  /// Starts (first call) or tests the drain's next barrier over all ranks; it has two. *over: all have entered.
  int (*drain_barrier)(int* over);
  /// Called between two polls. report: call drain_waits(). end: the checkpoint was given up: call not_drained().
  drain_order (*drain_turn)();
  /// text: what this rank waits for; the runtime prints it after the rank's name
  void (*drain_waits)(const char* text);
  /// Nothing is in flight to this rank, and no drain needs it.
  void (*drained)();
  /// Returns when the checkpoint is given up on all ranks. why: what failed on this rank; nullptr: nothing failed here
  void (*not_drained)(const char* why);
  /// Writes this rank's image and takes part in the commit. Called right after save_context() of the calling thread.
  outcome (*write_image)();
  /// Lets the other threads continue and ends the checkpoint.
  void (*release)(outcome how);
  /// A point of core/fault_points.hpp (MANA_FAULT=name); does nothing otherwise.
  void (*fault_point)(const char* name);

  // --- added later
  /// Open MPI's OMPI_Affinity_str: three texts, char[1024] each. Another MPI: err_unsupported_operation
  int (*affinity_text)(int format, char* bound, char* current, char* exists);
  /// A new live window returns errors from now on, and enters MPI_Win_lock_all(MPI_MODE_NOCHECK).
  int (*win_enter)(real<kind::win> win);
};
static_assert(sizeof(services) == sizes_by_minor[services_minor].services, "appended? add a row to sizes_by_minor");

}  // namespace mana::lower
