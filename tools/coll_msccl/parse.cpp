// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include <fmt/format.h>
#include <pugixml.hpp>

#include <charconv>
#include <map>
#include <stdexcept>
#include <string_view>
#include <tuple>

namespace coll_msccl {
namespace {

constexpr int most = 1 << 20;  // of any number in a file, and of places: chunks of all ranks

[[noreturn]] void refuse(std::string const& place, std::string const& why) {
    throw std::runtime_error(place.empty() ? why : place + ": " + why);
}

int number(pugi::xml_node node, char const* name, int least, std::string const& place) {
    std::string_view const text = node.attribute(name).as_string();
    int value = 0;
    auto const [rest, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc{} || rest != text.data() + text.size() || value < least ||
        value > most) {
        refuse(place,
               fmt::format("{}=\"{}\" is not a number from {} to {}", name, text, least, most));
    }
    return value;
}

/// Reads the threadblocks of a file, one after the other.
class reader {
public:
    explicit reader(pugi::xml_node algo) : algo_(algo) {
        std::string const coll = algo.attribute("coll").as_string();
        if (coll != "allreduce") {
            refuse("", fmt::format("it is a \"{}\"; only an allreduce can be read", coll));
        }
        in_place_ = algo.attribute("inplace").as_string() == std::string_view("1");
        result_.name = algo.attribute("name").as_string();
        result_.size = number(algo, "ngpus", 1, "algo");
        result_.chunks = number(algo, "nchunksperloop", 1, "algo");
        if (result_.chunks > most / result_.size) {
            refuse("algo", fmt::format("{} gpus with {} chunks each; {} in all can be read",
                                       result_.size, result_.chunks, most));
        }
    }

    program read() {
        std::vector<bool> seen(static_cast<std::size_t>(result_.size));
        for (auto const gpu : algo_.children("gpu")) {
            int const rank = number(gpu, "id", 0, "gpu");
            if (rank >= result_.size || seen[static_cast<std::size_t>(rank)]) {
                refuse(fmt::format("gpu {}", rank), "there is no such gpu, or it stands twice");
            }
            seen[static_cast<std::size_t>(rank)] = true;
            for (auto const block : gpu.children("tb")) { read(block, rank); }
        }
        for (auto const& [from, to] : waits_) {
            auto const found = last_.find(from);
            auto const& [rank, block, step] = from;
            if (found == last_.end()) {
                refuse(
                    result_.operations[static_cast<std::size_t>(to)].place,
                    fmt::format("it depends on tb {}, step {}, which is not there", block, step));
            }
            result_.order.emplace_back(found->second, to);
        }
        return std::move(result_);
    }

private:
    using step_name = std::tuple<int, int, int>;  // gpu, tb, step

    void read(pugi::xml_node block, int rank) {
        auto const where = fmt::format("gpu {}, tb", rank);
        int const id = number(block, "id", 0, where);
        auto const place = fmt::format("{} {}", where, id);
        int const to = number(block, "send", -1, place);
        int const from = number(block, "recv", -1, place);
        int const channel = number(block, "chan", 0, place);
        int before = -1;
        for (auto const step : block.children("step")) {
            int const s = number(step, "s", 0, place + ", step");
            auto const here = fmt::format("{}, step {}", place, s);
            auto const first = static_cast<int>(result_.operations.size());
            for (auto o : operations(step, here)) {
                o.rank = rank;
                o.channel = channel;
                o.place = here;
                o.peer = o.what == action::nothing ? -1 : o.what == action::send ? to : from;
                if (o.what != action::nothing &&
                    (o.peer < 0 || o.peer >= result_.size || o.peer == rank)) {
                    refuse(here, fmt::format("its threadblock has no peer to {} ({})",
                                             o.what == action::send ? "send to" : "receive from",
                                             o.peer));
                }
                auto const mine = static_cast<int>(result_.operations.size());
                if (before >= 0) { result_.order.emplace_back(before, mine); }
                result_.operations.push_back(std::move(o));
                before = mine;
            }
            if (!last_.try_emplace({rank, id, s}, before).second) { refuse(here, "stands twice"); }
            int const on = number(step, "depid", -1, here);
            int const its = number(step, "deps", -1, here);
            if (on >= 0) { waits_.emplace_back(step_name{rank, on, its}, first); }
        }
    }

    /// The operations of one step, in order.
    std::vector<operation> operations(pugi::xml_node step, std::string const& place) const {
        std::string const type = step.attribute("type").as_string();
        auto const make = [&](action what, char const* side) {
            operation o;
            o.what = what;
            o.chunks = range(step, side, place);
            return o;
        };
        auto const src = [&](action what) { return make(what, "src"); };
        auto const dst = [&](action what) { return make(what, "dst"); };
        if (type == "nop") { return {operation{}}; }
        if (type == "s") { return {src(action::send)}; }
        if (type == "r") { return {dst(action::recv_copy)}; }
        if (type == "rcs") { return {dst(action::recv_copy), dst(action::send)}; }
        // The sum is kept here; MSCCL only sends it on. Whether a later step may read it, the
        // proof finds out.
        if (type == "rrs") { return {src(action::recv_reduce), src(action::send)}; }
        if (type == "rrc" || type == "rrcs" || type == "cpy") {
            auto const from = range(step, "src", place);
            if (from != range(step, "dst", place)) {
                refuse(place,
                       fmt::format("\"{}\" from one chunk to another; a step names one", type));
            }
            if (type == "cpy") { return {operation{}}; }
            if (type == "rrc") { return {dst(action::recv_reduce)}; }
            return {dst(action::recv_reduce), dst(action::send)};
        }
        refuse(place, type == "re" ? "it adds two local chunks (\"re\"), which no step does"
                                   : fmt::format("there is no step of type \"{}\"", type));
    }

    coll::chunk_range range(pugi::xml_node step, std::string const& side,
                            std::string const& place) const {
        std::string const buffer = step.attribute((side + "buf").c_str()).as_string();
        if (buffer == "s") { refuse(place, "it uses a scratch buffer, which steps have not"); }
        if (buffer != "i" && buffer != "o") {
            refuse(place, fmt::format("there is no buffer \"{}\"", buffer));
        }
        if (buffer == "o" && !in_place_) {
            refuse(place, "input and output are apart; only a program with inplace=\"1\" is read");
        }
        coll::chunk_range const r{number(step, (side + "off").c_str(), 0, place),
                                  number(step, "cnt", 1, place)};
        if (r.first + r.count > result_.chunks) {
            refuse(place, fmt::format("chunks {} to {} of {}", r.first, r.first + r.count - 1,
                                      result_.chunks));
        }
        return r;
    }

    pugi::xml_node algo_;
    bool in_place_ = false;
    program result_;
    std::map<step_name, int> last_;                 // its last operation
    std::vector<std::pair<step_name, int>> waits_;  // {for this step, this operation}
};

}  // namespace

program parse(std::string const& text) {
    pugi::xml_document file;
    auto const outcome = file.load_string(text.c_str());
    if (!outcome) {
        throw std::runtime_error(
            fmt::format("it is no XML: {} at byte {}", outcome.description(), outcome.offset));
    }
    auto const algo = file.child("algo");
    if (!algo) { throw std::runtime_error("it has no element \"algo\""); }
    return reader(algo).read();
}

}  // namespace coll_msccl
