// The members of a group in step with each other, also when one of them fails.
#pragma once
#include <runtime/redundancy/groups.hpp>
#include <runtime/redundancy/redundancy_error.hpp>
#include <runtime/redundancy/transport.hpp>

#include <exception>
#include <string>
#include <type_traits>
#include <vector>

namespace mana::redundancy {

/// Who takes part. The same for all members but for `own`.
struct membership {
  group of;
  unsigned own = 0;              // number within the group

  /// errors: redundancy_error (usage)
  void check() const;
};

/// A member that fails keeps its failure to itself until the next agree(), and takes part in all exchanges before it,
/// whose bytes mean nothing then. So nobody waits for a message that never comes, and no message is left over.
class party {
 public:
  party(const membership& who, transport& link) : who_(who), link_(link) { who.check(); }

  /// Local work, which must not exchange anything. Nothing is done after a failure.
  template <class Work>
  void attempt(Work&& work) noexcept {
    if (failed_) return;
    try {
      work();
    } catch (const redundancy_error& error) {
      fail(error.kind(), error.what());
    } catch (const std::exception& error) {
      fail(error_kind::io, error.what());
    }
  }
  /// All members come here.
  /// errors: redundancy_error on every member if one has failed, of the first one's kind; its text names all that did
  void agree();
  bool failed() const noexcept { return failed_; }

  void exchange(std::span<const outgoing> out, std::span<const incoming> in) { link_.exchange(out, in); }
  /// What every member says, in their order. All say equally many.
  template <class T>
  std::vector<T> gather(const std::vector<T>& said) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(said.size() * who_.of.members());
    gather_bytes(std::as_bytes(std::span(said)), std::as_writable_bytes(std::span(all)));
    return all;
  }
  /// From one member to those that do not have it.
  void spread(unsigned from, const std::vector<bool>& to, std::span<std::byte> bytes);

 private:
  void fail(error_kind kind, const std::string& text) {
    failed_ = true;
    kind_ = kind;
    text_ = text;
  }
  void gather_bytes(std::span<const std::byte> said, std::span<std::byte> all);

  const membership& who_;
  transport& link_;
  bool failed_ = false;
  error_kind kind_{};
  std::string text_;
};

}  // namespace mana::redundancy
