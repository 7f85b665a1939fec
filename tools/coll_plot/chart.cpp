// SPDX-License-Identifier: BSD-3-Clause
#include "chart.hpp"

#include "looks.hpp"
#include "marks.hpp"
#include "scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <string_view>

namespace coll_plot {

std::string escaped(std::string const& text) {
    std::string out;
    for (char const c : text) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            default: out += c;
        }
    }
    return out;
}

namespace {

constexpr double left = 76, right = 236, top = 78, bottom = 56, width = 900, height = 520;

std::string value_label(double value, quantity what) {
    if (what != quantity::latency) { return fmt::format("{:g}", value); }
    if (value < 1) { return fmt::format("{:g} ns", value * 1000); }
    if (value < 1000) { return fmt::format("{:g} \u00b5s", value); }
    return value < 1e6 ? fmt::format("{:g} ms", value / 1000) : fmt::format("{:g} s", value / 1e6);
}

/// Axes are logarithmic, and end somewhere.
bool is_drawn(double value) { return value > 1e-30 && value < 1e30; }

class chart {
public:
    chart(std::vector<series> const& all, quantity what, axis over) : what_(what), over_(over) {
        double least_x = std::numeric_limits<double>::max(), most_x = 0;
        double least_y = std::numeric_limits<double>::max(), most_y = 0;
        looks chosen(all);
        for (auto const& s : all) {
            auto c = chosen.next(s);
            if (what == quantity::bandwidth && s.name == round_trip_name) { continue; }
            for (auto const& [at, seconds] : s.seconds) {
                auto const bytes = over.ranks ? over.bytes : at;
                auto const y = what == quantity::latency     ? seconds * 1e6
                               : what == quantity::bandwidth ? bytes / seconds / 1e9
                                                             : at / seconds;
                if (!is_drawn(at) || !is_drawn(y)) { continue; }
                c.points.push_back({at, 0, y});
                at_.insert(at);
                least_x = std::min(least_x, at), most_x = std::max(most_x, at);
                least_y = std::min(least_y, y), most_y = std::max(most_y, y);
            }
            if (!c.points.empty()) { curves_.push_back(std::move(c)); }
        }
        // What was measured goes on top of what it is held against.
        std::stable_partition(curves_.begin(), curves_.end(),
                              [](auto const& c) { return c.hollow; });
        if (curves_.empty()) { throw std::runtime_error("there is nothing to draw"); }
        low_x_ = least_x, high_x_ = most_x > least_x ? most_x : 2 * least_x;
        if (what == quantity::bandwidth && most_y < 0.1) { in_mega(least_y, most_y); }
        low_y_ = round_down(least_y), high_y_ = round_up(most_y);
        if (high_y_ <= low_y_) { high_y_ = 10 * low_y_; }
        for (auto& c : curves_) {
            for (auto& p : c.points) { p.x = x()(p.x), p.y = y()(p.value); }
        }
    }

    std::string grid() const { return values() + places(); }

    /// Where another curve becomes the lowest.
    std::string marks() const {
        std::string out;
        for (auto const& m : over_.marks) {
            if (m.at < low_x_ || m.at > high_x_) { continue; }
            append(out, "<path d=\"M{0:.1f},{1} V{2}\" class=\"mark\"/>\n", x()(m.at), top,
                   height - bottom);
            append(out,
                   "<text transform=\"translate({:.1f} {}) rotate(-90)\" class=\"s\" "
                   "text-anchor=\"end\">{} from {} on</text>\n",
                   x()(m.at) + 14, top + 6, escaped(m.name),
                   over_.ranks ? fmt::format("{:.3g}", m.at) : human_bytes(std::round(m.at)));
        }
        return out;
    }

    std::string lines() const {
        std::string out;
        for (auto c = curves_.rbegin(); c != curves_.rend(); ++c) {  // ours on top
            std::string path;
            for (auto const& p : c->points) {
                append(path, "{}{:.1f},{:.1f}", path.empty() ? "M" : " L", p.x, p.y);
            }
            append(out, "<path d=\"{}\" fill=\"none\" stroke=\"{}\" {}/>\n", path, c->colour,
                   c->look);
            if (!c->mark) { continue; }
            for (auto const& p : c->points) {
                out += mark_at(p, *c->mark, c->colour, c->hollow) + "\n";
            }
        }
        return out;
    }

    /// Names from top to bottom in the order of the curves' right ends.
    std::string legend() const {
        std::vector<curve const*> order;
        for (auto const& c : curves_) { order.push_back(&c); }
        std::stable_sort(order.begin(), order.end(), [](auto const* a, auto const* b) {
            return a->points.back().y < b->points.back().y;
        });
        std::string out;
        double const at = width - right + 22;
        double y = top + 10;
        for (auto const* const c : order) {
            append(out, "<path d=\"M{},{} h30\" fill=\"none\" stroke=\"{}\" {}/>\n", at, y,
                   c->colour, c->look);
            if (c->mark) { out += mark_at({at + 15, y, 0}, *c->mark, c->colour, c->hollow) + "\n"; }
            append(out, "<text x=\"{}\" y=\"{}\" class=\"l\">{}</text>\n", at + 38, y + 4,
                   escaped(c->name));
            if (auto const* const other = covers(*c)) {
                y += 16;
                append(out, "<text x=\"{}\" y=\"{}\" class=\"s\">lies under {}</text>\n", at + 38,
                       y + 4, escaped(other->name));
            }
            y += 24;
        }
        return out;
    }

private:
    void in_mega(double& least, double& most) {
        giga_ = false;
        least *= 1000, most *= 1000;
        for (auto& c : curves_) {
            for (auto& p : c.points) { p.value *= 1000; }
        }
    }

    /// The lines of values. Where powers of ten would be few, 2 and 5 have labels too.
    std::string values() const {
        std::string out;
        auto const few = decades(low_y_, high_y_).size() < 3;
        for (double const d : decades(low_y_ / 10, high_y_)) {
            for (int f = 1; f < 10; ++f) {
                auto const value = f * d;
                if (value < low_y_ * 0.999 || value > high_y_ * 1.001) { continue; }
                bool const labelled = f == 1 || (few && (f == 2 || f == 5));
                append(out, "<path d=\"M{},{:.1f} H{}\" class=\"{}\"/>\n", left, y()(value),
                       width - right, labelled ? "line" : "fine");
                if (!labelled) { continue; }
                append(out,
                       "<text x=\"{}\" y=\"{:.1f}\" class=\"s\" text-anchor=\"end\">{}</text>\n",
                       left - 8, y()(value) + 4, value_label(value, what_));
            }
        }
        append(out,
               "<text transform=\"translate(16 {}) rotate(-90)\" class=\"s\" "
               "text-anchor=\"middle\">{}</text>\n",
               (top + height - bottom) / 2,
               what_ == quantity::latency     ? "time"
               : what_ == quantity::bandwidth ? (giga_ ? "GB/s" : "MB/s")
                                              : "speed-up");
        return out;
    }

    void place(std::string& out, double value, bool labelled) const {
        append(out, "<path d=\"M{:.1f},{} V{}\" class=\"line\"/>\n", x()(value), top,
               height - bottom);
        if (!labelled) { return; }
        append(out, "<text x=\"{:.1f}\" y=\"{}\" class=\"s\" text-anchor=\"middle\">{}</text>\n",
               x()(value), height - bottom + 20,
               over_.ranks ? fmt::format("{:g}", value) : human_bytes(value));
    }

    /// The lines of what is along the picture: each number of ranks, where there is room for it; of
    /// bytes whole powers of four, and of sixteen where there are many.
    std::string places() const {
        std::string out;
        double last = -1e9;
        for (double const v : over_.ranks ? at_ : std::set<double>{}) {
            bool const room = x()(v) - last > 30;
            place(out, v, room);
            if (room) { last = x()(v); }
        }
        auto const each = high_x_ / low_x_ > 4096 ? 16.0 : 4.0;
        for (double v = 1; !over_.ranks && v <= high_x_ * 1.01; v *= 4) {
            if (v < low_x_ * 0.99) { continue; }
            auto const power = std::log(v / 4) / std::log(each);
            place(out, v, std::abs(power - std::round(power)) < 1e-6);
        }
        append(out, "<text x=\"{}\" y=\"{}\" class=\"s\" text-anchor=\"middle\">{}</text>\n",
               (left + width - right) / 2, height - 12,
               over_.ranks ? "ranks" : "bytes of the vector");
        return out;
    }

    /// The curve that is drawn over this one all along, and so hides it.
    curve const* covers(curve const& c) const {
        auto const same = [](point const& a, point const& b) {
            return std::abs(a.x - b.x) < 1 && std::abs(a.y - b.y) < 1.5;
        };
        for (auto const& other : curves_) {  // the first ones are on top
            if (&other == &c) { break; }
            if (other.hollow == c.hollow && std::ranges::equal(other.points, c.points, same)) {
                return &other;
            }
        }
        return nullptr;
    }

    log_scale x() const { return {low_x_, high_x_, left + 10, width - right - 10}; }
    log_scale y() const { return {low_y_, high_y_, height - bottom, top}; }

    quantity what_;
    axis over_;
    std::vector<curve> curves_;
    std::set<double> at_;  // bytes or ranks
    bool giga_ = true;
    double low_x_ = 1, high_x_ = 2, low_y_ = 1, high_y_ = 2;
};

}  // namespace

std::string as_svg(std::vector<series> const& curves, quantity what, std::string const& title,
                   std::string const& subtitle, axis over) {
    chart const drawn(curves, what, over);
    auto out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\" role=\"img\" font-family=\"Helvetica, Arial, 'Liberation Sans', "
        "'DejaVu Sans', sans-serif\">\n<title>{2}</title>\n<style>.t{{font-size:20px;"
        "font-weight:bold;fill:#16202c}}.s{{font-size:13px;fill:#4a5866}}.l{{font-size:14px;"
        "fill:#16202c}}.line{{stroke:#d5dce3;fill:none}}.fine{{stroke:#eef1f4;fill:none}}"
        ".mark{{stroke:#6b7683;fill:none;stroke-dasharray:4 4}}</style>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        width, height, escaped(title));
    append(out, "<text x=\"24\" y=\"34\" class=\"t\">{}</text>\n", escaped(title));
    append(out, "<text x=\"24\" y=\"56\" class=\"s\">{}</text>\n", escaped(subtitle));
    out += drawn.grid() + drawn.marks() + drawn.lines() + drawn.legend();
    return out + "</svg>\n";
}

std::string side_by_side(std::vector<std::string> const& pictures, int columns) {
    auto const rows = (static_cast<int>(pictures.size()) + columns - 1) / columns;
    auto out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
        "{1}\" role=\"img\">\n",
        columns * width, rows * height);
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        auto const at = static_cast<int>(i);
        append(out, "<svg x=\"{}\" y=\"{}\"{}", at % columns * width, at / columns * height,
               std::string_view(pictures[i]).substr(4));
    }
    return out + "</svg>\n";
}

}  // namespace coll_plot
