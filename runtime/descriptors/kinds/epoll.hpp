// Sets of watched descriptors.
#pragma once
#include <runtime/descriptors/base/report.hpp>
#include <runtime/descriptors/base/table.hpp>

#include <nlohmann/json.hpp>

namespace mana::descriptors {

/// Adds what the set watches. A set watches open files, each under the number that it had then: that may have been
/// given to another file since, as a duplicate of the first lives on.
void describe_epoll(int fd, nlohmann::json& row, const std::vector<owned_descriptor>& all, report& said);

/// Fills a set again, when all descriptors that it watches are in their places.
void watch_again(const nlohmann::json& row);

}  // namespace mana::descriptors
