// SPDX-License-Identifier: BSD-3-Clause
#include "nccl_json.hpp"

#include "host.hpp"
#include "sizes.hpp"

#include "../launched/launched.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <string_view>

namespace coll_perf {
namespace {

using json = nlohmann::ordered_json;

/// Truth is a text there.
char const* yes_or_no(bool is) { return is ? "true" : "false"; }

/// Of the environment only what changes figures: the rest may hold secrets.
json variables() {
    constexpr std::array<std::string_view, 7> names{"COLLECTIVES_", "UCX_",       "NCCL_", "CUDA_",
                                                    "OMPI_MCA_",    "MPIR_CVAR_", "FI_"};
    auto list = json::array();
    for (auto** each = ::environ; *each != nullptr; ++each) {
        std::string_view const text(*each);
        if (std::any_of(names.begin(), names.end(),
                        [&](auto const& name) { return text.starts_with(name); })) {
            list.push_back(text);
        }
    }
    return list;
}

/// One size of one program: its launches, out of place and in place.
struct row {
    measurement const* first = nullptr;
    std::array<std::vector<measurement const*>, 2> forms;

    /// Whether a measurement is one more of this row, and not one of the next cycle (`-N`).
    bool takes(measurement const& m) const {
        auto const& a = first->what;
        auto const& b = m.what;
        auto const& known = forms[b.in_place ? 1 : 0];
        return first->transport == m.transport && first->how.ranks == m.how.ranks &&
               a.collective == b.collective && a.algorithm == b.algorithm && a.type == b.type &&
               a.op == b.op && a.root == b.root && a.count == b.count &&
               std::none_of(known.begin(), known.end(),
                            [&](auto const* its) { return its->launch == m.launch; });
    }
};

std::vector<row> rows_of(std::vector<measurement> const& all) {
    std::vector<row> rows;
    for (auto const& m : all) {
        auto place =
            std::find_if(rows.rbegin(), rows.rend(), [&](auto const& r) { return r.takes(m); });
        if (place == rows.rend()) {
            rows.push_back({&m, {}});
            place = rows.rbegin();
        }
        place->forms[m.what.in_place ? 1 : 0].push_back(&m);
    }
    return rows;
}

json figures(row const& r, bool in_place, int average) {
    auto const its = combine(r.forms[in_place ? 1 : 0]);
    if (its.launches == 0) { return nullptr; }
    auto const time = its.time_by(average);
    auto const algbw = time > 0 ? static_cast<double>(r.first->what.bytes()) / time : 0;
    return {{"time", time / 1000},
            {"alg_bw", algbw},
            {"bus_bw", algbw * bus_factor(r.first->what.collective, r.first->how.ranks)},
            {"nwrong", r.first->how.check ? json(its.wrong) : json(nullptr)}};
}

json results(std::vector<measurement> const& all, int average) {
    auto list = json::array();
    for (auto const& r : rows_of(all)) {
        auto const& what = r.first->what;
        std::size_t samples = 0;
        for (auto const& form : r.forms) {
            for (auto const* m : form) { samples = std::max(samples, m->time.samples); }
        }
        list.push_back({{"size", what.bytes()},
                        {"count", what.count},
                        {"type", what.type},
                        {"redop", what.shown_op()},
                        {"root", fmt::format("{:>6}", what.root)},
                        {"out_of_place", figures(r, false, average)},
                        {"in_place", figures(r, true, average)},
                        {"actual_iterations", samples},
                        {"experiment_name",
                         fmt::format("{}, {}, {} over {} ranks", r.first->transport,
                                     what.collective, what.algorithm, r.first->how.ranks)}});
    }
    return list;
}

json devices(int ranks) {
    auto const known = !launched::by_launcher();  // else they may be on other hosts
    auto list = json::array();
    for (int rank = 0; rank < ranks; ++rank) {
        list.push_back({{"rank", rank},
                        {"group", 0},
                        {"pid", nullptr},
                        {"hostname", known ? json(this_host().host) : json(nullptr)},
                        {"device", nullptr},
                        {"device_hex", nullptr},
                        {"device_info", known ? json(this_host().cpu) : json(nullptr)}});
    }
    return list;
}

json config(std::vector<measurement> const& all, options const& o) {
    int ranks = 0;
    bool threads = !all.empty(), on_devices = !all.empty();
    for (auto const& m : all) {
        ranks = std::max(ranks, m.how.ranks);
        auto const over = m.transport.substr(0, m.transport.find(": "));  // how ranks share devices
        threads = threads && (m.peer || over.ends_with("threads"));
        on_devices = on_devices && (m.peer || over.starts_with("cuda"));
    }
    auto const sizes = sizes_of(o);
    json its{{"nthreads", threads ? ranks : 1},
             {"ngpus", on_devices ? 1 : 0},
             {"minimum_bytes", sizes.least},
             {"maximum_bytes", sizes.most}};
    if (sizes.step > 0) {
        its["step_bytes"] = sizes.step;
    } else {
        its["step_factor"] = sizes.factor;
    }
    its["warmup_iters"] = o.how.warmup;
    its["iterations"] = o.how.iterations;
    its["aggregated_iterations"] = std::max(o.batch, 1);
    its["validation"] = o.check;
    its["graph"] = 0;
    its["blocking_collectives"] = yes_or_no(true);
    its["per_iter_timing"] = yes_or_no(false);
    its["parallel_init"] = yes_or_no(false);
    its["devices"] = devices(ranks);
    return its;
}

}  // namespace

std::string local_time() {
    auto const now = std::time(nullptr);
    std::tm parts{};
    ::localtime_r(&now, &parts);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts);
    return text.data();
}

std::string as_nccl_json(std::vector<measurement> const& all, options const& o,
                         run_time const& when) {
    auto const sum = totals_of(all);
    auto errors = json::array();
    for (auto const& m : all) {
        auto const said = std::find(errors.begin(), errors.end(), m.note) != errors.end();
        if (!m.note.empty() && !said) { errors.push_back(m.note); }
    }
    json const text{{"version", 2},
                    {"start_time", when.start},
                    {"args", o.command},
                    {"env", variables()},
                    {"nccl_version", nullptr},
                    {"coll_perf_version", this_host().version},
                    {"config", config(all, o)},
                    {"results", results(all, o.average)},
                    {"out_of_bounds", {{"count", sum.wrong}, {"okay", yes_or_no(sum.wrong == 0)}}},
                    {"average_bus_bandwidth", {{"bandwidth", sum.busbw}, {"okay", "unchecked"}}},
                    {"errors", errors},
                    {"end_time", when.end}};
    return text.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string write_new_file(std::string const& path, std::string const& text) {
    auto name = path;
    auto* file = std::fopen(name.c_str(), "wx");
    for (int i = 0; file == nullptr && errno == EEXIST; ++i) {
        name = fmt::format("{}.{}", path, i);
        file = std::fopen(name.c_str(), "wx");
    }
    auto const why = errno;
    if (file == nullptr) {
        throw std::runtime_error(fmt::format("cannot write {}: {}", name, std::strerror(why)));
    }
    auto const written = std::fwrite(text.data(), 1, text.size(), file);
    if (std::fclose(file) != 0 || written != text.size()) {
        throw std::runtime_error("cannot write " + name);
    }
    return name;
}

}  // namespace coll_perf
