// The mails that ranks exchange in a drain, besides MPI's own messages: how many messages they sent, and which of them
// synchronously. The answer says which synchronous sends no receive has met.
#pragma once
#include <mana/drain/turn.hpp>
#include <mana/lower/mapped_array.hpp>
#include <mana/object/comm/counting.hpp>

#include <algorithm>
#include <cstring>
#include <span>

namespace mana::checkpoint {

enum class mail_kind : std::uint32_t { counts, answers };

/// Followed by first_rows rows of one kind, then by second_rows rows of the other.
struct mail_head {
  mail_kind kind;
  std::uint32_t first_rows, second_rows;
  std::uint32_t unused;
};

/// Messages of the mail's sender to its receiver on one communicator, since the communicator was made.
struct count_row {
  object::comm_name comm;
  std::int32_t from;            // the sender's rank there, as the receiver has it
  std::uint32_t unused;
  std::uint64_t sent;
};

/// A synchronous send that is not complete.
struct synchronous_row {
  object::comm_name comm;
  std::int32_t from, tag;
  std::uint64_t after;          // messages to the same receiver with the same tag, sent after it
  std::uint64_t number;         // with `request`: names it in the sender
  std::uint32_t request;        // bits of a virtual id
  std::uint32_t unused;
};

struct answer_row {
  std::uint64_t number;
  std::uint32_t request;
  std::uint32_t is_held;        // its message is in the receiver's inbox: no receive has met it
};

/// A mail in the lower half's memory, valid until the next drain.
class mail_view {
 public:
  mail_view(int from, const void* at, std::int64_t bytes) noexcept
      : from_(from), at_(static_cast<const char*>(at)), bytes_(bytes) {
    std::memcpy(&head_, at, std::min<std::size_t>(sizeof head_, static_cast<std::size_t>(bytes)));
  }
  int from() const noexcept { return from_; }
  mail_kind kind() const noexcept { return head_.kind; }
  std::uint32_t first_rows() const noexcept { return head_.first_rows; }
  std::uint32_t second_rows() const noexcept { return head_.second_rows; }
  template <class First>
  First first(std::uint32_t i) const noexcept { return row<First>(sizeof head_ + i * sizeof(First)); }
  template <class First, class Second>
  Second second(std::uint32_t i) const noexcept {
    return row<Second>(sizeof head_ + head_.first_rows * sizeof(First) + i * sizeof(Second));
  }

 private:
  template <class Row>
  Row row(std::size_t at) const noexcept {
    Row made{};
    if (static_cast<std::int64_t>(at + sizeof made) <= bytes_) std::memcpy(&made, at_ + at, sizeof made);
    return made;
  }
  int from_;
  const char* at_;
  std::int64_t bytes_;
  mail_head head_{};
};

/// A row, and the world rank of its receiver.
template <class Row>
struct addressed {
  int to;
  Row row;
};

/// Rows by receiver. Memory from mmap.
template <class Row>
class outbox {
 public:
  explicit outbox(std::size_t most) noexcept : rows_(most) {}
  void add(int to, const Row& row) noexcept { rows_[n_++] = {to, row}; }
  void sort() noexcept {
    std::sort(rows_.data(), rows_.data() + n_, [](const auto& a, const auto& b) { return a.to < b.to; });
  }
  /// The rows for the receiver, each receiver once, ascending.
  std::span<const addressed<Row>> take(int to) noexcept {
    const std::size_t begin = next_;
    while (next_ < n_ && rows_[next_].to == to) ++next_;
    return {rows_.data() + begin, next_ - begin};
  }
  /// The next receiver; the number of ranks if there is none.
  int next_receiver(int ranks) noexcept { return next_ < n_ ? rows_[next_].to : ranks; }
  std::size_t size() const noexcept { return n_; }

 private:
  lower::mapped_array<addressed<Row>> rows_;
  std::size_t n_ = 0, next_ = 0;
};

/// Sends a mail. out: neutral error class
template <class First, class Second>
inline int post(int to, mail_kind kind, std::span<const addressed<First>> first,
                std::span<const addressed<Second>> second) noexcept {
  const std::size_t bytes = sizeof(mail_head) + first.size() * sizeof(First) + second.size() * sizeof(Second);
  lower::mapped_array<char> letter(bytes);
  const mail_head head{kind, static_cast<std::uint32_t>(first.size()), static_cast<std::uint32_t>(second.size()), 0};
  char* at = letter.data();
  const auto put = [&at](const auto& what) { at = static_cast<char*>(std::memcpy(at, &what, sizeof what)) + sizeof what; };
  put(head);
  for (const addressed<First>& r : first) put(r.row);
  for (const addressed<Second>& r : second) put(r.row);
  const lower::services& s = *lower::the_bridge().service;
  return lower::cross([&] { return s.drain_post(to, letter.data(), static_cast<std::int64_t>(bytes)); });
}

/// Calls f(mail_view) for each mail that has come.
template <class F>
inline void for_each_mail(int number, F&& f) noexcept {
  const lower::services& s = *lower::the_bridge().service;
  for (int i = 0; i < number; ++i) {
    int from = 0;
    const void* at = nullptr;
    std::int64_t bytes = 0;
    lower::cross([&] { s.drain_mail(i, &from, &at, &bytes); });
    f(mail_view(from, at, bytes));
  }
}

}  // namespace mana::checkpoint
