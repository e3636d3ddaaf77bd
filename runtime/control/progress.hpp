// Progress of the ranks behind each link: in a checkpoint from the line on, and in their program.
#pragma once
#include <runtime/control/surroundings.hpp>
#include <runtime/control/wire.hpp>

#include <mana/clock/host.hpp>

#include <vector>

namespace mana::control {

/// INV-23 a report on a request that was given up counts for no other request. Each frame has its request's number. All
/// links have reached a step only if they have reported it for the same request.
class progress {
 public:
  explicit progress(std::span<const clock::rank_range> links);

  /// frame: parked, drained, copied, on_node, written (results of all ranks behind the link, ascending), advanced, ending
  /// errors: wire_error
  void hear(int link, frame_reader& frame);

  bool has_parked(int link, clock::request_number of) const { return at(link).parked == of; }
  bool has_drained(int link, clock::request_number of) const { return at(link).drained == of; }
  bool has_written(int link, clock::request_number of) const { return at(link).written == of; }
  /// The request for which all links have reported; 0: none.
  clock::request_number all_parked() const { return common(&of_link::parked); }
  clock::request_number all_drained() const { return common(&of_link::drained); }
  clock::request_number all_copied() const { return common(&of_link::copied); }
  clock::request_number all_on_node() const { return common(&of_link::on_node); }
  clock::request_number all_written() const { return common(&of_link::written); }
  bool is_ending(int link) const { return at(link).ending; }
  bool all_ending() const;
  /// The same for looks, which have their own numbers.
  std::uint64_t all_looked() const { return common(&of_link::looked); }
  write_advance advance() const;
  /// The results of all ranks behind the links, ascending. Call once.
  std::vector<rank_result> take_results();

 private:
  struct of_link {
    clock::rank_range ranks;
    clock::request_number parked = 0, drained = 0, copied = 0, on_node = 0, written = 0;   // the last request reported
    std::uint64_t looked = 0;
    write_advance advance = {};
    std::vector<rank_result> results = {};
    bool ending = false;
  };
  of_link& at(int link) { return links_[static_cast<std::size_t>(link)]; }
  const of_link& at(int link) const { return links_[static_cast<std::size_t>(link)]; }
  clock::request_number common(clock::request_number of_link::* what) const;

  std::vector<of_link> links_;
};

}  // namespace mana::control
