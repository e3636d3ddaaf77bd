// The bytes of an image's header and of its tables' rows.
#pragma once
#include <runtime/image/format/contents.hpp>
#include <runtime/image/format/processor.hpp>
#include <runtime/image/format/regions.hpp>

#include <mana/image/format.hpp>

#include <cstdint>
#include <vector>

namespace mana::image {

file_header header_of(std::uint32_t rank, std::uint32_t world_size, const processor_features& needed) noexcept;

/// Each function appends a row and its bytes.     errors: std::bad_alloc
void add(std::vector<char>& to, const section& s);
void add(std::vector<char>& to, const region& r);
void add(std::vector<char>& to, const source& s);

}  // namespace mana::image
