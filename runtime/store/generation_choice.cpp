#include <runtime/store/generation_choice.hpp>

#include <runtime/image/format/generation_name.hpp>
#include <runtime/store/store_paths.hpp>

namespace mana::store {

namespace {

/// A lasting fault that a look at the generation has found.
bool is_damage(error_kind kind) noexcept { return kind == error_kind::damaged || kind == error_kind::missing_file; }

/// Looks for a failed restart of a generation that holds a part of its memory.     out: words about it; empty: none
std::string failed_base(const generation& g, const manifest& m) {
  for (const std::uint64_t number : m.builds_on) {
    const generation base{files::directory_of(g.path) + "/" + image::generation_name(number), number};
    if (const auto failed = failure_of(base))
      return g.path + ": it has a part of its memory in " + base.path + ", and a restart from that failed: " + *failed;
  }
  return {};
}

}  // namespace

std::string difference(const manifest& wanted, const manifest& other) {
  if (wanted.program != other.program) return "it is a checkpoint of " + other.program;
  if (wanted.build_id != other.build_id) return "it is a checkpoint of another build of " + other.program;
  if (wanted.mpi != other.mpi) return "it was made with " + other.mpi;
  if (wanted.ranks != other.ranks) return "it has " + std::to_string(other.ranks) + " ranks";
  return {};
}

generation_choice::generation_choice(const std::string& directory) : directory_(directory) {
  const generation newest = newest_complete(directory);
  only_ = tidy(directory).string() == newest.path;
  left_ = list(directory);
}

/// out: whether the generation is a candidate
bool generation_choice::take(const generation& g) {
  const auto refuse_it = [&](error_kind kind, const std::string& why) {
    refused_.push_back({g, kind, why});
    return false;
  };
  try {
    const auto failed = only_ ? std::nullopt : failure_of(g);
    if (failed)
      return refuse_it(error_kind::damaged, g.path + ": a restart from it failed: " + *failed +
                                                "; to try it again, name this checkpoint: mana restart " + g.path);
    manifest m = read_manifest(g.path);
    if (const std::string other = wanted_ ? difference(*wanted_, m) : ""; !other.empty())
      return refuse_it(error_kind::no_checkpoint, g.path + ": " + other);
    if (const std::string base = only_ ? "" : failed_base(g, m); !base.empty()) return refuse_it(error_kind::damaged, base);
    if (!wanted_) wanted_ = m;
    current_ = candidate{g, std::move(m)};
    return true;
  } catch (const store_error& error) {
    if (error.kind() == error_kind::other_version) throw;
    if (!is_complete(g)) return false;       // it was removed just now
    return refuse_it(error.kind(), error.what());
  }
}

const generation_choice::candidate& generation_choice::current() {
  while (!current_ && !left_.empty()) {
    const generation g = std::move(left_.back());
    left_.pop_back();
    if (is_complete(g)) take(g);
  }
  if (!current_) give_up();
  return *current_;
}

void generation_choice::want(const manifest& one) {
  wanted_ = one;
  const std::string other = current_ ? difference(one, current_->contents) : "";
  if (!other.empty()) refuse(error_kind::no_checkpoint, current_->which.path + ": " + other);
}

void generation_choice::refuse(error_kind kind, const std::string& why) {
  refused_.push_back({current_->which, kind, why});
  current_.reset();
}

void generation_choice::give_up() const {
  if (refused_.empty()) throw store_error(error_kind::no_checkpoint, directory_ + ": there is no complete checkpoint");
  std::string text = refused_.front().why;
  for (std::size_t i = 1; i < refused_.size(); ++i) text += "\n      and before it: " + refused_[i].why;
  throw store_error(refused_.front().kind, text);
}

std::string generation_choice::explanation() const {
  std::string text;
  for (const refusal& r : refused_)
    text += "checkpoint " + std::to_string(r.which.number) + " is skipped: " + r.why + "\n";
  return text;
}

void generation_choice::mark_refused() const noexcept {
  for (const refusal& r : refused_)
    if (is_damage(r.kind)) mark_failed(r.which, r.why);
}

}  // namespace mana::store
