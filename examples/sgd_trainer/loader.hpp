// SPDX-License-Identifier: BSD-3-Clause
// A rank's share of the images, shuffled, and prepared by threads while the rank computes.
#pragma once

#include "data.hpp"
#include "slow_disk.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace trainer {

struct batch {
    std::vector<float> pixels;  ///< 0 to 1
    std::vector<std::uint8_t> labels;

    std::size_t size() const { return labels.size(); }
};

/// The images `from`, `from + 1`, ... of `set` in the order given, or as they stand where none is.
batch gather_images(data_set const& from, samples const& set, std::vector<std::size_t> const& order,
                    std::size_t first, std::size_t count);

/// Which images pass number k of a training takes, and which of those this rank. Every epoch has
/// another order, which all ranks draw from the same seed, so there is nothing to send; what does
/// not fill a batch is left out until the next epoch.
struct shard {
    std::size_t whole = 0;             ///< images of a pass, over all ranks
    std::size_t first = 0, count = 0;  ///< this rank's
    int passes_per_epoch = 1;
    std::uint32_t seed = 1;
};

/// How images are read.
struct reading {
    int ahead = 2;    ///< batches that are prepared before they are asked for; 0: none
    int workers = 1;  ///< threads that prepare them
    disk_speed disk{};
};

/// Gives the batches of a rank, pass by pass, from pass `first` on: the same ones in the same
/// order, however they are read.
class loader {
public:
    loader(data_set const& data, shard const& part, int first, reading const& how);
    ~loader();
    loader(loader const&) = delete;
    loader& operator=(loader const&) = delete;

    batch next();

private:
    using shared_order = std::shared_ptr<std::vector<std::size_t> const>;

    shared_order order_of(int epoch);
    batch prepare(int pass, std::vector<std::size_t> const& order);
    void work();

    data_set const& data_;
    shard part_;
    std::size_t ahead_;
    slow_disk disk_;
    int given_;     // the next to be given
    int prepared_;  // the next that a worker will prepare
    int epoch_ = -1;
    shared_order order_;  // of that epoch

    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<int, batch> ready_;  // by pass
    bool stop_ = false;
    std::vector<std::thread> workers_;  // are the last to be made: they use the others
};

}  // namespace trainer
