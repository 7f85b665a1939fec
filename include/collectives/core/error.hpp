// SPDX-License-Identifier: BSD-3-Clause
// What can go wrong, by type: the caller's mistakes, lost peers and time-outs are different things.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace collectives::inline v0 {

/// Base of all errors of the library. The message names rank, collective and operation number.
class error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The caller's mistake, found before anything was sent. The communicator stays usable.
class usage_error : public error {
public:
    using error::error;
};

/// Ranks called with different collectives, counts, types, operators, roots or algorithms.
class mismatch_error : public error {
public:
    using error::error;
};

/// The time of a call ran out.
class timeout_error : public error {
public:
    /// `what` is the message; `missing` are ranks of the communicator, ascending.
    timeout_error(std::string const& what, std::vector<int> missing)
        : error(what), missing_(std::move(missing)) {}
    /// Ranks of the communicator that had not entered the operation, ascending.
    std::vector<int> const& missing() const noexcept { return missing_; }

private:
    std::vector<int> missing_;
};

/// A rank died, left early, or threw in the middle of an operation.
class peer_lost_error : public error {
public:
    /// `what` is the message; `peer` is the rank that was lost.
    peer_lost_error(std::string const& what, int peer) : error(what), peer_(peer) {}
    /// Its rank in the communicator that reports it.
    int peer() const noexcept { return peer_; }

private:
    int peer_;
};

/// The layer below failed: no memory to share, a refused system call.
class transport_error : public error {
public:
    using error::error;
};

/// A rank of `run` failed: what its process said or how it ended.
class run_error : public error {
public:
    /// `what` is the message; the others are what the functions below return.
    run_error(std::string const& what, int rank, int exit_status, int signal)
        : error(what), rank_(rank), exit_status_(exit_status), signal_(signal) {}
    /// The rank that failed first.
    int rank() const noexcept { return rank_; }
    /// The exit status, or -1 when a signal ended the rank.
    int exit_status() const noexcept { return exit_status_; }
    /// The signal that ended the rank, or 0.
    int signal() const noexcept { return signal_; }

private:
    int rank_;
    int exit_status_;
    int signal_;
};

}  // namespace collectives
