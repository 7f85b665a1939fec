// SPDX-License-Identifier: BSD-3-Clause
#include "csv.hpp"

#include "host.hpp"

#include "../csv_quoted.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace coll_perf {

std::vector<cell> cells_of(measurement const& m) {
    std::vector<cell> cells;
    auto const text = [&](char const* column, std::string value) {
        cells.push_back({column, std::move(value), false});
    };
    auto const number = [&](char const* column, auto value) {
        cells.push_back({column, fmt::format("{}", value), true});
    };
    auto const micro = [&](char const* column, double nanoseconds) {
        cells.push_back({column, fmt::format("{:.6g}", nanoseconds / 1000), true});
    };
    text("transport", m.transport);
    text("collective", m.what.collective);
    text("algorithm", m.what.algorithm);
    text("type", m.what.type);
    text("op", m.what.shown_op());
    number("ranks", m.how.ranks);
    number("root", m.what.root);
    number("bytes", m.what.bytes());
    number("count", m.what.count);
    number("in_place", m.what.in_place ? 1 : 0);
    text("memory", m.how.allocated ? "allocated" : "private");
    number("cold", m.how.cold ? 1 : 0);
    number("touch", m.how.touch ? 1 : 0);
    number("offset", m.how.offset);
    number("launch", m.launch);
    number("batch", m.what.batch);
    number("samples", m.time.samples);
    number("dropped", m.dropped);
    micro("min_us", m.time.least);
    micro("median_us", m.time.median);
    micro("p95_us", m.time.p95);
    micro("p99_us", m.time.p99);
    micro("max_us", m.time.most);
    micro("mean_us", m.time.mean);
    number("algbw_GBps", fmt::format("{:.5g}", m.algbw()));
    number("busbw_GBps", fmt::format("{:.5g}", m.busbw()));
    number("wrong", m.wrong);
    number("checked", m.how.check ? 1 : 0);
    micro("copy_us", m.copy);
    micro("copy_past_cache_us", m.copy_past_cache);
    micro("round_trip_us", m.round_trip);
    micro("rank_0_us", m.over_ranks[0]);
    micro("mean_of_ranks_us", m.over_ranks[1]);
    micro("least_of_ranks_us", m.over_ranks[2]);
    micro("most_of_ranks_us", m.over_ranks[3]);
    number("overlap_percent", m.overlap < 0 ? "null" : fmt::format("{:.4g}", m.overlap));
    micro("whole_us", m.whole);
    micro("work_us", m.work);
    auto const known = [&](char const* column, bool is, double value, int digits) {
        number(column, is ? fmt::format("{:.{}g}", value, digits) : "null");
    };
    auto const share = [&](char const* column, double least) {
        known(column, m.measured() && least > 0, 100 * least / m.time.median, 4);
    };
    known("sent_bytes", m.moved.sent >= 0, m.moved.sent, 17);
    known("messages", m.moved.messages >= 0, m.moved.messages, 17);
    known("link_GBps", m.moved.link > 0, m.moved.link, 5);
    known("bound_us", m.bound() > 0, m.bound() / 1000, 6);
    share("percent_of_bound", m.bound());
    share("percent_of_limit", m.limit());
    known("loop_us", m.loop > 0, m.loop / 1000, 6);
    share("percent_of_loop", m.loop);
    text("note", m.note);
    text("host", this_host().host);
    text("cpu", this_host().cpu);
    number("cores", this_host().cores);
    text("compiler", this_host().compiler);
    text("version", this_host().version);
    number("pinned", m.pinned);
    number("load", fmt::format("{:.2f}", m.load));
    text("date", m.date);
    return cells;
}

std::string as_csv(std::vector<measurement> const& all) {
    std::string out;
    auto const line = [&](std::vector<cell> const& cells, auto const& get) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (i > 0) { out += ','; }
            out += tools::csv_quoted(get(cells[i]));
        }
        out += '\n';
    };
    line(cells_of(measurement{}), [](cell const& c) { return c.column; });
    for (auto const& m : all) {
        line(cells_of(m), [](cell const& c) { return c.text == "null" ? "" : c.text; });
    }
    return out;
}

std::string as_json(std::vector<measurement> const& all) {
    auto rows = nlohmann::ordered_json::array();
    for (auto const& m : all) {
        nlohmann::ordered_json row;
        for (auto const& c : cells_of(m)) {
            if (c.number) {
                row[c.column] = nlohmann::ordered_json::parse(c.text);
            } else {
                row[c.column] = c.text;
            }
        }
        rows.push_back(std::move(row));
    }
    return nlohmann::ordered_json{{"results", std::move(rows)}}.dump(1) + "\n";
}

void require_writable(std::string const& path) {
    auto const is_new =
        std::filesystem::symlink_status(path).type() == std::filesystem::file_type::not_found;
    if (!std::ofstream(path, std::ios::app)) { throw std::runtime_error("cannot write " + path); }
    if (is_new) { std::filesystem::remove(path); }
}

void write_file(std::string const& path, std::string const& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file) { throw std::runtime_error("cannot write " + path); }
}

}  // namespace coll_perf
