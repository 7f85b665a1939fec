// SPDX-License-Identifier: BSD-3-Clause
// coll_perf: measures collectives, and says how far the figures can be trusted.
#include "campaign.hpp"
#include "copies.hpp"
#include "csv.hpp"
#include "host.hpp"
#include "options.hpp"
#include "peers.hpp"
#include "sizes.hpp"

#include "../load/load.hpp"

#include <collectives/core/error.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <cstdio>
#include <exception>

namespace coll_perf {
namespace {

/// A line on stderr that is overwritten; none where nobody watches.
class progress_line {
public:
    void show(std::string const& text) {
        if (watched_) { fmt::print(stderr, "\r\033[K{}", text.substr(0, 100)); }
    }
    void clear() {
        if (watched_) { fmt::print(stderr, "\r\033[K"); }
    }

private:
    bool watched_ = ::isatty(STDERR_FILENO) != 0;
};

std::string preface(options const& o) {
    auto const& h = this_host();
    auto out = fmt::format("# coll_perf {}, {}, {}, {} cores, {}, load {:.2f}, {}\n", h.version,
                           h.host, h.cpu, h.cores, h.compiler, load_now(), date_now());
    bool const pins = o.how.pin && o.how.ranks <= h.cores;
    out += fmt::format("# {} ranks, {}; time: median of the slowest rank's {} samples{}\n",
                       o.how.ranks, pins ? "each on a core of its own" : "not pinned",
                       o.how.iterations, o.how.budget > 0 ? " or fewer" : "");
    out += "# a sample below 64K is the mean of up to 64 calls in a row\n";
    return out;
}

/// Sorts what is known of one size into a row, and prints it.
class printer {
public:
    printer(table_style style, progress_line& progress)
        : style_(std::move(style)), progress_(&progress) {}

    void operator()(std::vector<measurement const*> const& known) {
        if (known.empty()) { return; }
        table_row row{known.front()->what, {}, known.front()->how, {}, {}};
        for (auto const* const m : known) {
            auto& form = m->what.in_place ? row.in_place : row.out_of_place;
            form[m->transport].push_back(m);
            if (!m->peer) { row.transport = m->transport; }
            if (!m->peer && row.what.algorithm != m->what.algorithm) { row.what = m->what; }
        }
        auto const group = row.transport + row.what.collective + row.what.algorithm;
        progress_->clear();
        if (group != group_) { fmt::print("{}", table_heading(row, style_)); }
        group_ = group;
        fmt::print("{}", table_line(row, style_));
        std::fflush(stdout);
    }

private:
    table_style style_;
    progress_line* progress_;
    std::string group_;
};

int measure(options o) {
    o.how.check = o.check != 0;
    o.how.pin = o.pin == "cores";
    auto const groups = plan(request_of(o), o.how.ranks);
    for (auto const& group : groups) {
        for (auto const& c : group) {
            if (o.how.offset % c.element == 0) { continue; }
            throw collectives::usage_error(fmt::format(
                "--offset {} is no place for {}, of {} bytes", o.how.offset, c.type, c.element));
        }
    }
    std::vector<program> transports, peers;
    auto const folder = o.peer_folder.empty() ? default_peer_folder() : o.peer_folder;
    for (auto const& name : split_list(o.transport)) {
        if (!is_launched(name)) {
            transports.push_back(ours(name));
            continue;
        }
        if (o.how.allocated && !is_on_devices(name)) {
            throw collectives::usage_error("--allocated is not for " + name);
        }
        std::string missing;
        transports.push_back(find_launched(name, folder, o.how.ranks, o.seconds_per_case, missing));
        if (!missing.empty()) { throw std::runtime_error(missing); }
    }
    table_style style;
    for (auto const& name : o.peers.empty() ? std::vector<std::string>{} : split_list(o.peers)) {
        std::string missing;
        auto peer = find_peer(name, folder, o.seconds_per_case, missing);
        if (!missing.empty()) {
            fmt::print(stderr, "coll_perf: {}\n", missing);
            continue;
        }
        style.peers.push_back(name);
        peers.push_back(std::move(peer));
    }
    style.format = o.format == "osu" ? table_format::osu : table_format::nccl;
    style.limit = o.how.controls;
    style.spread = o.launches > 1;
    fmt::print("{}", preface(o));
    std::fflush(stdout);
    progress_line progress;
    std::vector<measurement> all;
    bool failed = false;
    int repeated = 0;
    for (auto const& transport : transports) {
        printer print(style, progress);
        campaign c;
        c.how = o.how;
        c.launches = o.launches;
        c.seconds_per_case = o.seconds_per_case;
        c.programs = {transport};
        c.programs.insert(c.programs.end(), peers.begin(), peers.end());
        c.on_size = [&](auto const& known) { print(known); };
        c.on_progress = [&](auto const& text) { progress.show(text); };
        c.on_trouble = [&](auto const& text) {
            progress.clear();
            fmt::print(stderr, "coll_perf: {}", text);
        };
        for (auto const& group : groups) { c.run(group); }
        progress.clear();
        failed = failed || c.failed;
        repeated += c.repeated;
        all.insert(all.end(), c.all.begin(), c.all.end());
    }
    fmt::print("{}", table_footer(all, repeated));
    if (!o.csv.empty()) { write_file(o.csv, as_csv(all)); }
    if (!o.json.empty()) { write_file(o.json, as_json(all)); }
    for (auto const& m : all) { failed = failed || m.wrong > 0; }
    return failed ? 1 : 0;
}

}  // namespace
}  // namespace coll_perf

int main(int argc, char** argv) {
    coll_perf::options options;
    CLI::App app{
        "Measures collectives over threads or processes, with the flags and the table of "
        "nccl-tests, beside other libraries and beside what the machine can do."};
    coll_perf::declare(app, options);
    load::option(app);
    try {
        app.parse(argc, argv);
        return coll_perf::measure(options);
    } catch (CLI::ParseError const& e) {
        return app.exit(e) == 0 ? 0 : 2;
    } catch (collectives::usage_error const& e) {
        fmt::print(stderr, "coll_perf: {}\n", e.what());
        return 2;
    } catch (coll_perf::no_device const& e) {
        fmt::print(stderr, "coll_perf: {}\n", e.what());
        return 77;
    } catch (std::exception const& e) {
        fmt::print(stderr, "coll_perf: {}\n", e.what());
        return 1;
    }
}
