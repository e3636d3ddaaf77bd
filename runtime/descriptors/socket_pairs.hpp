// Socket pairs that both ends of are the program's, or whose other end is closed.
#pragma once
#include "report.hpp"
#include "spare_numbers.hpp"
#include "table.hpp"

#include <nlohmann/json.hpp>

#include <map>

namespace mana::descriptors {

/// Adds what is needed to make the pair again, and to the row of its first end what is on its way. False: no such pair.
bool describe_socket_pair(const owned_descriptor& own, nlohmann::json& row, const std::vector<owned_descriptor>& all,
                          report& said);

class socket_pair_maker {
 public:
  explicit socket_pair_maker(const spare_numbers& spare) : spare_(spare) {}
  ~socket_pair_maker();
  socket_pair_maker(const socket_pair_maker&) = delete;
  socket_pair_maker& operator=(const socket_pair_maker&) = delete;

  /// errors: descriptor_error
  int open(const nlohmann::json& row);

 private:
  int end_of(const nlohmann::json& row);

  const spare_numbers& spare_;
  std::map<std::uint64_t, int> other_ends_;   // by their "file" at the checkpoint; those that nobody takes are closed
};

}  // namespace mana::descriptors
