// SPDX-License-Identifier: BSD-3-Clause
// Reads flight reports.
#include "flight.hpp"

#include "whole.hpp"

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
    return flight_wait{at.at("call"), whole<std::uint64_t>(at.at("number")),
                       whole<int>(at.at("round")), whole<int>(at.at("peer"))};
}

std::string description_of(json const& call) {
    auto text = call.at("call").get<std::string>();
    auto const add = [&text](std::string const& part) {
        if (!part.empty()) { text += ", " + part; }
    };
    auto const count = whole<std::uint64_t>(call.at("count"));
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
    result.pid = whole<std::int64_t>(file.at("pid"));
    result.written = whole<std::int64_t>(file.at("milliseconds"));
    if (auto const& failure = file.at("failure"); !failure.is_null()) {
        result.failure = fmt::format("{}: {}", failure.at("kind").get<std::string>(),
                                     failure.at("text").get<std::string>());
    }
    result.waits = wait_of(file.at("waits"));
    result.waited = whole<std::int64_t>(file.at("waited_milliseconds"));
    for (auto const& call : file.at("calls")) {
        result.calls[whole<std::uint64_t>(call.at("number"))] = {description_of(call),
                                                                 call.at("done")};
    }
    auto const& own = file.at("ranks").at(whole<std::size_t>(file.at("rank")));
    result.entered = whole<std::uint64_t>(own.at("entered"));
    result.finished = whole<std::uint64_t>(own.at("finished"));
    return result;
}

/// What a file knows of ranks that have none.
void add_hearsay(flight& to, json const& file) {
    for (auto const& its : file.at("ranks")) {
        auto& r = to.ranks.at(whole<std::size_t>(its.at("rank")));
        if (!r.path.empty()) { continue; }
        r.entered = std::max(r.entered, whole<std::uint64_t>(its.at("entered")));
        r.finished = std::max(r.finished, whole<std::uint64_t>(its.at("finished")));
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
            auto& at = of.ranks.at(whole<std::size_t>(content.at("rank")));
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
