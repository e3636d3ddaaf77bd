// A part of a state that is copied when it is changed, and hashed once: a step changes one or two of a world's parts.
#pragma once
#include "bytes.hpp"

#include <utility>

namespace clock_model {

/// T: copyable, with put_state(byte_writer&, const T&). One thread.
template <class T>
class shared_part {
 public:
  shared_part() = default;
  template <class... Args>
  static shared_part make(Args&&... args) {
    shared_part p;
    p.at_ = new node(std::forward<Args>(args)...);
    return p;
  }
  shared_part(const shared_part& from) noexcept : at_(from.at_) {
    if (at_ != nullptr) ++at_->users;
  }
  shared_part(shared_part&& from) noexcept : at_(std::exchange(from.at_, nullptr)) {}
  shared_part& operator=(shared_part from) noexcept {
    std::swap(at_, from.at_);
    return *this;
  }
  ~shared_part() {
    if (at_ != nullptr && --at_->users == 0) delete at_;
  }

  const T& operator*() const { return at_->value; }
  const T* operator->() const { return &at_->value; }
  T& edit() {
    if (at_->users > 1) {
      node* copy = new node(std::as_const(at_->value));
      --at_->users;
      at_ = copy;
    }
    at_->is_hashed = false;
    return at_->value;
  }
  const hash128& hash() const {
    if (!at_->is_hashed) at_->hash = hash_of_state(at_->value);
    at_->is_hashed = true;
    return at_->hash;
  }

 private:
  struct node {
    template <class... Args>
    explicit node(Args&&... args) : value(std::forward<Args>(args)...) {}
    T value;
    unsigned users = 1;
    bool is_hashed = false;
    hash128 hash;
  };
  node* at_ = nullptr;
};

}  // namespace clock_model
