// SPDX-License-Identifier: BSD-3-Clause
// The tries and result codes of a student, kept in this browser where it allows that.
const NAME = "collectives-explorer-tasks";

export function makeStore() {
  let kept = {};
  let lasting = true;
  try { kept = JSON.parse(localStorage.getItem(NAME) ?? "{}"); } catch { lasting = false; }
  const keyOf = (task, student) => `${student}\n${task}`;
  return {
    get lasting() { return lasting; },
    // {tries, code} of a task, which may have none yet.
    of(task, student) { return kept[keyOf(task, student)] ?? { tries: 0, code: "" }; },
    put(task, student, entry) {
      kept[keyOf(task, student)] = entry;
      try { localStorage.setItem(NAME, JSON.stringify(kept)); } catch { lasting = false; }
    },
  };
}
