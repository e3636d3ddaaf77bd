// Removing generations. The manifest goes first: a directory that is half removed is no checkpoint.
#pragma once
#include <runtime/files/own_directory.hpp>
#include <runtime/store/store.hpp>

#include <chrono>
#include <cstdint>
#include <functional>

namespace mana::store {

/// The files of a generation that is none any more, and its directory. What cannot be removed stays. What is no file there
/// is not mana's, and stays too.
/// in:     removed  told of the bytes of each file that is gone
/// errors: image_error
void remove_files(const files::own_directory& all, std::uint64_t number,
                  const std::function<void(std::uint64_t)>& removed = [](std::uint64_t) {});
/// The same, but the directory stays, empty.
void remove_contents(const files::own_directory& all, std::uint64_t number,
                     const std::function<void(std::uint64_t)>& removed = [](std::uint64_t) {});

/// A generation without a manifest that somebody writes, as far as can be told. Makes no file.     errors: image_error
bool may_be_written(const files::own_directory& all, std::uint64_t number);

/// As prune(). in: patience  with who commits or restarts
prune_result remove_superfluous(const std::string& directory, std::size_t keep, bool dry_run, std::chrono::milliseconds patience,
                                const work_listener& progress = {});

}  // namespace mana::store
