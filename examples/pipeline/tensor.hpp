// SPDX-License-Identifier: BSD-3-Clause
// Tensor parallelism: one layer is cut over ranks, and so are its input and its output, by
// features. A rank has the columns of the weights that its inputs meet, and the biases of its
// outputs.
//
//     forward    its columns give a term of every output: a reduce_scatter adds the terms up and
//                leaves each rank its own outputs
//     backward   an all_gather brings the derivatives by all outputs: that is all that its columns
//                and its inputs need
#pragma once

#include "network.hpp"

#include <collectives/communicator.hpp>

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace pipeline {

/// A rank's part of a layer. Here a matrix has a row for each feature, not for each sample.
class layer_part {
public:
    /// Of the layer's parameters, those that are this rank's.
    layer_part(collectives::communicator& comm, std::span<double const> parameters)
        : comm_(&comm), mine_(collectives::block(width, comm.size(), comm.rank())) {
        for (std::size_t o = 0; o < width; ++o) {
            auto const row = parameters.subspan(o * (width + 1), width + 1);
            auto const columns = row.subspan(mine_.first, mine_.size);
            weights_.insert(weights_.end(), columns.begin(), columns.end());
        }
        for (std::size_t o = 0; o < mine_.size; ++o) {
            biases_.push_back(parameters[(mine_.first + o) * (width + 1) + width]);
        }
    }

    std::vector<double> const& weights() const { return weights_; }
    std::vector<double> const& biases() const { return biases_; }
    std::size_t parameter_count() const { return weights_.size() + biases_.size(); }

    /// This rank's features of a matrix that has a row for each sample.
    matrix of(matrix const& all) const {
        auto const samples = all.size() / width;
        matrix part(mine_.size * samples);
        for (std::size_t f = 0; f < mine_.size; ++f) {
            for (std::size_t s = 0; s < samples; ++s) {
                part[f * samples + s] = all[s * width + mine_.first + f];
            }
        }
        return part;
    }

    /// From this rank's inputs to its outputs.
    matrix forward(matrix const& in, std::size_t samples) {
        matrix terms(width * samples), out(mine_.size * samples);
        for (std::size_t o = 0; o < width; ++o) {
            for (std::size_t i = 0; i < mine_.size; ++i) {
                for (std::size_t s = 0; s < samples; ++s) {
                    terms[o * samples + s] += weights_[o * mine_.size + i] * in[i * samples + s];
                }
            }
        }
        comm_->reduce_scatter(terms, out, counts(samples));
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = std::tanh(out[i] + biases_[i / samples]);
        }
        return out;
    }

    struct slopes {
        matrix by_input;
        std::vector<double> by_weights, by_biases;  // of this rank's
    };
    /// From the derivatives by this rank's outputs.
    slopes backward(matrix const& in, matrix const& out, matrix by_out, std::size_t samples) {
        slopes result{matrix(in.size()), std::vector<double>(weights_.size()),
                      std::vector<double>(biases_.size())};
        for (std::size_t i = 0; i < out.size(); ++i) {
            by_out[i] *= 1 - out[i] * out[i];
            result.by_biases[i / samples] += by_out[i];
        }
        matrix by_all(width * samples);
        comm_->all_gather(by_out, by_all, counts(samples));
        for (std::size_t o = 0; o < width; ++o) {
            for (std::size_t i = 0; i < mine_.size; ++i) {
                auto const w = o * mine_.size + i;
                for (std::size_t s = 0; s < samples; ++s) {
                    result.by_weights[w] += by_all[o * samples + s] * in[i * samples + s];
                    result.by_input[i * samples + s] += by_all[o * samples + s] * weights_[w];
                }
            }
        }
        return result;
    }

private:
    /// How many numbers of a matrix each rank has.
    std::vector<std::size_t> counts(std::size_t samples) const {
        std::vector<std::size_t> all;
        for (int r = 0; r < comm_->size(); ++r) {
            all.push_back(collectives::block(width, comm_->size(), r).size * samples);
        }
        return all;
    }

    collectives::communicator* comm_;
    collectives::extent mine_;  // features
    std::vector<double> weights_, biases_;
};

}  // namespace pipeline
