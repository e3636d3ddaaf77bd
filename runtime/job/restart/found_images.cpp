#include <runtime/job/restart/found_images.hpp>

#include <runtime/job/agreement.hpp>
#include <runtime/job/job.hpp>
#include <runtime/job/store_status.hpp>

#include <runtime/store/nodes/local_moves.hpp>
#include <runtime/store/nodes/local_store.hpp>
#include <runtime/store/store_id.hpp>
#include <runtime/store/store_paths.hpp>

#include <tuple>

namespace mana::job {

namespace {

constexpr char between = '\0';           // occurs in no JSON and in no message

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text + between;
  return all;
}

std::vector<std::string> parts_of(const std::string& all) {
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = all.find(between, at);
    texts.push_back(all.substr(at, end - at));
    at = end + 1;
  }
  return texts;
}

/// Called on rank 0.  errors: start_failure
std::string id_of_directory() {
  const start_options& options = this_job().options;
  if (options.local.empty()) return {};
  try {
    if (is_named_itself(options.generation)) return {};
    return store::read_store_id(options.generation).value_or("");
  } catch (const store::store_error& error) {
    throw start_failure(status_of(error.kind()), error.what(), {}, met_by::all);
  }
}

struct own_place {
  std::string node, directory;       // directory: empty if images cannot be there
  std::string problem;               // why images cannot be there
};

/// A rank without a node name counts as alone on its node.
own_place place_of(std::uint32_t rank, const std::string& id) {
  own_place here{"of rank " + std::to_string(rank), {}, {}};
  try {
    here.node = store::node_name();
    here.directory = store::local_directory(this_job().options.local, here.node) + "/" + id;
  } catch (const store::store_error& error) {
    here.problem = std::string("--local: ") + error.what();
  }
  return here;
}

/// Unreadable files count as missing.
store::found_images look_at(const own_place& here) {
  if (here.directory.empty()) return {{}, {}, {here.problem}};
  try {
    return store::find_local(here.directory);
  } catch (const store::store_error& error) {
    return {{}, {}, {error.what()}};
  }
}

std::vector<std::string> sidecars_of(const std::vector<store::local_image>& images) {
  std::vector<std::string> texts;
  for (const store::local_image& i : images) texts.push_back(to_json(i));
  return texts;
}

/// INV-35: a moved image is on two nodes. The restart that found it damaged marked only the copy that it read.
void leave_out_copies(std::vector<store::node_image>& images, const store::local_image& failed) {
  std::erase_if(images, [&failed](const store::node_image& i) {
    return std::tuple(i.about.generation, i.about.nonce, i.about.rank, i.about.checksum) ==
           std::tuple(failed.generation, failed.nonce, failed.rank, failed.checksum);
  });
}

}  // namespace

bool is_named_itself(const std::string& generation) {
  const auto all = store::list(generation);
  return all.size() == 1 && all.front().path == store::tidy(generation).string();
}

images_on_nodes find_images_on_nodes(std::uint32_t rank) {
  images_on_nodes found;
  std::string id;
  together([&] { if (rank == 0) id = id_of_directory(); });
  id = from_first(id);
  if (id.empty()) return found;
  const own_place here = place_of(rank, id);
  found.directory = here.directory;
  found.nodes = from_all(here.node);
  const bool looks = store::first_rank_on(found.nodes, here.node) == rank;
  const store::found_images mine = looks ? look_at(here) : store::found_images{};
  const std::vector<std::string> sidecars = from_all(joined(sidecars_of(mine.sound)));
  const std::vector<std::string> failed = from_all(joined(sidecars_of(mine.failed)));
  const std::vector<std::string> problems = from_all(joined(mine.problems));
  for (std::size_t teller = 0; teller < sidecars.size(); ++teller) {
    for (const std::string& text : parts_of(sidecars[teller]))
      found.images.push_back({found.nodes[teller], store::sidecar_from_json(text)});
    for (const std::string& text : parts_of(problems[teller]))
      if (rank == 0) say("mana: warning: node " + found.nodes[teller] + ": " + text);
  }
  for (const std::string& texts : failed)
    for (const std::string& text : parts_of(texts)) leave_out_copies(found.images, store::sidecar_from_json(text));
  return found;
}

}  // namespace mana::job
