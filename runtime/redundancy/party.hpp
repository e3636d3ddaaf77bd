// Keeps the members of a group in step, even if one of them fails.
#pragma once
#include <runtime/redundancy/groups.hpp>
#include <runtime/redundancy/redundancy_error.hpp>
#include <runtime/redundancy/transport.hpp>

#include <exception>
#include <string>
#include <type_traits>
#include <vector>

namespace mana::redundancy {

/// The members. The same on all members, except `own`.
struct membership {
  group of;
  unsigned own = 0;              // number within the group

  /// errors: redundancy_error (usage)
  void check() const;
};

/// A member that fails keeps its failure to itself until the next agree(). Until then it takes part in all exchanges,
/// with meaningless bytes. So no member waits for a message that never comes, and no message is left over.
class party {
 public:
  party(const membership& who, transport& link) : who_(who), link_(link) { who.check(); }

  /// Does local work, which must not exchange anything. Does nothing after a failure.
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
  /// All members call this.
  /// errors: if a member has failed, redundancy_error on every member, of the first failure's kind; its text names all
  ///         failures
  void agree();
  bool failed() const noexcept { return failed_; }

  void exchange(std::span<const outgoing> out, std::span<const incoming> in) { link_.exchange(out, in); }
  /// The values of every member, in the members' order. All give the same number of values.
  template <class T>
  std::vector<T> gather(const std::vector<T>& said) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(said.size() * who_.of.members());
    gather_bytes(std::as_bytes(std::span(said)), std::as_writable_bytes(std::span(all)));
    return all;
  }
  /// From one member to those that lack the bytes.
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
