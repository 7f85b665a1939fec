// SPDX-License-Identifier: BSD-3-Clause
// The control messages of one rank: sends them, and receives those that come.
#pragma once

#include <collectives/core/growing_nap.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/core/without_cancellation.hpp>
#include <collectives/transport/wire/board_list.hpp>
#include <collectives/transport/wire/link.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>

namespace collectives::inline v0::wire {

template <link Link>
class control_mailbox {
public:
    explicit control_mailbox(Link& way)
        : way_(&way),
          has_left_(static_cast<std::size_t>(way.size()), false),
          has_reported_(has_left_),
          left_by_exception_(has_left_),
          has_given_up_(has_left_),
          sent_to_(has_left_.size()),
          expected_of_(has_left_.size()) {
        listen();
    }
    control_mailbox(control_mailbox const&) = delete;
    control_mailbox& operator=(control_mailbox const&) = delete;

    board open(std::uint64_t id, lean_vector<rank_t> group, rank_t me) {
        return boards_.add(id, std::move(group), me,
                           [this](rank_t to, control_message const& what) { tell(to, what); });
    }
    void close(board& b) { boards_.close(b); }
    void tell(rank_t to, control_message const& what) {
        static_cast<void>(all_sent(true));
        auto text = std::make_unique<control_message>(what);
        text->sender = way_->rank();
        text->job = way_->job();
        auto const* const bytes = reinterpret_cast<std::byte const*>(text.get());
        auto& mine = sent_.emplace_back(to);  // first: the text must stay once it is on its way
        try {
            mine.under_way = way_->send_control(bytes, sizeof what, to);
        } catch (...) {
            sent_.pop_back();
            throw;
        }
        mine.text = std::move(text);
        if (counts(to)) { ++at(sent_to_, to); }
    }
    /// Tells the peers what has failed here. Waits a moment until it is on its way, since this rank
    /// may not come back for long.
    void tell_failures() {
        if (boards_.send_failures()) { flush(steady::now() + std::chrono::milliseconds(10), true); }
    }
    /// Receives one control message, if one has come.
    bool receive() {
        boards_.send_failures();
        arrival came;
        if (!way_->test(listening_, came)) { return false; }
        auto const what = *place_;
        listen();
        if (came.bytes != sizeof what || what.sender < 0 || what.sender >= way_->size()) {
            throw_error<transport_error>(
                "a control message came that no rank of this job can have sent");
        }
        if (what.job == way_->job()) { take_in(what); }
        return true;
    }

    /// This rank, and others, go on without a rank: nobody waits for it in `leave`.
    void leave_out(rank_t r) {
        boards_.leave_out(r);
        while (boards_.is_left_out(head_)) { ++head_; }
    }

    /// Collective. Receives and answers control messages until all ranks have called this or the
    /// time is over; silent ranks are not waited for. Returns false on all ranks if a rank has not
    /// come, even one that was left out: it may be alive and still send. If it returns true, no
    /// control message to this rank is under way. Over MPI a later communicator with the same
    /// number would receive it. So ranks stop answering once all have come, and rank 0 (after a
    /// loss, the first survivor) tells each rank how many messages to expect.
    bool leave(steady::time_point patience) {
        answers_ = true;
        say_farewell();
        if (way_->rank() == head_) {
            at(has_left_, head_) = at(has_reported_, head_) = true;
            if (!receive_until([this] { return all_of(has_left_); }, patience)) { return false; }
            patience = std::min(patience, steady::now() + last_words);
            answers_ = false;
            tell_all(control_message::kind::all_left);
            if (!receive_until([this] { return all_of(has_reported_); }, patience)) {
                return false;
            }
            auto const end = has_reported_.end();
            if (std::find(has_reported_.begin(), end, false) != end) { return false; }
            for (rank_t r = 0; r < way_->size(); ++r) {
                if (r != head_) {
                    tell_of_job(r, control_message::kind::expected_count, at(expected_of_, r));
                }
            }
        } else {
            tell_of_job(head_, control_message::kind::leaves);
            if (!receive_until([this] { return all_left_; }, patience)) { return false; }
            patience = std::min(patience, steady::now() + last_words);
            report();
            auto const all_received = [this] {
                return expected_known_ && received_ >= at(expected_of_, way_->rank());
            };
            if (!receive_until(all_received, patience)) { return false; }
        }
        return flush(patience, false);
    }
    /// Whether nothing that was told is still on its way out to a rank that it can reach. Silent
    /// ranks count only `to_silent`: MPI may never send on what a dead rank was told.
    bool all_sent(bool to_silent) {
        arrival ignored;
        std::erase_if(sent_, [&](sent_message& s) {
            try {
                return way_->test(s.under_way, ignored);
            } catch (transport_error const&) { return true; }  // it will not be sent any more
        });
        return std::none_of(sent_.begin(), sent_.end(), [&](sent_message const& s) {
            return way_->can_reach(s.to) && !boards_.is_left_out(s.to) &&
                   (to_silent || !boards_.is_silent(s.to));
        });
    }
    /// Returns once all that was told is on its way; false if it is not by then. Where nobody
    /// notices deaths, silent ranks are not waited for.
    bool flush(steady::time_point patience) { return flush(patience, way_->notices_deaths()); }
    bool flush(steady::time_point patience, bool to_silent) {
        while (!all_sent(to_silent)) {
            way_->progress_control();
            if (steady::now() >= patience) { return false; }
        }
        return true;
    }
    /// Tells all ranks that this one goes while an exception passes.
    void leave_by_exception() { tell_all(control_message::kind::leaves_by_exception); }
    /// Tells all ranks that this one no longer waits for them in `leave`.
    void give_up() { tell_all(control_message::kind::gives_up); }
    bool has_left_by_exception(rank_t r) const { return at(left_by_exception_, r); }
    /// Ends what is under way. What the library may still use is handed to `keep`.
    template <class Keep>
    void end(Keep&& keep) {
        if (!way_->take_back(listening_, {})) { keep(std::move(place_)); }
        for (auto& s : sent_) {
            if (!way_->take_back(s.under_way, {})) { keep(std::move(s.text)); }
        }
        sent_.clear();
    }

private:
    /// For what ranks say to each other once all have come to `leave`.
    static constexpr auto last_words = std::chrono::seconds(5);

    struct sent_message {
        rank_t to = -1;
        std::unique_ptr<control_message> text{};
        typename Link::handle under_way{};
    };

    void listen() {
        listening_ = way_->receive_control(reinterpret_cast<std::byte*>(place_.get()),
                                           sizeof(control_message));
    }
    void take_in(control_message const& what) {
        boards_.hear_of(what.sender);
        if (counts(what.sender)) { ++received_; }
        switch (what.what) {
            case control_message::kind::sent_count:
                if (what.from >= 0 && what.from < way_->size()) {
                    at(expected_of_, what.from) += what.asked;
                }
                break;
            case control_message::kind::leaves_by_exception:
                at(left_by_exception_, what.sender) = true;
                break;
            case control_message::kind::gives_up: at(has_given_up_, what.sender) = true; break;
            case control_message::kind::all_sent_counts:
                at(has_reported_, what.sender) = true;
                break;
            case control_message::kind::all_left:
                all_left_ = true;
                answers_ = false;
                break;
            case control_message::kind::expected_count:
                expected_known_ = true;
                at(expected_of_, way_->rank()) = what.asked;
                break;
            default:
                if (what.board != 0) {
                    boards_.receive(what);
                } else {
                    at(has_left_, what.sender) = true;
                }
        }
        if (answers_) { say_farewell(); }
    }
    /// Whether a control message to or from a rank must be reported. Those of rank 0 need not be:
    /// it receives the last one of each rank last, and what it sends last arrives last.
    bool counts(rank_t peer) const { return peer != 0 && way_->rank() != 0; }
    void report() {
        for (rank_t r = 1; r < way_->size(); ++r) {
            if (at(sent_to_, r) == 0) { continue; }
            tell_of_job(head_, control_message::kind::sent_count, at(sent_to_, r), r);
        }
        tell_of_job(head_, control_message::kind::all_sent_counts);
    }
    /// Tells those who wait for this rank.
    void say_farewell() {
        boards_.leave([this](rank_t to, control_message const& what) { tell(to, what); });
    }
    void tell_all(control_message::kind what) {
        for (rank_t r = 0; r < way_->size(); ++r) {
            try {
                if (r != way_->rank()) { tell_of_job(r, what); }
            } catch (...) {}  // the others still must hear
        }
    }
    void tell_of_job(rank_t to, control_message::kind what, std::uint64_t number = 0,
                     rank_t about = -1) {
        tell(to, {.what = what, .from = about, .asked = number});
    }
    template <class List>
    static decltype(auto) at(List& list, rank_t r) {
        return list[static_cast<std::size_t>(r)];
    }
    template <class Condition>
    bool receive_until(Condition&& holds, steady::time_point patience) {
        detail::growing_nap nap;
        while (!holds()) {
            auto const moved = way_->progress();  // what ended for its sender may be buffered here
            way_->progress_control();
            if (receive()) { continue; }
            if (steady::now() >= patience || somebody_stays_away()) { return false; }
            if (moved) {
                nap.reset();
                continue;
            }
            detail::sleep_in_call(nap.next());
        }
        return true;
    }
    /// Whether it is true of all ranks but the silent ones.
    bool all_of(lean_vector<bool> const& ranks) const {
        for (rank_t r = 0; r < way_->size(); ++r) {
            if (!at(ranks, r) && !boards_.is_silent(r)) { return false; }
        }
        return true;
    }
    /// Whether a rank that `leave` needs will never come. The head needs all ranks. The others need
    /// the head, which fails if any rank says that it goes. A rank that has left may be out of
    /// reach. What only another rank could have been told proves nothing here.
    bool somebody_stays_away() const {
        if (all_left_ && expected_known_) { return false; }
        auto const leads = way_->rank() == head_;
        if (!leads && boards_.is_silent(head_)) { return true; }
        for (rank_t r = 0; r < way_->size(); ++r) {
            if ((leads && at(has_reported_, r)) || boards_.is_left_out(r)) { continue; }
            if (has_left_by_exception(r) || at(has_given_up_, r)) { return true; }
            if ((leads || r == head_) && !way_->can_reach(r)) { return true; }
        }
        return false;
    }
    Link* way_;
    board_list boards_;
    rank_t head_ = 0;                 // the lowest rank that was not left out
    lean_vector<bool> has_left_;      // on the head: the ranks that have called `leave`
    lean_vector<bool> has_reported_;  // on the head: the ranks that have reported their counts
    lean_vector<bool> left_by_exception_;
    lean_vector<bool> has_given_up_;
    lean_vector<std::uint64_t> sent_to_;      // control messages sent to each rank but 0
    lean_vector<std::uint64_t> expected_of_;  // those sent to each rank, as far as was reported
    std::uint64_t received_ = 0;              // those that this rank has received
    bool answers_ = false;                    // ranks that have left may still be asked
    bool all_left_ = false, expected_known_ = false;
    std::unique_ptr<control_message> place_ = std::make_unique<control_message>();
    typename Link::handle listening_{};
    std::deque<sent_message> sent_;
};

}  // namespace collectives::wire
