// Removal of generations. The manifest goes first: a directory that is half removed is no checkpoint.
#pragma once
#include <runtime/files/own_directory.hpp>
#include <runtime/store/store.hpp>

#include <chrono>
#include <cstdint>
#include <functional>

namespace mana::store {

/// Removes the files and the directory of a generation, which may have lost its manifest. Files that cannot be removed
/// stay. Other kinds of entries are not mana's, and stay too.
/// in:     removed  called with the number of bytes of each removed file
/// errors: image_error
void remove_files(const files::own_directory& all, std::uint64_t number,
                  const std::function<void(std::uint64_t)>& removed = [](std::uint64_t) {});
/// The same, but the directory stays, empty.
void remove_contents(const files::own_directory& all, std::uint64_t number,
                     const std::function<void(std::uint64_t)>& removed = [](std::uint64_t) {});

/// Whether somebody seems to write this generation, which has no manifest. Makes no file.     errors: image_error
bool may_be_written(const files::own_directory& all, std::uint64_t number);

/// As prune(). in: patience  time to wait for a commit or a restart
prune_result remove_superfluous(const std::string& directory, std::size_t keep, bool dry_run, std::chrono::milliseconds patience,
                                const work_listener& progress = {});

}  // namespace mana::store
