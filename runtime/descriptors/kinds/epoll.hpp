// Sets of watched descriptors.
#pragma once
#include <runtime/descriptors/base/report.hpp>
#include <runtime/descriptors/base/table.hpp>

#include <nlohmann/json.hpp>

namespace mana::descriptors {

/// Adds the files that the set watches. A set watches an open file under the number that it had when it was added.
/// Another file may have the number now, while a duplicate of the first lives on.
void describe_epoll(int fd, nlohmann::json& row, const std::vector<owned_descriptor>& all, report& said);

/// Fills a set again, when all descriptors that it watches have their numbers.
void watch_again(const nlohmann::json& row);

}  // namespace mana::descriptors
