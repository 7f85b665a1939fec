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
    std::vector<std::uint8_t> painted(set.paint ? n : 0);
    for (std::size_t i = 0; i < count; ++i) {
        auto const image = order.empty() ? first + i : order[first + i];
        if (set.paint) { set.paint(image, painted); }
        auto const* const pixels = set.paint ? painted.data() : &set.pixels[image * n];
        for (std::size_t p = 0; p < n; ++p) {
            result.pixels[i * n + p] = scale * static_cast<float>(pixels[p]);
        }
        result.labels[i] = set.labels[image];
    }
    return result;
}

loader::loader(data_set const& data, shard const& part, int first, reading const& how)
    : data_(data),
      part_(part),
      ahead_(static_cast<std::size_t>(how.ahead)),
      disk_(how.disk),
      given_(first),
      prepared_(first) {
    for (int w = 0; how.ahead > 0 && w < how.workers; ++w) {
        workers_.emplace_back([this] { work(); });
    }
}

loader::~loader() {
    {
        std::lock_guard const lock(mutex_);
        stop_ = true;
    }
    changed_.notify_all();
    for (auto& w : workers_) { w.join(); }
}

batch loader::next() {
    auto const pass = given_++;
    if (workers_.empty()) { return prepare(pass, *order_of(pass / part_.passes_per_epoch)); }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ready_.contains(pass); });
    auto result = std::move(ready_.extract(pass).mapped());
    lock.unlock();
    changed_.notify_all();
    return result;
}

loader::shared_order loader::order_of(int epoch) {
    if (epoch != epoch_) {
        order_ = std::make_shared<std::vector<std::size_t>>(
            shuffled(data_.train.size(), part_.seed + static_cast<std::uint32_t>(epoch)));
        epoch_ = epoch;
    }
    return order_;
}

batch loader::prepare(int pass, std::vector<std::size_t> const& order) {
    auto const number = static_cast<std::size_t>(pass % part_.passes_per_epoch);
    disk_.read(part_.count * data_.pixels_per_image());
    return gather_images(data_, data_.train, order, number * part_.whole + part_.first,
                         part_.count);
}

void loader::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        // At most `ahead` batches are ready or being prepared, counted from the next one to give.
        changed_.wait(lock,
                      [this] { return stop_ || prepared_ < given_ + static_cast<int>(ahead_); });
        if (stop_) { return; }
        auto const pass = prepared_++;
        auto const order = order_of(pass / part_.passes_per_epoch);
        lock.unlock();
        auto made = prepare(pass, *order);
        lock.lock();
        ready_.emplace(pass, std::move(made));
        changed_.notify_all();
    }
}

}  // namespace trainer
