#include "schedule.hpp"

#include <map>

namespace clock_model {

std::string to_text(const std::vector<happening>& all) {
  std::string text;
  int n = 0;
  for (const happening& h : all) {
    std::string number = std::to_string(++n);
    number.insert(0, number.size() < 5 ? 5 - number.size() : 0, ' ');
    text += number + "  " + h.text + "\n";
  }
  return text;
}

namespace {

/// Rows: the coordinator, then ranks. Columns: the schedule's steps.
class drawing {
 public:
  drawing(const std::vector<happening>& all, const script& s) : all_(all), script_(s) {}

  std::string draw(const std::string& title) {
    const int width = x(all_.size()) + 40, height = y(script_.size() - 1) + 60;
    out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(width) + "\" height=\"" +
           std::to_string(height) + "\" font-family=\"sans-serif\" font-size=\"11\">\n";
    out_ += "<defs><marker id=\"tip\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"4\" orient=\"auto\">"
            "<path d=\"M1,1 L7,4 L1,7\" fill=\"none\" stroke=\"context-stroke\"/></marker></defs>\n";
    out_ += "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
    label(10, 18, title, "black");
    row(coordinator_y, "coordinator", width);
    for (int r = 0; r < script_.size(); ++r) row(y(r), "rank " + std::to_string(r), width);
    boxes();
    for (std::size_t i = 0; i < all_.size(); ++i) mark(i);
    return out_ + "</svg>\n";
  }

 private:
  static constexpr int coordinator_y = 45;
  static int x(std::size_t step) { return 110 + 26 * static_cast<int>(step); }
  static int y(int rank) { return 100 + 55 * rank; }

  void label(int at_x, int at_y, const std::string& text, const std::string& color) {
    out_ += "<text x=\"" + std::to_string(at_x) + "\" y=\"" + std::to_string(at_y) + "\" fill=\"" + color + "\">" +
            text + "</text>\n";
  }
  void line(int x1, int y1, int x2, int y2, const std::string& style) {
    out_ += "<line x1=\"" + std::to_string(x1) + "\" y1=\"" + std::to_string(y1) + "\" x2=\"" + std::to_string(x2) +
            "\" y2=\"" + std::to_string(y2) + "\" " + style + "/>\n";
  }
  void row(int at_y, const std::string& name, int width) {
    label(10, at_y + 4, name, "black");
    line(100, at_y, width - 20, at_y, "stroke=\"#bbb\"");
  }

  /// Each member's stay in a collective is a box; the members' are joined where the last one has come.
  void boxes() {
    struct stay { std::size_t from, to; };
    std::map<std::pair<int, std::uint64_t>, std::map<int, stay>> collectives;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const happening& h = all_[i];
      auto& stays = collectives[{h.group, h.k}];
      if (h.what == happening::enters) stays[h.rank] = {i, all_.size()};
      if (h.what == happening::leaves) stays[h.rank].to = i;
    }
    for (const auto& [which, stays] : collectives) {
      if (which.first < 0 || stays.empty()) continue;
      const std::string color = colors[static_cast<std::size_t>(which.first) % 4];
      std::size_t last = 0;
      for (const auto& [r, s] : stays) {
        last = std::max(last, s.from);
        out_ += "<rect x=\"" + std::to_string(x(s.from) - 8) + "\" y=\"" + std::to_string(y(r) - 10) + "\" width=\"" +
                std::to_string(x(s.to) - x(s.from) + 12) + "\" height=\"20\" rx=\"4\" fill=\"" + color +
                "\" fill-opacity=\"0.35\" stroke=\"" + color + "\"/>\n";
        label(x(s.from) - 4, y(r) + 4, name_of_group(which.first) + std::to_string(which.second), "black");
      }
      if (stays.size() > 1)
        line(x(last), y(stays.begin()->first), x(last), y(stays.rbegin()->first),
             "stroke=\"" + color + "\" stroke-width=\"3\"");
    }
  }

  void mark(std::size_t i) {
    const happening& h = all_[i];
    const std::string arrow = "marker-end=\"url(#tip)\" ";
    switch (h.what) {
      case happening::receives:
        for (std::size_t j = 0; j < i; ++j)
          if (all_[j].what == happening::sends && all_[j].rank == h.peer && all_[j].peer == h.rank && all_[j].k == h.k)
            line(x(j), y(h.peer), x(i), y(h.rank), arrow + "stroke=\"#222\" stroke-width=\"1.5\"");
        break;
      case happening::up: line(x(i), y(h.rank), x(i), coordinator_y, arrow + "stroke=\"#7aa\""); break;
      case happening::down: line(x(i), coordinator_y, x(i), y(h.rank), arrow + "stroke=\"#a7a\""); break;
      case happening::request:
        line(x(i), coordinator_y, x(i), y(h.rank), arrow + "stroke=\"#d60\" stroke-width=\"2\"");
        label(x(i) - 4, y(h.rank) - 14, "request", "#d60");
        break;
      case happening::line:
      case happening::end:
        line(x(i), 30, x(i), y(script_.size() - 1) + 25, "stroke=\"#c00\" stroke-width=\"2\" stroke-dasharray=\"6 3\"");
        label(x(i) + 4, 34, h.what == happening::line ? "recovery line" : "given up", "#c00");
        break;
      case happening::sends: out_ += dot(i, "#222"); break;
      default: out_ += dot(i, "#999"); break;
    }
    if (h.text.starts_with("UNSAFE")) label(x(i), y(h.rank) - 14, h.text, "#c00");
  }
  std::string dot(std::size_t i, const std::string& color) const {
    return "<circle cx=\"" + std::to_string(x(i)) + "\" cy=\"" + std::to_string(y(all_[i].rank)) +
           "\" r=\"3\" fill=\"" + color + "\"><title>" + all_[i].text + "</title></circle>\n";
  }

  static constexpr const char* colors[] = {"#3b7dd8", "#3fa34d", "#c48a00", "#9b51b5"};
  const std::vector<happening>& all_;
  const script& script_;
  std::string out_;
};

}  // namespace

std::string to_svg(const std::vector<happening>& all, const script& s, const std::string& title) {
  return drawing(all, s).draw(title);
}

}  // namespace clock_model
