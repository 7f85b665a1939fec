// SPDX-License-Identifier: BSD-3-Clause
// The tries and result codes of a student, kept in this browser where it allows that, under the student's
// name, which the codes have in them too. The name in the field stays in this window alone. No address
// and no message has it.
const NAME = "collectives-explorer-tasks";

export function makeStore() {
  let kept = {};
  let lasting = true;
  try { kept = JSON.parse(localStorage.getItem(NAME) ?? "{}"); } catch { lasting = false; }
  let name = "";
  try { name = sessionStorage.getItem(NAME) ?? ""; } catch { /* kept for as long as the page is open */ }
  const keyOf = (task, student) => `${student}\n${task}`;
  return {
    get lasting() { return lasting; },
    get name() { return name; },
    set name(to) {
      name = to;
      try { sessionStorage.setItem(NAME, to); } catch { /* as above */ }
    },
    // {tries, code} of a task, which may have none yet.
    of(task, student) { return kept[keyOf(task, student)] ?? { tries: 0, code: "" }; },
    // How many tasks of a kind have a code.
    done(kind, student) { return Object.keys(kept).filter((key) => key.startsWith(keyOf(`${kind}:`, student)) && kept[key].code !== "").length; },
    put(task, student, entry) {
      kept[keyOf(task, student)] = entry;
      try { localStorage.setItem(NAME, JSON.stringify(kept)); } catch { lasting = false; }
    },
  };
}
