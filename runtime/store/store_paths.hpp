// The common part of the store: names in a directory of checkpoints, and errors.
#pragma once
#include <runtime/files/own_directory.hpp>
#include <runtime/store/store.hpp>

#include <filesystem>

namespace mana::store {

inline constexpr const char* manifest_name = "manifest.json";
inline constexpr const char* new_manifest_name = "manifest.json.new";
inline constexpr const char* failed_name = "failed";

/// Makes the path absolute, without a final slash and without ".". Keeps "..", which only the system can resolve:
/// behind a link it is not the directory before it in the text.
inline std::filesystem::path tidy(const std::string& directory) {
  std::filesystem::path path;
  for (const auto& name : std::filesystem::absolute(directory))
    if (!name.empty() && name != ".") path /= name;
  return path;
}

/// in: refused  kind for an error of the system
inline store_error as_store_error(const files::image_error& error, error_kind refused) {
  switch (error.kind()) {
    case files::error_kind::missing: return {error_kind::missing_file, error.what()};
    case files::error_kind::damaged: return {error_kind::damaged, error.what()};
    case files::error_kind::version: return {error_kind::other_version, error.what()};
    case files::error_kind::not_own: return {error_kind::not_own, error.what()};
    case files::error_kind::file: return {error_kind::program_file, error.what()};
    default: return {refused, error.what()};
  }
}

/// out: the step's result      errors: store_error in place of image_error
template <class Step>
auto in_store(error_kind refused, Step&& step) {
  try {
    return step();
  } catch (const files::image_error& error) {
    throw as_store_error(error, refused);
  }
}

}  // namespace mana::store
