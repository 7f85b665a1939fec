// SPDX-License-Identifier: BSD-3-Clause
#include "loader.hpp"

#include "order.hpp"

#include <utility>

namespace trainer {

batch gather_images(data_set const& from, samples const& set, std::vector<std::size_t> const& order,
                    std::size_t first, std::size_t count) {
    auto const n = from.pixels_per_image();
    auto const scale = 1 / static_cast<float>(from.brightest);
    batch result{std::vector<float>(count * n), std::vector<std::uint8_t>(count)};
    for (std::size_t i = 0; i < count; ++i) {
        auto const image = order.empty() ? first + i : order[first + i];
        for (std::size_t p = 0; p < n; ++p) {
            result.pixels[i * n + p] = scale * static_cast<float>(set.pixels[image * n + p]);
        }
        result.labels[i] = set.labels[image];
    }
    return result;
}

loader::loader(data_set const& data, shard const& part, int first, int ahead)
    : data_(data), part_(part), pass_(first), ahead_(static_cast<std::size_t>(ahead)) {
    if (ahead > 0) {
        thread_ = std::thread([this] { work(); });
    }
}

loader::~loader() {
    if (!thread_.joinable()) { return; }
    {
        std::lock_guard const lock(mutex_);
        stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

batch loader::next() {
    if (!thread_.joinable()) { return prepare(); }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !ready_.empty(); });
    auto result = std::move(ready_.front());
    ready_.pop_front();
    lock.unlock();
    changed_.notify_all();
    return result;
}

batch loader::prepare() {
    auto const per_epoch = part_.passes_per_epoch;
    auto const epoch = pass_ / per_epoch;
    if (epoch != epoch_) {
        order_ = shuffled(data_.train.size(), part_.seed + static_cast<std::uint32_t>(epoch));
        epoch_ = epoch;
    }
    auto const first = static_cast<std::size_t>(pass_++ % per_epoch) * part_.whole + part_.first;
    return gather_images(data_, data_.train, order_, first, part_.count);
}

void loader::work() {
    for (;;) {
        auto made = prepare();
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return stop_ || ready_.size() < ahead_; });
        if (stop_) { return; }
        ready_.push_back(std::move(made));
        lock.unlock();
        changed_.notify_all();
    }
}

}  // namespace trainer
