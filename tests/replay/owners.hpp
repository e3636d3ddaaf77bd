// The parts that have links: the coordinator, and relays.
#pragma once
#include "part.hpp"

namespace clock_replay {

class link_owner : public part {
 public:
  /// links: in the order in which the part numbers them
  link_owner(const trace& t, std::vector<link*> links, totals& all);
  const std::vector<link*>& links() const noexcept { return links_; }
  const link& awaited() const override;

 protected:
  bool take_message(const bytes& record) override;
  void pass_on(const bytes& record) override;
  link& link_of(int number) const;
  /// tell: answer and receive of its clock
  template <class Clock>
  void tell_heard(Clock& clock, const bytes& record);

 private:
  const std::vector<link*> links_;
};

class coordinator_part final : public link_owner {
 public:
  struct declaration {
    std::size_t record;  // the first word of it
    std::set<int> told;  // links
  };
  coordinator_part(const trace& t, std::vector<link*> links, const makers& make, totals& all);

  std::map<request_number, declaration> declared;

 private:
  void check(const bytes& record) override;
  void tell(const bytes& record) override;
  void end_clock() override { clock_.reset(); }

  std::unique_ptr<mana::control::coordinator_clock> clock_;
  request_number number_ = 0;  // of the last request
  bool under_way_ = false;
};

class relay_part final : public link_owner {
 public:
  relay_part(const trace& t, std::vector<link*> links, link& up, const makers& make, totals& all);
  const link& awaited() const override;

 private:
  bool take_message(const bytes& record) override;
  void check(const bytes& record) override;
  void tell(const bytes& record) override;
  void end_clock() override { clock_.reset(); }
  void pass_on(const bytes& record) override;

  link& up_;
  std::unique_ptr<mana::control::relay_clock> clock_;
  bool heard_line_ = false;  // of the request that is under way
  std::set<int> told_line_;  // links
};

}  // namespace clock_replay
