// POSIX message queues. The system keeps them and their contents beyond the end of a job.
#pragma once
#include <runtime/descriptors/base/report.hpp>

#include <nlohmann/json.hpp>

namespace mana::descriptors {

bool is_message_queue(int fd) noexcept;

void describe_message_queue(int fd, nlohmann::json& row, report& said);

/// The queue of that name, or an empty one like it. -1: errno says why
int open_message_queue(const nlohmann::json& row);

}  // namespace mana::descriptors
