// SPDX-License-Identifier: BSD-3-Clause
// Writes a rank's schedule as a Chakra execution trace, which ASTRA-sim and others read.
#pragma once

#include <collectives/core/text.hpp>
#include <collectives/schedule/schedule.hpp>
#include <collectives/schedule/task_graph.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace collectives::inline v0 {

namespace detail {

/// A message of Protocol Buffers: fields, each with its number.
class protobuf_message {
public:
    void number(int field, std::uint64_t value) {
        varint(static_cast<std::uint64_t>(field) << 3);
        varint(value);
    }
    void text(int field, std::string_view value) {
        varint(static_cast<std::uint64_t>(field) << 3 | 2);
        varint(value.size());
        bytes_ += value;
    }
    /// Behind its length, as messages stand in a file one after the other.
    std::string delimited() const {
        protobuf_message all;
        all.varint(bytes_.size());
        return all.bytes_ + bytes_;
    }
    std::string_view bytes() const { return bytes_; }

private:
    void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) { bytes_ += static_cast<char>(value | 0x80); }
        bytes_ += static_cast<char>(value);
    }

    std::string bytes_;
};

/// The numbers of the fields, as the schema of MLCommons has them (et_def.proto); of the kinds of
/// values those that its feeder reads, which takes others for 0.
namespace chakra {
enum metadata { version = 1 };
enum node { id = 1, name = 2, type = 3, data_deps = 5, duration_micros = 7, attr = 10 };
enum attribute { attr_name = 1, int32_val = 7, int64_val = 9, bool_val = 27 };
enum node_type { comp_node = 4, comm_send_node = 5, comm_recv_node = 6 };
}  // namespace chakra

inline void add_attribute(protobuf_message& node, std::string_view name, chakra::attribute kind,
                          std::uint64_t value) {
    protobuf_message one;
    one.text(chakra::attr_name, name);
    one.number(kind, value);
    node.text(chakra::attr, one.bytes());
}

inline protobuf_message chakra_node(task const& t, rank_t rank, double us_per_reduced_byte) {
    auto const adds = t.what == task::kind::add, sends = t.what == task::kind::send;
    protobuf_message node;
    node.number(chakra::id, t.number);
    node.text(chakra::name, text_of(adds    ? "add"
                                    : sends ? "send"
                                            : "receive",
                                    " in round ", t.round));
    node.number(chakra::type, adds    ? chakra::comp_node
                              : sends ? chakra::comm_send_node
                                      : chakra::comm_recv_node);
    for (auto n = t.first_awaited; n != 0 && n <= t.last_awaited; ++n) {
        node.number(chakra::data_deps, n);
    }
    if (adds) { node.number(chakra::duration_micros, whole_time(t, rank, us_per_reduced_byte)); }
    add_attribute(node, "is_cpu_op", chakra::bool_val, 0);
    if (!adds) {
        auto const me = static_cast<std::uint64_t>(rank), peer = static_cast<std::uint64_t>(t.peer);
        add_attribute(node, "comm_src", chakra::int32_val, sends ? me : peer);
        add_attribute(node, "comm_dst", chakra::int32_val, sends ? peer : me);
        add_attribute(node, "comm_tag", chakra::int32_val, static_cast<std::uint64_t>(t.round));
        add_attribute(node, "comm_size", chakra::int64_val, t.bytes);
    }
    return node;
}

}  // namespace detail

/// The Chakra execution trace of one rank, whose file is named NAME.RANK.et: a COMM_SEND_NODE or
/// COMM_RECV_NODE for each message, and a COMP_NODE that ends each round and takes as long as its
/// additions, in whole microseconds. Messages of a round wait for the round before. `bytes` is the
/// vector, as in `cost_of`, whose totals are those of the traces of all ranks. Sridharan, Heo, Feng
/// and others, Chakra: Advancing Performance Benchmarking and Co-design using Standardized
/// Execution Traces, 2023; the schema is that of MLCommons. Throws usage_error where a time is
/// negative or more than 63 bits can say. O(steps).
inline std::string chakra_trace(schedule const& own, std::uint64_t bytes,
                                double us_per_reduced_byte = 0) {
    detail::protobuf_message head;
    head.text(detail::chakra::version, "0.0.4");
    auto all = head.delimited();
    detail::each_task(own, bytes, [&](detail::task const& t) {
        all += detail::chakra_node(t, own.rank, us_per_reduced_byte).delimited();
    });
    return all;
}

}  // namespace collectives
