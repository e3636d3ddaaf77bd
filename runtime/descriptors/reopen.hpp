// Opens a described descriptor again, by its kind.
#pragma once
#include <runtime/descriptors/base/spare_numbers.hpp>
#include <runtime/descriptors/files/objects.hpp>
#include <runtime/descriptors/kinds/pipes.hpp>
#include <runtime/descriptors/kinds/terminals.hpp>
#include <runtime/descriptors/sockets/make.hpp>

#include <nlohmann/json.hpp>

#include <set>

namespace mana::descriptors {

class reopener {
 public:
  /// rows: all descriptors that will be opened
  reopener(const std::vector<const nlohmann::json*>& rows, const spare_numbers& spare, const object_maker& objects)
      : spare_(spare), objects_(objects), pipes_(spare), sockets_(rows, spare), terminals_(spare) {}

  /// At a spare number.
  /// errors: descriptor_error
  int open(const nlohmann::json& row);
  socket_maker& sockets() noexcept { return sockets_; }
  terminal_maker& terminals() noexcept { return terminals_; }

 private:
  int open_object(const nlohmann::json& row);

  const spare_numbers& spare_;
  const object_maker& objects_;
  pipe_maker pipes_;
  socket_maker sockets_;
  terminal_maker terminals_;
  std::set<int> first_of_memory_;      // objects whose first open file the program has
};

}  // namespace mana::descriptors
