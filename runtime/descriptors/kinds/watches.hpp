// inotify: what is watched, under the numbers that the program knows the watches by.
#pragma once
#include <runtime/descriptors/base/report.hpp>
#include <runtime/descriptors/base/table.hpp>

#include <nlohmann/json.hpp>

namespace mana::descriptors {

void describe_watches(const owned_descriptor& own, nlohmann::json& row, report& said);

/// errors: descriptor_error if what was watched is gone
int watch_files(const nlohmann::json& row);

}  // namespace mana::descriptors
