// SPDX-License-Identifier: BSD-3-Clause
// Ranks that are processes of one machine: the shared-memory transport on a mapped memory file.
#pragma once

#include <collectives/core/compiled.hpp>
#include <collectives/core/processors.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/transport/shared/mapped_memory.hpp>
#include <collectives/transport/shared/transport.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace collectives::inline v0::shm {

class transport : public shared::shared_transport<shared::mapped_memory> {
public:
    using shared_transport::shared_transport;
    /// Models `renewing`.
    shared_pointer<transport> renew(board& broken, loss const& of);
};

namespace detail {

/// Where things are in the file of a job: the same in all processes of a machine. Another job may
/// be behind it in the file, so it ends where a page does; on Arm that has up to 64 KiB.
struct places {
    explicit places(int size)
        : ranks(size),
          board(shared::rounded_up(shared::state::bytes(size))),
          parts(board + shared::rounded_up(shared::board::bytes(size))),
          part(part_bytes(size)),
          end(shared::rounded_up(parts + static_cast<std::size_t>(size) * part, 64 * 1024)) {}

    int ranks;
    std::size_t board, parts, part, end;

private:
    /// Address space for one rank: twice the machine's memory, less where there are very many.
    static std::size_t part_bytes(int size) {
        auto const memory = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
                            static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        auto const most = (std::size_t{1} << 45) / static_cast<std::size_t>(size);
        return shared::rounded_up(std::min(2 * memory, most));
    }
};

}  // namespace detail

/// The memory of a job of `size` ranks: one sparse file with the shared state, the first board, and
/// a part for each rank to allocate from. Made before the ranks are forked, so that all map it.
/// Takes 0.8 MiB per rank and 8 KiB per ordered pair; the parts cost nothing before they are used.
class job : private detail::places {
public:
    explicit job(int size) : places(size), file_(make_shared_object<shared::memory_file>(end)) {
        prepare();
        state_.header().processors.store(usable_processors());
        state_.header().file_end.store(end);
    }
    /// The job that another process made, by its file.
    job(int size, shared::memory_file::received file)
        : places(size),
          file_(make_shared_object<shared::memory_file>(file, end)),
          state_(file_->base(), size) {}
    /// A job in a part of another one's file, which one process makes and others then open.
    job(int size, shared::memory_file::later_part where, bool makes_it)
        : places(size),
          file_(make_shared_object<shared::memory_file>(where, end)),
          state_(file_->base(), size) {
        if (makes_it) { prepare(); }
    }
    /// Where a part for a job of so many ranks may begin, which is then reserved for it.
    static std::size_t reserve(shared::memory_file const& file, int size) {
        auto& header = *reinterpret_cast<shared::job_header*>(file.root());
        return header.file_end.fetch_add(places(size).end);
    }

    /// Gives back the memory of a part that nobody has opened.
    void give_back() const { file_->give_back(0, end); }

    int descriptor() const { return file_->descriptor(); }
    shared::state const& state() const { return state_; }
    /// What rank r works with. `keep` lives as long as that; `watches`: nobody else looks after the
    /// processes of the ranks.
    template <class Transport = transport>
    shared_pointer<Transport> rank(rank_t r, shared_pointer<void> keep = {},
                                   bool watches = false) const {
        shared::mapped_memory memory(*file_, parts + static_cast<std::size_t>(r) * part, part);
        if (!keep) { keep = file_; }
        return make_shared_object<Transport>(state_, std::move(memory), file_->base() + board, r,
                                             std::move(keep), watches);
    }

private:
    void prepare() {
        file_->commit(0, parts);
        state_ = shared::state::create(file_->base(), ranks);
        shared::board::create(file_->base() + board, ranks);
    }

    shared_pointer<shared::memory_file> file_;
    shared::state state_;
};

}  // namespace collectives::shm

#ifndef COLLECTIVES_COMPILED
#include <collectives/transport/shm.ipp>
#endif
