// inotify: the watched files, under the numbers by which the program knows the watches.
#pragma once
#include <runtime/descriptors/base/report.hpp>
#include <runtime/descriptors/base/table.hpp>

#include <nlohmann/json.hpp>

namespace mana::descriptors {

void describe_watches(const owned_descriptor& own, nlohmann::json& row, report& said);

/// errors: descriptor_error if a watched file is gone
int watch_files(const nlohmann::json& row);

}  // namespace mana::descriptors
