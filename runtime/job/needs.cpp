#include <runtime/job/needs.hpp>

#include <runtime/files/read_document.hpp>

#include <algorithm>

namespace mana::job {

namespace {

std::int64_t needed_tag(const needs& all) { return std::max(all.told_tag_bound, all.largest_tag); }

bool lacks_tags(const needs& all, const live_offer& live) { return needed_tag(all) > live.tag_bound; }

std::string unmet_tag(const needs& all, const live_offer& live) {
  const std::string here = live.name + " has tags up to " + std::to_string(live.tag_bound) + " here";
  if (all.largest_tag > live.tag_bound)
    return "an operation under way has the tag " + std::to_string(all.largest_tag) + "; " + here;
  return "the program was told that MPI has tags up to " + std::to_string(all.told_tag_bound) + " (MPI_TAG_UB); " + here;
}

std::string unmet_object(const needed_object& object, std::int64_t bytes, const live_offer& live) {
  const std::string user = object.by_operation ? "an operation under way uses " : "a datatype of the program is made of ";
  if (bytes < 0) return user + object.name + ", which " + live.name + " lacks here";
  return user + object.name + ", which had " + std::to_string(object.bytes) + " bytes; " + live.name + " has it with " +
         std::to_string(bytes) + " here";
}

}  // namespace

std::vector<std::uint8_t> encode(const needs& all) {
  nlohmann::json objects = nlohmann::json::array();
  for (const needed_object& o : all.objects)
    objects.push_back({{"code", o.code}, {"name", o.name}, {"bytes", o.bytes}, {"under way", o.by_operation}});
  return nlohmann::json::to_cbor({{"told tag bound", all.told_tag_bound},
                                  {"largest tag", all.largest_tag},
                                  {"large counts", all.large_counts},
                                  {"predefined", std::move(objects)}});
}

needs decode_needs(std::span<const std::uint8_t> bytes) {
  const nlohmann::json read = files::read_document(bytes);
  needs all;
  read.at("told tag bound").get_to(all.told_tag_bound);
  read.at("largest tag").get_to(all.largest_tag);
  read.at("large counts").get_to(all.large_counts);
  for (const nlohmann::json& o : read.at("predefined"))
    all.objects.push_back({o.at("code").get<std::uint32_t>(), o.at("name").get<std::string>(), o.at("bytes").get<std::int64_t>(),
                           o.at("under way").get<bool>()});
  return all;
}

std::string unmet(const needs& all, const live_offer& live, bytes_here bytes_of) {
  if (lacks_tags(all, live)) return unmet_tag(all, live);
  if (all.large_counts && !live.large_counts)
    return "the program has counts that no int holds in datatypes or operations; " + live.name + " has no functions for them";
  for (const needed_object& object : all.objects)
    if (const std::int64_t bytes = bytes_of(object.code); bytes != object.bytes) return unmet_object(object, bytes, live);
  return {};
}

std::string remedy_of_unmet(const needs& all, const live_offer& live) {
  if (lacks_tags(all, live))
    return "restart over another MPI; next time start the program with --tag-ub " + std::to_string(live.tag_bound);
  return "restart over another MPI";
}

}  // namespace mana::job
