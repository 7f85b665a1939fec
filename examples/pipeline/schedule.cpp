// SPDX-License-Identifier: BSD-3-Clause
#include "schedule.hpp"

#include <algorithm>

namespace pipeline {

task_list gpipe(int /*stages*/, int /*stage*/, int micro_batches) {
    task_list tasks;
    for (int m = 0; m < micro_batches; ++m) { tasks.push_back({pass::forward, m}); }
    for (int m = micro_batches; m-- > 0;) { tasks.push_back({pass::backward, m}); }
    return tasks;
}

task_list one_f_one_b(int stages, int stage, int micro_batches) {
    int const ahead = std::min(stages - 1 - stage, micro_batches);
    task_list tasks;
    for (int m = 0; m < ahead; ++m) { tasks.push_back({pass::forward, m}); }
    for (int m = 0; m < micro_batches; ++m) {
        if (m + ahead < micro_batches) { tasks.push_back({pass::forward, m + ahead}); }
        tasks.push_back({pass::backward, m});
    }
    return tasks;
}

std::vector<task_list> named_schedule::of_all(int stages, int micro_batches) const {
    std::vector<task_list> all;
    for (int s = 0; s < stages; ++s) { all.push_back(of_stage(stages, s, micro_batches)); }
    return all;
}

std::vector<named_schedule> const& schedules() {
    static std::vector<named_schedule> const all{{"gpipe", gpipe}, {"1f1b", one_f_one_b}};
    return all;
}

int most_live(task_list const& tasks) {
    int live = 0, most = 0;
    for (auto const& t : tasks) {
        live += t.what == pass::forward ? 1 : -1;
        most = std::max(most, live);
    }
    return most;
}

}  // namespace pipeline
