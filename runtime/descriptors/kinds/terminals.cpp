#include <runtime/descriptors/kinds/terminals.hpp>

#include <runtime/descriptors/base/failure.hpp>
#include <runtime/descriptors/base/proc_info.hpp>

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

using nlohmann::json;

namespace mana::descriptors {

namespace {

constexpr unsigned first_terminal_major = 136, last_terminal_major = 143;   // "Unix98" terminals, 256 each

/// Number of the controller's pair; -1: not a controller.
int number_of_controller(int fd, const struct stat& s) noexcept {
  int number = -1;
  return S_ISCHR(s.st_mode) && s.st_rdev == makedev(5, 2) && ioctl(fd, TIOCGPTN, &number) == 0 ? number : -1;
}
int number_of_terminal(const struct stat& s) noexcept {
  const unsigned type = major(s.st_rdev);
  if (!S_ISCHR(s.st_mode) || type < first_terminal_major || type > last_terminal_major) return -1;
  return static_cast<int>((type - first_terminal_major) * 256 + minor(s.st_rdev));
}

template <class T>
json bytes_of(const T& value) {
  const auto* const at = reinterpret_cast<const std::uint8_t*>(&value);
  return json::binary({at, at + sizeof value});
}
template <class T>
T value_in(const json& bytes) {
  T value{};
  const auto& all = bytes.get_binary();
  std::memcpy(&value, all.data(), std::min(sizeof value, all.size()));
  return value;
}

/// A thread of the kernel carries written bytes to the other side; poll() waits for it, FIONREAD alone does not.
int unread(int fd) noexcept {
  pollfd asked{fd, POLLIN, 0};
  int n = 0;
  return fd >= 0 && poll(&asked, 1, 0) >= 0 && ioctl(fd, FIONREAD, &n) == 0 ? n : 0;
}

bool hangs_up(int controller) noexcept {
  pollfd asked{controller, 0, 0};
  return poll(&asked, 1, 0) == 1 && (asked.revents & POLLHUP) != 0;
}

/// The terminal passes bytes unchanged, in both directions.
bool is_raw(const termios& t) noexcept {
  constexpr tcflag_t input = IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON;
  return (t.c_iflag & input) == 0 && (t.c_oflag & OPOST) == 0 && (t.c_lflag & (ICANON | ECHO | ECHONL | ISIG)) == 0;
}

/// Writes, and waits until the other side can read all bytes.
bool put(int into, int reader, const json::binary_t& bytes) {
  if (write(into, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) return false;
  for (int tries = 0; tries < 1000 && unread(reader) < static_cast<int>(bytes.size()); ++tries) usleep(1000);
  return true;
}

/// The bytes that can be read there. They are taken out, since nobody can look at them, and written back from the other
/// side.
json contents_of(int reader, int other) {
  const int flags = fcntl(reader, F_GETFL);
  json::binary_t bytes(std::vector<std::uint8_t>(static_cast<std::size_t>(unread(reader))));
  fcntl(reader, F_SETFL, flags | O_NONBLOCK);
  const ssize_t n = read(reader, bytes.data(), bytes.size());
  fcntl(reader, F_SETFL, flags);
  bytes.resize(static_cast<std::size_t>(n > 0 ? n : 0));
  put(other, reader, bytes);
  return bytes;
}

}  // namespace

terminal_describer::terminal_describer(const std::vector<owned_descriptor>& all) {
  for (const owned_descriptor& d : all) {
    struct stat s{};
    if (d.standard >= 0 || fstat(d.number, &s) != 0) continue;
    if (const int n = number_of_controller(d.number, s); n >= 0) pairs_[n].controller = d.number;
    if (const int n = number_of_terminal(s); n >= 0) pairs_[n].terminal = d.number;
  }
}

bool terminal_describer::describe(int fd, const struct stat& s, json& row, report& said) {
  const int own = number_of_controller(fd, s), number = own >= 0 ? own : number_of_terminal(s);
  if (number < 0 || pairs_[number].controller < 0) return false;
  const pair& p = pairs_[number];
  row["kind"] = "terminal";
  row["number"] = number;
  row["controller"] = own >= 0;
  if (!described_.insert(number).second) return true;
  termios settings{};
  winsize size{};
  int locked = 0, packets = 0;
  tcgetattr(p.controller, &settings);
  ioctl(p.controller, TIOCGWINSZ, &size);
  ioctl(p.controller, TIOCGPTLCK, &locked);
  ioctl(p.controller, TIOCGPKT, &packets);
  row["settings"] = bytes_of(settings);
  row["size"] = bytes_of(size);
  row["locked"] = locked;
  row["packets"] = packets;
  row["hung up"] = hangs_up(p.controller);
  const pid_t session = tcgetsid(p.controller);
  if (session == getsid(0)) said.warn(fd, row, "is of the process's controlling terminal: after a restart it controls none");
  else if (session > 0)
    said.warn(fd, row, "is of the terminal that controls the session of process " + std::to_string(session) +
              ": after a restart it controls none, and has no group in the foreground");
  if (unread(p.controller) + unread(p.terminal) == 0) return true;
  if (p.terminal >= 0 && is_raw(settings) && packets == 0 && tcgetsid(p.controller) != getsid(0)) {
    row["input"] = contents_of(p.terminal, p.controller);
    row["output"] = contents_of(p.controller, p.terminal);
  } else {
    said.warn(fd, row, "is a terminal with unread input: after a restart the input is lost");
  }
  return true;
}

int terminal_maker::controller_of(const json& row) {
  const int number = row.at("number");
  if (const auto made = controllers_.find(number); made != controllers_.end()) return made->second;
  const int opened = ::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (opened < 0) fail("/dev/ptmx", "cannot be opened");
  const int fd = controllers_[number] = spare_.move(opened);
  const auto settings = value_in<termios>(row.at("settings"));
  const auto size = value_in<winsize>(row.at("size"));
  int new_number = -1;
  if (ioctl(fd, TIOCGPTN, &new_number) == 0 && new_number != number)
    notes_.push_back("the terminal /dev/pts/" + std::to_string(number) + " is /dev/pts/" + std::to_string(new_number) + " now");
  const int unlocked = 0, locked = row.at("locked"), packets = row.at("packets");
  ioctl(fd, TIOCSPTLCK, &unlocked);
  tcsetattr(fd, TCSANOW, &settings);
  ioctl(fd, TIOCSWINSZ, &size);
  ioctl(fd, TIOCPKT, &packets);
  if (row.contains("input") || row.at("hung up").get<bool>()) {
    const int terminal = ioctl(fd, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0) fail("a terminal", "cannot be opened");
    if (row.contains("input") && !(put(fd, terminal, row.at("input").get_binary()) &&
                                   put(terminal, fd, row.at("output").get_binary())))
      fail("a terminal", "what was not read cannot be written again");
    spare_terminals_.push_back(spare_.move(terminal));
  }
  if (locked != 0) locked_.push_back(fd);
  return fd;
}

int terminal_maker::open(const json& row) {
  const int controller = controller_of(row), flags = row.at("flags");
  const int fd = row.at("controller").get<bool>()
                     ? spare_.duplicate(controller)
                     : ioctl(controller, TIOCGPTPEER, (flags & O_ACCMODE) | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) fail(row.at("path"), "the terminal cannot be opened");
  fcntl(fd, F_SETFL, flags & settable_flags);
  return spare_.move(fd);
}

terminal_maker::~terminal_maker() {
  const int lock = 1;
  for (const int fd : locked_) ioctl(fd, TIOCSPTLCK, &lock);
  for (const int fd : spare_terminals_) close(fd);
  for (const auto& [number, fd] : controllers_) close(fd);
}

}  // namespace mana::descriptors
