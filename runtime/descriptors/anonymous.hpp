// Descriptors of kernel objects that have no name in a file system: event counters, timers, signals, epoll sets.
#pragma once
#include <nlohmann/json.hpp>

namespace mana::descriptors {

/// Text of a descriptor's link in /proc; empty if there is none.
std::string target_of(int fd);

/// The rest of a line "name:…" of /proc/self/fdinfo/FD; empty if there is none.
std::string info_of(int fd, const std::string& name);

/// Adds "kind" and what is needed to make the object again. False: of no kind that is known here.
bool describe_anonymous(int fd, nlohmann::json& row);

/// Makes the object of a described row again; -1: its kind is not one of these, or the kernel refuses.
int make_anonymous(const nlohmann::json& row);

/// Fills an epoll set again, when all descriptors that it watches are in their places.
void watch_again(const nlohmann::json& row);

}  // namespace mana::descriptors
