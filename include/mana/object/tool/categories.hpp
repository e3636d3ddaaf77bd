// The names of variables and categories in the live library, and the program's numbers for them.
#pragma once
#include <mana/object/tool/life.hpp>
#include <mana/object/tool/numbers.hpp>

#include <array>
#include <unordered_map>
#include <utility>

namespace mana::object {

/// Copies a text from malloc(), and frees it.
inline std::string as_string(char* text) {
  std::string copy(text != nullptr ? text : "");
  std::free(text);
  return copy;
}

struct cvars_below {
  static int count() noexcept {
    int n = 0;
    return tool_below<fn::t_cvar_get_num>(&n) == neutral::success ? n : 0;
  }
  static std::string name(int live) { return as_string(name_of_variable(false, live)); }
};
/// Two variables of different classes may share a name.
struct pvars_below {
  static int count() noexcept {
    int n = 0;
    return tool_below<fn::t_pvar_get_num>(&n) == neutral::success ? n : 0;
  }
  static std::string name(int live) {
    std::string name = as_string(name_of_variable(true, live));
    variable v;
    if (!name.empty() && ask(true, live, {}, {}, v) == neutral::success) name += '/' + std::to_string(v.pvar_class);
    return name;
  }
};

struct member_counts {
  int cvars = 0, pvars = 0, categories = 0;
};
inline int ask_category(int live, text_out name, text_out desc, member_counts& c) noexcept {
  return tool_below<fn::t_category_get_info>(live, name.text, name.length, desc.text, desc.length, &c.cvars, &c.pvars,
                                             &c.categories);
}
struct categories_below {
  static int count() noexcept {
    int n = 0;
    return tool_below<fn::t_category_get_num>(&n) == neutral::success ? n : 0;
  }
  static std::string name(int live) {
    member_counts unused;
    char few[2];
    int length = 0, shorter = sizeof few;              // with a length of 0 only the length is asked for
    if (ask_category(live, {nullptr, &length}, {few, &shorter}, unused) != neutral::success) return {};
    std::string name(static_cast<std::size_t>(++length), '\0');
    shorter = sizeof few;
    if (ask_category(live, {name.data(), &length}, {few, &shorter}, unused) != neutral::success) return {};
    return name.c_str();
  }
};

struct category_members {
  told_members cvars, pvars, categories;
  member_counts seen{-1, -1, -1};          // of the live library, when they were read
  unsigned restarts = 0;                   // at that time
};

/// Caller holds tools().lock.
class tool_numbers {
 public:
  int live_cvar(int number) { return cvars_.live(number, tools().restarts); }
  int live_pvar(int number) { return pvars_.live(number, tools().restarts); }
  int live_category(int number) { return categories_.live(number, tools().restarts); }
  int told_cvar(int live) { return cvars_.told(live, tools().restarts); }
  int told_pvar(int live) { return pvars_.told(live, tools().restarts); }
  int told_category(int live) { return categories_.told(live, tools().restarts); }
  int cvar_count() { return cvars_.count(tools().restarts); }
  int pvar_count() { return pvars_.count(tools().restarts); }
  int category_count() { return categories_.count(tools().restarts); }

  /// out: neutral error class; *members, whose address does not change
  int members_of(int category, category_members** members) {
    const int live = live_category(category);
    member_counts now;
    char few[2];
    int none = 0, shorter = sizeof few;
    if (const int rc = ask_category(live, {nullptr, &none}, {few, &shorter}, now); rc != neutral::success) return rc;
    category_members& m = members_[category];
    *members = &m;
    const bool is_later = std::exchange(m.restarts, tools().restarts) != tools().restarts;
    if (is_later || now.cvars != m.seen.cvars)
      m.cvars.add(numbers<fn::t_category_get_cvars>(live, now.cvars, [this](int i) { return told_cvar(i); }));
    if (is_later || now.pvars != m.seen.pvars)
      m.pvars.add(numbers<fn::t_category_get_pvars>(live, now.pvars, [this](int i) { return told_pvar(i); }));
    if (is_later || now.categories != m.seen.categories)
      m.categories.add(numbers<fn::t_category_get_categories>(live, now.categories,
                                                              [this](int i) { return told_category(i); }));
    m.seen = now;
    return neutral::success;
  }

  /// The stamp that changes with the categories. A restart may have changed them.
  int stamp(int live) noexcept {
    if (std::exchange(stamped_, tools().restarts) != tools().restarts) later_ = last_ + 1 - live;
    return last_ = live + later_;
  }

 private:
  template <class Fn, class Told>
  static std::vector<int> numbers(int live, int n, Told&& told) {
    std::vector<int> all(static_cast<std::size_t>(n > 0 ? n : 0), -1);
    if (n > 0 && tool_below<Fn>(live, n, all.data()) != neutral::success) return {};
    for (int& one : all) one = told(one);
    return all;
  }

  told_numbers<cvars_below> cvars_;
  told_numbers<pvars_below> pvars_;
  told_numbers<categories_below> categories_;
  std::unordered_map<int, category_members> members_;
  unsigned stamped_ = 0;
  int later_ = 0, last_ = -1;
};
inline tool_numbers& numbers() noexcept {
  static tool_numbers all;
  return all;
}

/// The frame of functions that return a count.
template <class Fn, class Count>
inline int tool_count(int* n, Count&& count) noexcept {
  return tool_call<Fn>([&] {
    if (n == nullptr) return int{neutral::err_t_invalid};
    *n = count();
    return int{neutral::success};
  });
}
/// The frame of functions that find a number by name. find(index): asks the library; told(live): the program's number
template <class Fn, class Find, class Told>
inline int tool_index(int* index, Find&& find, Told&& told) noexcept {
  return tool_call<Fn>([&] {
    if (index == nullptr) return int{neutral::err_t_invalid};
    int live = -1;
    const int rc = find(&live);
    if (rc == neutral::success) *index = told(live);
    return rc;
  });
}

}  // namespace mana::object
