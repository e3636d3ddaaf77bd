#include "schedule.hpp"

#include <map>

namespace clock_model {

std::string to_text(const story& told) {
  std::string text;
  int n = 0;
  for (const happening& h : told.all) {
    std::string number = std::to_string(++n);
    number.insert(0, number.size() < 5 ? 5 - number.size() : 0, ' ');
    text += number + "  " + h.text + "\n";
  }
  return text;
}

namespace {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

std::string number(int n) { return std::to_string(n); }

/// Rows: the coordinator, then ranks, then relays. Columns: the schedule's steps, numbered; below, what each is.
/// One step has one column, and text has places of its own: so no text is on another, or on an arrow.
class drawing {
 public:
  drawing(const story& told, const script& s)
      : all_(told.all), stands_(told.stands), relays_(told.relays), script_(s),
        rows_(s.size() + static_cast<int>(told.relays.size())) {}

  std::string draw(const std::string& title) {
    const int right = x(all_.size()) + margin, bottom = y(rows_) + 10;
    const std::size_t in_a_column = std::max<std::size_t>(8, (all_.size() + 1) / 2);
    std::size_t longest = 0;
    for (const happening& h : all_) longest = std::max(longest, h.text.size());
    const int list_width = 50 + 6 * static_cast<int>(longest);  // a letter is taken for 6 wide
    const int width = std::max(right + 170, 2 * list_width + 20);
    const int height = bottom + list_line * static_cast<int>(std::min(in_a_column, all_.size())) + 20;
    out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(width) + "\" height=\"" + number(height) +
           "\" font-family=\"sans-serif\" font-size=\"11\">\n<defs>";
    for (const std::string color : {to_coordinator, to_rank, requests, messages}) tip(color);
    out_ += "</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
    label(10, 18, title, "black", "font-size=\"13\" font-weight=\"bold\"");
    row(coordinator_y, "coordinator", right);
    for (int r = 0; r < script_.size(); ++r) {
      row(y(r), "rank " + number(r), right);
      if (static_cast<std::size_t>(r) < stands_.size())
        label(right + 6, y(r) + 4, stands_[static_cast<std::size_t>(r)]);
    }
    for (int r = script_.size(); r < rows_; ++r)
      row(y(r), relays_[static_cast<std::size_t>(r - script_.size())], right);
    for (std::size_t i = 0; i < all_.size(); ++i) mark_behind(i);
    boxes();
    for (std::size_t i = 0; i < all_.size(); ++i) mark(i);
    for (std::size_t i = 0; i < all_.size(); ++i) {
      label(x(i), 38, number(static_cast<int>(i) + 1), color_of(i), "text-anchor=\"middle\"");
      const int down = list_line * static_cast<int>(i % in_a_column);
      const std::string text = number(static_cast<int>(i) + 1) + "  " + all_[i].text;
      label(10 + (i < in_a_column ? 0 : list_width), bottom + down, text, color_of(i));
    }
    return out_ + "</svg>\n";
  }

 private:
  static constexpr const char *to_coordinator = "#4a9090", *to_rank = "#a050a0", *requests = "#d06000",
                              *messages = "#222222", *lines = "#c00000";
  static constexpr int coordinator_y = 60, margin = 10, list_line = 15;
  static int x(std::size_t step) { return 110 + 26 * static_cast<int>(step); }
  static int y(int row) { return row < 0 ? coordinator_y : 110 + 46 * row; }

  std::string color_of(std::size_t i) const {
    switch (all_[i].what) {
      case happening::up: return to_coordinator;
      case happening::down: return to_rank;
      case happening::request: return requests;
      case happening::line:
      case happening::end: return lines;
      default: return all_[i].text.starts_with("UNSAFE") ? lines : "black";
    }
  }
  void label(int at_x, int at_y, const std::string& text, const std::string& color = "black", const char* style = "") {
    out_ += "<text x=\"" + number(at_x) + "\" y=\"" + number(at_y) + "\" fill=\"" + color + "\" " + style + ">" +
            escaped(text) + "</text>\n";
  }
  void line(int x1, int y1, int x2, int y2, const std::string& style) {
    out_ += "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) +
            "\" " + style + "/>\n";
  }
  static std::string stroke(const std::string& color) { return "stroke=\"" + color + "\" "; }
  static std::string arrow(const std::string& color) {
    return "marker-end=\"url(#tip" + color.substr(1) + ")\" " + stroke(color);
  }
  void tip(const std::string& color) {
    out_ +=
        "<marker id=\"tip" + color.substr(1) +
        "\" markerUnits=\"userSpaceOnUse\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"4\" orient=\"auto\">"
        "<path d=\"M1,1 L7,4 L1,7\" fill=\"none\" " +
        stroke(color) + "/></marker>";
  }
  void row(int at_y, const std::string& name, int right) {
    label(10, at_y + 4, name);
    line(90, at_y, right, at_y, stroke("#bbbbbb"));
  }

  /// Each member's stay in a collective is a box; the members' are joined where the last one of the group has come.
  void boxes() {
    struct stay { std::size_t from, to; };
    std::map<std::pair<int, std::uint64_t>, std::map<int, stay>> collectives;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const happening& h = all_[i];
      if (h.group < 0) continue;
      auto& stays = collectives[{h.group, h.k}];
      if (h.what == happening::enters) stays[h.rank] = {i, h.at_once ? i : all_.size()};
      if (h.what == happening::leaves) stays[h.rank].to = i;
    }
    for (const auto& [which, stays] : collectives) {
      const std::string color = colors[static_cast<std::size_t>(which.first) % 4];
      std::size_t last = 0;
      for (const auto& [r, s] : stays) last = std::max(last, s.from);
      if (stays.size() == script_.groups[static_cast<std::size_t>(which.first)].size())
        line(x(last), y(stays.begin()->first), x(last), y(stays.rbegin()->first), stroke(color) + "stroke-width=\"3\"");
    }
    for (const auto& [which, stays] : collectives)
      for (const auto& [r, s] : stays) {
        const std::string color = colors[static_cast<std::size_t>(which.first) % 4];
        const std::string place = "<rect x=\"" + number(x(s.from) - 10) + "\" y=\"" + number(y(r) - 10) +
                                  "\" width=\"" + number(x(s.to) - x(s.from) + 20) +
                                  "\" height=\"20\" rx=\"4\" fill=\"";
        out_ += place + "white\"/>\n" + place + color + "\" fill-opacity=\"0.35\" " + stroke(color) + "/>\n";
        label(x(s.from) - 7, y(r) + 4, name_of_group(which.first) + std::to_string(which.second));
      }
  }

  /// Arrows to and from the coordinator, and lines, pass behind the boxes.
  void mark_behind(std::size_t i) {
    const happening& h = all_[i];
    switch (h.what) {
      case happening::up: line(x(i), y(h.rank), x(i), y(h.peer), arrow(to_coordinator)); break;
      case happening::down: line(x(i), y(h.peer), x(i), y(h.rank), arrow(to_rank)); break;
      case happening::request:
        line(x(i), y(h.peer), x(i), y(h.rank), arrow(requests) + "stroke-width=\"2\"");
        break;
      case happening::line:
      case happening::end:
        line(x(i), 44, x(i), y(rows_ - 1) + 20, stroke(lines) + "stroke-width=\"2\" stroke-dasharray=\"6 3\"");
        break;
      default: break;
    }
  }

  void mark(std::size_t i) {
    const happening& h = all_[i];
    if (h.what == happening::receives)
      for (std::size_t j = 0; j < i; ++j)
        if (all_[j].what == happening::sends && all_[j].rank == h.peer && all_[j].peer == h.rank && all_[j].k == h.k)
          line(x(j), y(h.peer), x(i), y(h.rank), arrow(messages) + "stroke-width=\"1.5\"");
    if (h.what == happening::sends || h.what == happening::other || h.what == happening::receives) dot(i);
  }
  void dot(std::size_t i) {
    const std::string color = color_of(i) == lines ? lines : all_[i].what == happening::other ? "#999999" : messages;
    out_ += "<circle cx=\"" + number(x(i)) + "\" cy=\"" + number(y(all_[i].rank)) + "\" r=\"" +
            (color == lines ? "6" : "3") + "\" fill=\"" + color + "\"><title>" + escaped(all_[i].text) +
            "</title></circle>\n";
  }

  static constexpr const char* colors[] = {"#3b7dd8", "#3fa34d", "#c48a00", "#9b51b5"};
  const std::vector<happening>& all_;
  const std::vector<std::string>&stands_, &relays_;
  const script& script_;
  const int rows_;
  std::string out_;
};

}  // namespace

std::string to_svg(const story& told, const script& s, const std::string& title) {
  return drawing(told, s).draw(title);
}

}  // namespace clock_model
