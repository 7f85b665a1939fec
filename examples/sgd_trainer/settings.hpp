// SPDX-License-Identifier: BSD-3-Clause
// What is trained, how, and over what: equal on all ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace trainer {

enum class method { all_reduce, server, async_server };  ///< who averages the gradients
/// Of the last four a launcher started the ranks. hosts: UCX between them, memory inside each.
enum class transport { processes, threads, joined, mpi, ucx, hosts };
enum class processor { host, device };                 ///< what computes
enum class overlap { off, calls, thread };             ///< what moves gradients during backward
enum class format { single, half, brain };             ///< float, float16, bfloat16
enum class loss { end, go_on };                        ///< what becomes of lost ranks' part
enum class decay { none, step, exponential, cosine };  ///< of the learning rate

struct settings {
    std::string data = "digits";
    std::filesystem::path data_path;  ///< empty: where the data set usually is
    std::string model = "dense";
    int hidden = 0;  ///< units of the hidden layer; 0: 64 for digits, else 128

    int epochs = 30;
    int batch = 60;      ///< images per pass, over all ranks together
    int accumulate = 1;  ///< passes per step: a step learns from batch x accumulate images
    std::uint32_t seed = 1;
    int prefetch = 2;       ///< batches that threads prepare ahead; 0: no thread
    int loaders = 1;        ///< threads of a rank that prepare them
    double disk_rate = 0;   ///< bytes per second of each rank's disk; 0: as fast as memory
    double disk_delay = 0;  ///< seconds until a request is answered

    double rate = 0.1;
    int rate_batch =
        0;  ///< `rate` is for steps of so many images, and scaled to others; 0: for any
    double warm_up = 0;  ///< epochs in which the rate rises from nothing
    decay falls = decay::none;
    double decay_factor = 0.5;  ///< of step and exponential decay
    double decay_epochs = 10;   ///< after so many epochs the factor has been applied once
    double momentum = 0.9;
    format precision = format::single;  ///< of activations, gradients and the weights they see
    double loss_scale = 32768;          ///< to begin with; for float16 alone

    method how = method::all_reduce;
    transport where = transport::processes;
    processor on = processor::host;
    int ranks = 4;
    loss on_loss = loss::end;
    int servers = 1;        ///< of both kinds; each has a part of the parameters
    int staleness = -1;     ///< steps that a worker may be ahead of the slowest; -1: any
    bool damped = false;    ///< gradients that are staler than usual count less
    int average_every = 0;  ///< steps after which weights are averaged, instead of gradients
    struct {
        int rank = -1;
        double factor = 1;
    } straggler;  ///< takes so many times as long to compute
    struct {
        int rank = -1, step = 0;
    } victim;                ///< a process that is killed as it begins this step
    double slow_motion = 1;  ///< for measuring: all ranks take so many times as long to compute
    std::string algorithm = "automatic";
    std::size_t segment = static_cast<std::size_t>(-1);  ///< as in coll::options
    bool reproducible = false;
    std::size_t threshold = 64 << 20;  ///< bytes of a bucket; 0: every tensor by itself
    overlap moves = overlap::calls;
    format wire = format::single;  ///< gradients travel in it
    std::size_t under_way = 64;    ///< the most buckets that travel at once
    bool counted = false;          ///< count bytes: everything travels as messages then
    double link = 0;       ///< bytes per second of each rank's link; 0: what the machine gives
    double latency = 0;    ///< seconds that each message takes besides, over such links
    bool in_step = false;  ///< for measuring: no rank begins a step before all have ended the last
    int passes = 1;        ///< for measuring: how often `infer` classifies the test images

    std::filesystem::path checkpoint;  ///< is written to here, and at the end
    int checkpoint_every = 0;          ///< steps; 0: at the end alone
    std::filesystem::path resume;      ///< a checkpoint to go on from
    int stop_after = 0;                ///< steps of this run; 0: until the last epoch has ended
    std::filesystem::path log;         ///< JSON, a line per event
    std::filesystem::path page;        ///< HTML
};

}  // namespace trainer
