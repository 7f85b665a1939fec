// SPDX-License-Identifier: BSD-3-Clause
#include "output.hpp"

#include "csv.hpp"
#include "host.hpp"
#include "nccl_json.hpp"
#include "html_page.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <utility>

namespace coll_perf {

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

namespace {

std::string preface(settings const& how, std::string const& ranks) {
    auto const& h = this_host();
    auto out = fmt::format("# coll_perf {}, {}, {}, {} cores, {}, load {:.2f}, {}\n", h.version,
                           h.host, h.cpu, h.cores, h.compiler, load_now(), date_now());
    out += fmt::format("# {}; time: median of the slowest rank's {} samples{}\n", ranks,
                       how.iterations, how.budget > 0 ? " or fewer" : "");
    out += "# a sample below 64K is the mean of up to 64 calls in a row\n";
    return out;
}

}  // namespace

/// Sorts what is known of one size into a row, and prints it.
class output::printer {
public:
    explicit printer(table_style style) : style_(std::move(style)) {}

    void row(std::vector<measurement const*> const& known) {
        if (known.empty()) { return; }
        table_row row{known.front()->what, {}, known.front()->how, {}, {}};
        for (auto const* const m : known) {
            auto& form = m->what.in_place ? row.in_place : row.out_of_place;
            form[m->transport].push_back(m);
            if (!m->peer) { row.transport = m->transport; }
            if (!m->peer && row.what.algorithm != m->what.algorithm) { row.what = m->what; }
        }
        auto const group = fmt::format("{} {} {} {}", row.transport, row.what.collective,
                                       row.what.algorithm, row.how.ranks);
        progress.clear();
        if (group != group_) { fmt::print("{}", table_heading(row, style_)); }
        group_ = group;
        fmt::print("{}", table_line(row, style_));
        std::fflush(stdout);
    }

    progress_line progress;

private:
    table_style style_;
    std::string group_;
};

output::output(options const& o, std::vector<std::string> peers, std::string const& ranks)
    : options_(o), start_(local_time()) {
    for (auto const& file : {o.csv, o.json, o.trace, o.page}) {
        if (!file.empty()) { require_writable(file); }
    }
    auto const is_free = !std::filesystem::exists(o.nccl_json);  // else it gets a number
    if (!o.nccl_json.empty() && is_free) { require_writable(o.nccl_json); }
    style_.peers = std::move(peers);
    style_.format = o.format == "osu" ? table_format::osu : table_format::nccl;
    style_.limit = o.how.controls;
    style_.bound = o.how.bound;
    style_.loop = o.how.loop;
    style_.spread = o.launches > 1;
    style_.average = o.average;
    style_.stamps = o.stamps != 0;
    printer_ = std::make_unique<printer>(style_);
    head_ = preface(o.how, ranks);
    fmt::print("{}", head_);
    std::fflush(stdout);
}

output::~output() = default;

campaign output::make_campaign(settings const& how) {
    campaign c;
    c.how = how;
    c.launches = options_.launches;
    c.seconds_per_case = options_.seconds_per_case;
    c.on_size = [this](auto const& known) { printer_->row(known); };
    c.on_progress = [this](auto const& text) { printer_->progress.show(text); };
    c.on_trouble = [this](auto const& text) {
        printer_->progress.clear();
        fmt::print(stderr, "coll_perf: {}", text);
    };
    c.on_trace = [this](traced_call call, program const& of, measured_case const& what,
                        double took) { traces_.add(std::move(call), of.name, what, took); };
    return c;
}

void output::add(campaign const& done) {
    printer_->progress.clear();
    failed_ = failed_ || done.failed;
    repeated_ += done.repeated;
    all_.insert(all_.end(), done.all.begin(), done.all.end());
}

int output::finish() {
    fmt::print("{}", table_footer(all_, repeated_));
    if (!options_.csv.empty()) { write_file(options_.csv, as_csv(all_)); }
    if (!options_.json.empty()) { write_file(options_.json, as_json(all_)); }
    if (!options_.nccl_json.empty()) {
        auto const text = as_nccl_json(all_, options_, {start_, local_time()});
        fmt::print("# Wrote                : {}\n", write_new_file(options_.nccl_json, text));
    }
    if (!options_.trace.empty()) {
        write_file(options_.trace, traces_.as_chrome_trace());
        fmt::print(
            "# Traced               : {} more calls, {} steps; they took {:.2f} times as long as "
            "those above (median)\n",
            traces_.calls(), traces_.events(), traces_.cost());
    }
    if (!options_.page.empty()) { write_file(options_.page, as_page(all_, head_)); }
    for (auto const& m : all_) { failed_ = failed_ || m.wrong > 0; }
    return failed_ ? 1 : 0;
}

}  // namespace coll_perf
