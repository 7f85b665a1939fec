// SPDX-License-Identifier: BSD-3-Clause
// Reads flight reports.
#include "flight.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace coll_show {

namespace {

using json = nlohmann::json;

std::optional<flight_wait> wait_of(json const& at) {
    if (at.is_null()) { return {}; }
    return flight_wait{at.at("call"), at.at("number"), at.at("round"), at.at("peer")};
}

std::string description_of(json const& call) {
    auto text = call.at("call").get<std::string>();
    auto const add = [&text](std::string const& part) {
        if (!part.empty()) { text += ", " + part; }
    };
    auto const count = call.at("count").get<std::uint64_t>();
    if (text != "barrier") {
        add(fmt::format("{} x {}", count, call.at("type").get<std::string>()));
    }
    add(call.at("operator"));
    add(call.at("algorithm"));
    return text;
}

flight_rank rank_of(json const& file, std::string const& path) {
    flight_rank result;
    result.path = path;
    result.host = file.at("host");
    result.pid = file.at("pid");
    result.written = file.at("milliseconds");
    if (auto const& failure = file.at("failure"); !failure.is_null()) {
        result.failure = fmt::format("{}: {}", failure.at("kind").get<std::string>(),
                                     failure.at("text").get<std::string>());
    }
    result.waits = wait_of(file.at("waits"));
    result.waited = file.at("waited_milliseconds");
    for (auto const& call : file.at("calls")) {
        result.calls[call.at("number")] = {description_of(call), call.at("done")};
    }
    auto const& own = file.at("ranks").at(file.at("rank").get<std::size_t>());
    result.entered = own.at("entered");
    result.finished = own.at("finished");
    return result;
}

/// What a file knows of ranks that have none.
void add_hearsay(flight& to, json const& file) {
    for (auto const& its : file.at("ranks")) {
        auto& r = to.ranks.at(its.at("rank").get<std::size_t>());
        if (!r.path.empty()) { continue; }
        r.entered = std::max(r.entered, its.at("entered").get<std::uint64_t>());
        r.finished = std::max(r.finished, its.at("finished").get<std::uint64_t>());
        if (auto const at = wait_of(its.at("waits"))) { r.waits = at; }
    }
}

/// Does `part`, which reads the file.
template <class Part>
void reading(std::string const& path, Part&& part) {
    try {
        part();
    } catch (std::exception const& e) {
        throw std::runtime_error(path + " is no flight report: " + e.what());
    }
}

}  // namespace

std::vector<flight> read_flights(std::string const& directory) {
    std::map<std::string, flight> found;
    std::vector<std::pair<std::string, json>> files;  // by their paths
    std::error_code wrong;
    for (auto const& entry : std::filesystem::directory_iterator(directory, wrong)) {
        auto const name = entry.path().filename().string();
        if (!name.starts_with("flight-") || !name.ends_with(".json")) { continue; }
        auto const path = entry.path().string();
        std::ifstream file(path);
        reading(path, [&] {
            auto content = json::parse(file);
            auto& of = found[content.at("communicator")];
            of.communicator = content.at("communicator");
            of.ranks.resize(std::max(of.ranks.size(), content.at("ranks").size()));
            auto& at = of.ranks.at(content.at("rank").get<std::size_t>());
            auto read = rank_of(content, path);
            if (at.path.empty() || at.written < read.written) { at = std::move(read); }
            files.emplace_back(path, std::move(content));
        });
    }
    if (wrong) { throw std::runtime_error("cannot read " + directory + ": " + wrong.message()); }
    if (found.empty()) { throw std::runtime_error("no flight-*.json in " + directory); }
    for (auto const& [path, content] : files) {
        reading(path, [&] { add_hearsay(found.at(content.at("communicator")), content); });
    }
    std::vector<flight> result;
    for (auto& [communicator, of] : found) { result.push_back(std::move(of)); }
    return result;
}

}  // namespace coll_show
