// SPDX-License-Identifier: BSD-3-Clause
// Runs one launch in a process of its own: our ranks, or a peer's launcher.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace coll_perf {

/// Zeroed memory that this process, its children and other processes can map.
class meeting_place {
public:
    explicit meeting_place(std::size_t bytes);
    meeting_place(meeting_place const&) = delete;
    meeting_place& operator=(meeting_place const&) = delete;
    ~meeting_place();

    void* memory() const { return memory_; }
    /// Under which other processes find it while this one lives. No file is left behind.
    std::string const& path() const { return path_; }

private:
    int descriptor_ = -1;
    void* memory_ = nullptr;
    std::size_t bytes_ = 0;
    std::string path_;
};

struct launch_end {
    enum class how { well, failed, out_of_time } how = how::well;
    std::string said;  ///< what it wrote besides results
    int status = 0;    ///< of its end, where it failed by itself
};

/// Forks; the child calls `work(descriptor)` and ends with what that returns. Every line it writes
/// to the descriptor is given to `take`, which says whether it was a result. Ends the child, and
/// what it started, after `seconds` (0: never), and a second after `is_lost()` has become true.
launch_end run_launch(std::function<int(int descriptor)> const& work, double seconds,
                      std::function<bool(std::string const&)> const& take,
                      std::function<bool()> const& is_lost = {});

/// Becomes another program whose output goes to `descriptor`. Only returns if that fails.
int become(std::vector<std::string> const& command, int descriptor);

/// Writes a whole line.
void write_line(int descriptor, std::string const& line);

}  // namespace coll_perf
