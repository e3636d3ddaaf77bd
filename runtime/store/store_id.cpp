#include <runtime/store/store_id.hpp>

#include <runtime/store/directory_lock.hpp>
#include <runtime/store/store_paths.hpp>

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>

namespace mana::store {

namespace {

using files::own_directory;

constexpr const char* id_name = "store-id";
constexpr const char* new_id_name = "store-id.new";
constexpr std::size_t digits = 32;

std::string draw_id() {
  std::array<std::uint8_t, digits / 2> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw store_error(error_kind::unwritable, "the system gives no random numbers");
  std::string id;
  for (const std::uint8_t byte : bytes) {
    char text[4];
    std::snprintf(text, sizeof text, "%02x", byte);
    id += text;
  }
  return id;
}

bool is_id(const std::string& text) {
  return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::optional<std::string> read_in(const own_directory& own) {
  if (!own.has(id_name)) return std::nullopt;
  std::string text = own.read_file(id_name, digits + 1);
  if (text.ends_with('\n')) text.pop_back();
  if (!is_id(text))
    throw store_error(error_kind::damaged, own.path_of(id_name) + ": this is no valid store-id; remove the file, and "
                                                                  "mana no longer looks for images on the nodes");
  return text;
}

}  // namespace

std::optional<std::string> read_store_id(const std::string& directory) {
  return in_store(error_kind::unreadable, [&]() -> std::optional<std::string> {
    try {
      return read_in(own_directory::open(tidy(directory).string()));
    } catch (const files::image_error& error) {
      if (error.kind() == files::error_kind::missing) return std::nullopt;
      throw;
    }
  });
}

/// One process at a time. The file gets its name last, so that a crash leaves all of it or nothing.
std::string make_store_id(const std::string& directory) {
  return in_store(error_kind::unwritable, [&] {
    const own_directory own = own_directory::make(tidy(directory).string());
    const auto lock = directory_lock::of_all(own, lock_kind::exclusive, directory_lock::removal_patience);
    if (const auto there = read_in(own)) return *there;
    const std::string id = draw_id();
    own.remove(new_id_name);
    own.write_file(new_id_name, id + "\n");
    own.rename(new_id_name, id_name);
    own.sync();
    return id;
  });
}

}  // namespace mana::store
