#include <runtime/store/nodes/restart_choice.hpp>

#include <algorithm>
#include <iterator>

namespace mana::store {

namespace {

manifest manifest_of(const local_image& about) {
  manifest m;
  m.generation = about.generation;
  m.ranks = about.ranks;
  m.mpi = about.mpi;
  m.mpi_version = about.mpi_version;
  m.program = about.program;
  m.build_id = about.build_id;
  m.mode = about.mode;
  m.builds_on = about.builds_on;
  return m;
}

std::set<std::uint32_t> sizes_of(const std::vector<node_image>& images) {
  std::set<std::uint32_t> sizes;
  for (const node_image& i : images) sizes.insert(i.about.ranks);
  return sizes;
}

std::vector<held_image> of_size(const std::vector<node_image>& images, std::uint32_t ranks) {
  std::vector<held_image> found = held(images);
  std::erase_if(found, [ranks](const held_image& i) { return i.ranks != ranks; });
  return found;
}

bool are_files_of(const manifest& m, const std::vector<node_image>& images, const local_line& line) {
  std::map<std::uint32_t, std::uint64_t> checksums;
  for (const node_image& i : images)
    if (i.about.generation == line.generation && i.about.nonce == line.nonce) checksums[i.about.rank] = i.about.checksum;
  return std::all_of(m.files.begin(), m.files.end(), [&](const rank_file& f) {
    const auto at = checksums.find(f.rank);
    return at != checksums.end() && at->second == f.checksum;
  });
}

std::pair<std::uint64_t, std::uint64_t> attempt_of(const local_line& line) { return {line.generation, line.nonce}; }

}  // namespace

std::string restart_choice::candidate::name() const {
  return local ? "the images on the nodes, generation " + std::to_string(which.number) : which.path;
}

void restart_choice::look_again(std::vector<node_image> images) { images_ = std::move(images); }

restart_choice::restart_choice(const std::string& directory, std::vector<node_image> images)
    : directory_(directory), images_(std::move(images)) {
  try {
    global_.emplace(directory);
  } catch (const store_error& error) {
    if (error.kind() != error_kind::no_checkpoint) throw;
    global_end_ = error;
  }
}

/// out: nullptr if none is left
const generation_choice::candidate* restart_choice::newest_global() {
  if (global_end_) return nullptr;
  try {
    if (wanted_) global_->want(*wanted_);
    return &global_->current();
  } catch (const store_error& error) {
    if (error.kind() == error_kind::other_version) throw;
    global_end_ = error;
    return nullptr;
  }
}

/// Lines of jobs with any number of ranks, newest first: a user who starts too few or too many ranks gets an error that
/// says so.
local_lines restart_choice::lines_from(std::uint64_t at_least) const {
  local_lines all;
  for (const std::uint32_t ranks : sizes_of(images_)) {
    local_lines some = complete_lines(of_size(images_, ranks), ranks, at_least);
    std::move(some.complete.begin(), some.complete.end(), std::back_inserter(all.complete));
    std::move(some.passed_over.begin(), some.passed_over.end(), std::back_inserter(all.passed_over));
  }
  std::sort(all.complete.begin(), all.complete.end(),
            [](const local_line& a, const local_line& b) { return attempt_of(a) > attempt_of(b); });
  return all;
}

/// One number may have two attempts, if one is on nodes that the other's job did not have.
void restart_choice::refuse_others_of(const generation_choice::candidate& global, const local_lines& lines) {
  for (const local_line& l : lines.complete)
    if (l.generation == global.which.number && !are_files_of(global.contents, images_, l))
      refused_.try_emplace(attempt_of(l), "it is not the checkpoint that is in " + global.which.path);
}

std::optional<restart_choice::candidate> restart_choice::newest_local(const generation_choice::candidate* global) {
  local_lines lines = lines_from(global == nullptr ? 0 : global->which.number);
  if (global != nullptr) refuse_others_of(*global, lines);
  const auto newest = std::find_if(lines.complete.begin(), lines.complete.end(),
                                   [this](const local_line& l) { return !refused_.contains(attempt_of(l)); });
  if (newest == lines.complete.end()) {
    incomplete_ = std::move(lines.passed_over);
    return std::nullopt;
  }
  const std::uint64_t number = newest->generation;
  incomplete_ = lines_from(number).passed_over;        // older ones are not passed over
  return candidate{{{}, number}, manifest_of(*one_of(images_, *newest)), std::move(*newest)};
}

const restart_choice::candidate& restart_choice::current() {
  while (!current_) {
    const generation_choice::candidate* const global = newest_global();
    std::optional<candidate> found = newest_local(global);
    if (!found && global == nullptr) give_up();
    current_ = found ? std::move(*found) : candidate{global->which, global->contents, std::nullopt};
    const std::string other = wanted_ ? difference(*wanted_, current_->contents) : std::string();
    if (!other.empty()) refuse(error_kind::no_checkpoint, other);
    else if (!wanted_) wanted_ = current_->contents;
  }
  return *current_;
}

void restart_choice::refuse(error_kind kind, const std::string& why) {
  if (current_->local) refused_[attempt_of(*current_->local)] = why;
  else global_->refuse(kind, why);
  current_.reset();
}

void restart_choice::give_up() const {
  std::string text = global_end_->what();
  for (const auto& [which, why] : refused_)
    text += "\n      and on the nodes generation " + std::to_string(which.first) + ": " + why;
  for (const std::string& why : incomplete_) text += "\n      and on the nodes: " + why;
  throw store_error(global_end_->kind(), text);
}

std::string restart_choice::explanation() const {
  std::string text;
  for (const std::string& why : incomplete_) text += why + "\n";
  for (auto r = refused_.rbegin(); r != refused_.rend(); ++r)
    text += "local generation " + std::to_string(r->first.first) + ": " + r->second + "\n";
  return text + (global_ ? global_->explanation() : std::string());
}

void restart_choice::mark_refused() const noexcept {
  if (global_) global_->mark_refused();
}

std::set<std::uint64_t> restart_choice::global() const { return complete_in(directory_); }

std::set<std::uint64_t> complete_in(const std::string& directory) {
  std::set<std::uint64_t> found;
  for (const generation& g : list(directory)) try {
      if (is_complete(g) && !failure_of(g)) found.insert(g.number);
    } catch (const store_error&) {
      // A generation that cannot be read counts as missing. The others can still be restarted.
    }
  return found;
}

}  // namespace mana::store
