// Notes what the program's objects need of a live MPI, for the image.
#pragma once
#include <mana/lower/program_needs.hpp>
#include <mana/object/attribute/calls.hpp>
#include <mana/object/datatype/build.hpp>
#include <mana/object/request/form/partitioned/partitioned.hpp>
#include <mana/object/request/state.hpp>
#include <mana/vid/id_table.hpp>

#include <algorithm>
#include <climits>
#include <cstdint>

namespace mana::checkpoint {

inline constinit lower::program_needs noted_needs{sizeof(lower::program_needs), 0, 0, 0, {}};

/// in: name  neutral code, or bits of a virtual id: these are not the live MPI's
inline void note_name(std::uint32_t name, lower::needed_by by) noexcept {
  if (name == 0 || name >= neutral::predefined_limit) return;
  noted_needs.predefined[static_cast<unsigned>(by)][name / 64] |= std::uint64_t{1} << name % 64;
}

inline void note_large(bool is_large, lower::needed_by by) noexcept {
  if (is_large) noted_needs.large_counts |= 1u << static_cast<unsigned>(by);
}

inline void note_recipe(const object::recipe& made) noexcept {
  for (int t = 0; t < made.types_size(); ++t) note_name(made.types()[t], lower::needed_by::datatype);
  if (!made.large()) return;
  const std::int64_t* const numbers = made.counts();
  note_large(std::any_of(numbers, numbers + object::element_counts(made),
                         [](std::int64_t n) { return n < INT_MIN || n > INT_MAX; }),
             lower::needed_by::datatype);
}

/// A request that is done needs nothing.
inline void note_request(const descriptor<kind::request>& r) noexcept {
  if (r.state == object::request_stage::done) return;
  note_name(r.names.datatype, lower::needed_by::operation);
  if (r.keeps_more) {
    note_name(r.names.op, lower::needed_by::operation);
    note_name(r.names.other_datatype, lower::needed_by::operation);
    for (std::uint32_t i = 0; r.names.types != nullptr && i < r.names.types->size; ++i)
      note_name(r.names.types->names[i], lower::needed_by::operation);
  }
  if (!r.is_message()) return;
  const object::message_part& m = r.message();
  if (m.peer != neutral::proc_null && m.parts == nullptr)
    noted_needs.largest_tag = std::max<std::int64_t>(noted_needs.largest_tag, m.tag);
  note_large(m.count > INT_MAX, lower::needed_by::operation);
}

/// The tags of partitioned messages are the numbers of their channels.
inline void note_channels() noexcept {
  const std::uint32_t* const numbers = object::pairings().channels;
  if (numbers == nullptr) return;
  const std::uint32_t largest = *std::max_element(numbers, numbers + lower::the_bridge().world_size);
  noted_needs.largest_tag = std::max<std::int64_t>(noted_needs.largest_tag, largest);
}

/// INV-124 an image names each predefined object of the live MPI that its restart uses, and the tag bound that the
/// program has read.
/// Because: a restart makes datatypes from recipes and starts requests from their descriptors; both are looked at here.
/// Call it when nothing is in flight and no other thread runs.
inline void note_needs(bool in_mpi) noexcept {
  noted_needs = {sizeof(lower::program_needs), 0, 0, 0, {}};
  if (!in_mpi) return;
  const object::predefined_attributes& told = object::world_attributes();
  noted_needs.told_tag_bound = told.tag_ub_was_read ? told.tag_ub : 0;
  vid::table<kind::datatype>().for_each_unordered([](const auto& e) {
    if (!object::is_forsaken(e)) note_recipe(e.what.made);
  });
  vid::table<kind::request>().for_each_unordered([](const auto& e) { note_request(e.what); });
  note_channels();
}

}  // namespace mana::checkpoint
