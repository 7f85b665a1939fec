// SPDX-License-Identifier: BSD-3-Clause
// The palette of all tools: what it draws can be read, and nobody takes one series for another.
#include "looks.hpp"

#include <collectives/schedule/drawing/palette.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <set>

using namespace coll_plot;
using collectives::drawing::palette::contrast, collectives::drawing::palette::readable;

namespace {

using light = std::array<double, 3>;
using vision = std::array<light, 3>;

/// How eyes that lack one kind of cone see red, green and blue (Machado, Oliveira and Fernandes: "A
/// Physiologically-based Model for Simulation of Color Vision Deficiency", 2009).
constexpr std::array<std::pair<char const*, vision>, 4> visions{
    {{"all cones", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
     {"no red",
      {{{0.152286, 1.052583, -0.204868},
        {0.114503, 0.786281, 0.099216},
        {-0.003882, -0.048116, 1.051998}}}},
     {"no green",
      {{{0.367322, 0.860646, -0.227968},
        {0.280085, 0.672501, 0.047413},
        {-0.011820, 0.042940, 0.968881}}}},
     {"no blue",
      {{{1.255528, -0.076749, -0.178779},
        {-0.078411, 0.930809, 0.147602},
        {0.004733, 0.691367, 0.303900}}}}}};

/// The place of a colour in CIELAB, where distances are those that people see.
light seen(std::string_view colour, vision const& by) {
    auto const from = collectives::drawing::palette::light_of(colour);
    light at{};
    for (std::size_t i = 0; i < 3; ++i) {
        at[i] = std::clamp(by[i][0] * from[0] + by[i][1] * from[1] + by[i][2] * from[2], 0.0, 1.0);
    }
    auto const root = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
    auto const x = root((0.4124 * at[0] + 0.3576 * at[1] + 0.1805 * at[2]) / 0.9505);
    auto const y = root(0.2126 * at[0] + 0.7152 * at[1] + 0.0722 * at[2]);
    auto const z = root((0.0193 * at[0] + 0.1192 * at[1] + 0.9505 * at[2]) / 1.089);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double difference(std::string_view one, std::string_view other, vision const& by) {
    auto const a = seen(one, by);
    auto const b = seen(other, by);
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// How a curve looks; of two series none may look as the other.
std::string look_of(curve const& c) {
    return fmt::format("{} {} {} {}", c.colour, c.look, c.mark ? static_cast<int>(*c.mark) : -1,
                       c.hollow);
}

void check_all_differ(std::vector<series> const& all) {
    looks of(all);
    std::set<std::string> found;
    for (auto const& s : all) { CHECK_MESSAGE(found.insert(look_of(of.next(s))).second, s.name); }
}

}  // namespace

TEST_CASE("each colour of the palette can be read on white") {
    CHECK(contrast("#000000", "#ffffff") == doctest::Approx(21));
    CHECK(contrast("#777777", "#ffffff") == doctest::Approx(4.48).epsilon(0.01));
    for (auto const& one : palette::looks) {
        CHECK_MESSAGE(contrast(one.colour, "#ffffff") >= readable, one.algorithm);
    }
    for (auto const colour : palette::others) {
        CHECK_MESSAGE(contrast(colour, "#ffffff") >= readable, colour);
    }
    for (auto const colour : beside_algorithms) { CHECK(contrast(colour, "#ffffff") >= readable); }
    CHECK(contrast(limit_colour, "#ffffff") >= readable);
}

TEST_CASE("colours alone tell series apart, and algorithms have lines and marks of their own") {
    for (auto const& [name, by] : visions) {
        for (std::size_t i = 0; i < palette::others.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                auto const a = palette::others[i];
                auto const b = palette::others[j];
                CHECK_MESSAGE(difference(a, b, by) >= 20, name << ": " << a << " and " << b);
            }
        }
    }
    std::set<std::string_view> colours_seen,
        dashes;  // eleven colours are too many for colour alone
    std::set<marker> marks;
    for (auto const& one : palette::looks) {
        CHECK(colours_seen.insert(one.colour).second);
        CHECK(dashes.insert(one.dash).second);
        CHECK(marks.insert(one.mark).second);
    }
}

TEST_CASE("no two series of a picture look alike") {
    std::vector<series> algorithms;
    for (auto const& one : palette::looks) {
        algorithms.push_back({std::string(one.algorithm), kind::ours, {}});
        algorithms.push_back({std::string(one.algorithm), kind::seen, {}});
    }
    algorithms.push_back({"automatic", kind::ours, {}});
    algorithms.push_back({"pairwise", kind::ours, {}});
    algorithms.push_back({"limit", kind::limit, {}});
    check_all_differ(algorithms);

    std::vector<series> transports;
    for (auto const* name : {"threads", "threads, allocated", "shm", "shm, allocated", "mpi-mpich",
                             "mpi-openmpi", "ucx", "hosts"}) {
        transports.push_back({name, kind::ours, {}});
    }
    check_all_differ(transports);
    for (auto const* name : {"MPICH", "Open MPI", "Gloo"}) {
        transports.push_back({name, kind::peer, {}});
    }
    transports.push_back({round_trip_name, kind::limit, {}});
    transports.push_back({"copy by every rank", kind::limit, {}});
    check_all_differ(transports);
}

TEST_CASE("what stands in a cell can be read") {
    namespace cells = collectives::drawing::palette;
    for (int whole = 1; whole <= 100; ++whole) {
        for (int count = 0; count <= whole; ++count) {
            auto const shade = cells::of_share(count, whole);
            CHECK_MESSAGE(contrast(shade.fill, shade.text) >= readable, count << " of " << whole);
            std::string faded = "#";
            for (std::size_t i = 1; i < 7; i += 2) {
                auto const full = std::stoi(shade.fill.substr(i, 2), nullptr, 16);
                faded += fmt::format("{:02x}", std::lround(255 - cells::faded * (255 - full)));
            }
            CHECK_MESSAGE(contrast(faded, cells::faded_text) >= readable, count << " of " << whole);
        }
    }
    for (auto const* colour : {cells::ink, cells::quiet, cells::adds, cells::copies}) {
        CHECK_MESSAGE(contrast(colour, "#ffffff") >= readable, colour);
    }
}
