// The signals that open files send: the receiver (F_SETOWN), the signal (F_SETSIG), and whether they send one
// (O_ASYNC).
#pragma once
#include <runtime/descriptors/base/report.hpp>

#include <nlohmann/json.hpp>

namespace mana::descriptors {

/// Adds "owner" and "signal", if they were set.
void describe_signals(int fd, nlohmann::json& row, report& said);

/// Sets them at the descriptor's number, because the signal contains the number.
void set_signals(const nlohmann::json& row);

}  // namespace mana::descriptors
