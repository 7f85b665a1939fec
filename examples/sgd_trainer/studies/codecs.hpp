// SPDX-License-Identifier: BSD-3-Clause
// How gradients travel in fewer bytes: each codec averages them over the ranks, in its own way.
// What a fusion_buffer compresses is one element at a time; the last two look at a whole tensor, so
// they call collectives themselves.
#pragma once

#include "../network.hpp"

#include <collectives/collectives.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace trainer::studies {

namespace coll = collectives;

/// Replaces a rank's gradient by the average over all ranks, or by what comes near to it. The same
/// bits come to all ranks.
class codec {
public:
    codec() = default;
    codec(codec const&) = delete;
    codec& operator=(codec const&) = delete;
    virtual ~codec() = default;

    virtual void average(std::span<float> gradient) = 0;
};

/// Element by element: floats as they are, or as 16 bits.
class by_element final : public codec {
public:
    by_element(coll::communicator& comm, coll::compression how)
        : fusion_(comm, {.op = coll::average{}, .algorithm = coll::ring{}, .compress = how}) {}

    void average(std::span<float> gradient) override {
        (void)fusion_.add(gradient);
        fusion_.flush();
    }

private:
    coll::fusion_buffer fusion_;
};

/// Each rank sends its `part` largest elements alone, with their places. With error feedback it
/// keeps the rest and adds it to the next gradient, so that nothing is lost for ever (Stich et al.
/// 2018, Lin et al. 2018).
class top_k final : public codec {
public:
    top_k(coll::communicator& comm, std::size_t count, double part, bool feedback)
        : comm_(comm),
          rest_(count),
          feedback_(feedback),
          order_(count),
          mine_(std::max<std::size_t>(1, static_cast<std::size_t>(part * double(count)))),
          all_(mine_.size() * static_cast<std::size_t>(comm.size())) {}

    void average(std::span<float> gradient) override {
        for (std::size_t i = 0; i < gradient.size(); ++i) { rest_[i] += gradient[i]; }
        std::iota(order_.begin(), order_.end(), 0U);
        auto const end = order_.begin() + static_cast<std::ptrdiff_t>(mine_.size());
        std::nth_element(order_.begin(), end - 1, order_.end(),
                         [&](auto a, auto b) { return std::abs(rest_[a]) > std::abs(rest_[b]); });
        for (std::size_t k = 0; k < mine_.size(); ++k) {
            mine_[k] = {order_[k], rest_[order_[k]]};
            rest_[order_[k]] = 0;
        }
        if (!feedback_) { std::ranges::fill(rest_, 0.0F); }
        comm_.all_gather(mine_, all_, {.algorithm = coll::ring{}});
        std::ranges::fill(gradient, 0.0F);
        auto const share = 1 / static_cast<float>(comm_.size());
        for (auto const& e : all_) { gradient[e.place] += e.value * share; }
    }

private:
    struct entry {
        std::uint32_t place;
        float value;
    };

    coll::communicator& comm_;
    std::vector<float> rest_;  // that was not sent yet
    bool feedback_;
    std::vector<std::uint32_t> order_;
    std::vector<entry> mine_, all_;
};

/// Each matrix of gradients M (outputs x inputs) as the product of a column and a row: p = M q,
/// averaged and brought to length 1; q = M' p, averaged; what comes out is p q', and M - p q' is
/// kept for the next step. One step of a power iteration, which goes on from the last q (Vogels et
/// al. 2019). Biases travel as they are, in the same messages.
class rank_one final : public codec {
public:
    rank_one(coll::communicator& comm, std::vector<tensor> const& tensors)
        : comm_(comm), tensors_(tensors) {
        std::size_t count = 0;
        for (std::size_t t = 0; t < tensors.size(); t += 2) {  // weights, then biases
            auto const rows = tensors[t + 1].size, columns = tensors[t].size / rows;
            count = tensors[t + 1].first + rows;
            columns_.resize(columns_.size() + 2 * rows);
            rows_.resize(rows_.size() + columns);
        }
        rest_.resize(count);
        // Any start that is equal on all ranks and no vector of zeros.
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            rows_[i] = std::cos(static_cast<float>(i));
        }
    }

    void average(std::span<float> gradient) override {
        for (std::size_t i = 0; i < gradient.size(); ++i) { rest_[i] += gradient[i]; }
        each_matrix([&](matrix_of m) {
            for (std::size_t r = 0; r < m.rows; ++r) { m.column[r] = m.biases[r]; }
            auto const p = m.column.subspan(m.rows);
            std::ranges::fill(p, 0.0F);
            for (std::size_t c = 0; c < m.columns; ++c) {
                for (std::size_t r = 0; r < m.rows; ++r) {
                    p[r] += m.weights[c * m.rows + r] * m.row[c];
                }
            }
        });
        comm_.all_reduce(columns_, coll::average{}, {.algorithm = coll::ring{}});
        each_matrix([&](matrix_of m) {
            auto const p = m.column.subspan(m.rows);
            auto const length =
                std::sqrt(std::inner_product(p.begin(), p.end(), p.begin(), 1e-30F));
            for (auto& x : p) { x /= length; }
            for (std::size_t c = 0; c < m.columns; ++c) {
                auto const column = m.weights.subspan(c * m.rows, m.rows);
                m.row[c] = std::inner_product(p.begin(), p.end(), column.begin(), 0.0F);
            }
        });
        comm_.all_reduce(rows_, coll::average{}, {.algorithm = coll::ring{}});
        each_matrix([&](matrix_of m) {
            for (std::size_t r = 0; r < m.rows; ++r) {
                gradient[m.bias_place + r] = m.column[r];
                m.biases[r] = 0;
            }
            for (std::size_t c = 0; c < m.columns; ++c) {
                for (std::size_t r = 0; r < m.rows; ++r) {
                    auto const value = m.column[m.rows + r] * m.row[c];
                    gradient[m.weight_place + c * m.rows + r] = value;
                    m.weights[c * m.rows + r] -= value;
                }
            }
        });
    }

private:
    /// A layer's gradient, and its parts of what travels.
    struct matrix_of {
        std::size_t rows, columns, weight_place, bias_place;
        std::span<float> weights, biases;  // what is to be sent
        std::span<float> column, row;      // biases and p; q
    };

    template <class Part>
    void each_matrix(Part const& part) {
        std::size_t column = 0, row = 0;
        for (std::size_t t = 0; t < tensors_.size(); t += 2) {
            auto const& weights = tensors_[t];
            auto const& biases = tensors_[t + 1];
            auto const rows = biases.size, columns = weights.size / rows;
            part(matrix_of{rows, columns, weights.first, biases.first,
                           std::span(rest_).subspan(weights.first, weights.size),
                           std::span(rest_).subspan(biases.first, rows),
                           std::span(columns_).subspan(column, 2 * rows),
                           std::span(rows_).subspan(row, columns)});
            column += 2 * rows;
            row += columns;
        }
    }

    coll::communicator& comm_;
    std::vector<tensor> tensors_;
    std::vector<float> rest_;            // that was not sent yet
    std::vector<float> columns_, rows_;  // of all matrices
};

}  // namespace trainer::studies
