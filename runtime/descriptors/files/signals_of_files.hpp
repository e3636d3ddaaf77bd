// The signals that open files send: to whom (F_SETOWN), which (F_SETSIG), and whether (O_ASYNC).
#pragma once
#include <runtime/descriptors/base/report.hpp>

#include <nlohmann/json.hpp>

namespace mana::descriptors {

/// Adds "owner" and "signal", where they were set.
void describe_signals(int fd, nlohmann::json& row, report& said);

/// At the descriptor's number, which such a signal tells.
void set_signals(const nlohmann::json& row);

}  // namespace mana::descriptors
