// SPDX-License-Identifier: BSD-3-Clause
// Why nobody can do with less: for each collective the bounds of schedule/cost.hpp, each with the
// two lines that derive it. A test holds the formulas against what the compiled headers say.

const least = (size) => { let l = 0; while (2 ** l < size) { ++l; } return BigInt(l); };
const share = (n, p) => n - n / p;  // n (P - 1)/P, rounded up

const doubling = "In a round a rank takes in one message, so it then knows of at most twice as many ranks as before.";
const ROUNDS = {
  all: [doubling, "All have to know of all P, and 1 doubled r times is 2ʳ: so 2ʳ ≥ P."],
  root: [doubling, "The root has to know of all P, and 1 doubled r times is 2ʳ: so 2ʳ ≥ P."],
  last: [doubling, "The last rank has to know of all P, and 1 doubled r times is 2ʳ: so 2ʳ ≥ P."],
  spread: ["In a round a rank sends one message, so at most twice as many ranks as before hold something of the root's.",
           "In the end all P do, and 1 doubled r times is 2ʳ: so 2ʳ ≥ P."],
};

// Who must send of one byte of an all-reduce, as many as there are.
export function sendersOfAllReduce(size) {
  const others = size - 1, [each, their] = others === 1 ? ["", "its"] : ["each ", "their"];
  return `${others} of the ${size} ranks must ${each}send ${their} number at least once before anybody can know the sum; then the sum must be sent to ${others} ${others === 1 ? "other" : "others"}.`;
}

const SENT = {
  all_reduce: {
    formula: "2n(P − 1)/P", value: (n, p) => 2n * n - 2n * n / p,
    why: (size) => [`Of each byte of the vector, ${sendersOfAllReduce(size)}`,
          "So all ranks together send 2(P − 1) n, and the busiest of P ranks sends at least the mean."],
  },
  reduce_scatter: {
    formula: "n(P − 1)/P", value: share,
    why: ["Of each byte, each of the P − 1 ranks that do not keep its sum must send a value: its contribution, perhaps within a sum.",
          "So all ranks together send (P − 1) n, and the busiest of P ranks sends at least the mean."],
  },
  all_gather: {
    formula: "n(P − 1)/P", value: share,
    why: ["Each byte of the n is at one rank, and must arrive at P − 1 others.",
          "So all ranks together send (P − 1) n, and the busiest of P ranks sends at least the mean."],
  },
  broadcast: {
    formula: "n", value: (n) => n,
    why: ["At first only the root has the vector.", "So each of its n bytes must leave the root at least once."],
  },
  reduce: {
    formula: "n", value: (n) => n,
    why: ["The root needs a contribution of every rank to each of the n bytes.",
          "So each other rank must send n bytes: its contribution, perhaps within a sum."],
  },
  gather: {
    formula: "n/P", value: (n, p) => n / p,
    why: ["The n bytes are P blocks, one at each rank, and the root needs them all.",
          "So each other rank must send its own block, n/P bytes."],
  },
  scatter: {
    formula: "n(P − 1)/P", value: (n, p) => n - (n + p - 1n) / p,  // the root's own may be a longer block
    why: ["At first only the root has the n bytes, P blocks, one for each rank.",
          "So all blocks but its own must leave the root."],
  },
  all_to_all: {
    formula: "n(P − 1)/P", value: share,
    why: ["Each rank has n bytes, P blocks, one for each rank.", "So all but the one for itself must leave it."],
  },
  scan: {
    formula: "n", value: (n) => n,
    why: ["Every later rank needs what rank 0 contributes to each of the n bytes.",
          "So each of its n bytes must leave rank 0 at least once."],
  },
};
SENT.exscan = SENT.scan;
SENT.barrier = { ...SENT.all_gather, why: ["A barrier is an all-gather of empty blocks.",
                                           "So n = 0, nobody must send a byte, and only the rounds count."] };

const together = "So all ranks together add (P − 1) n, and the busiest of P ranks adds at least the mean.";
const ADDED = {
  sum: { formula: "n(P − 1)/P", value: share,
         why: ["To make one sum of P contributions takes P − 1 additions, in whatever order.", together] },
  scan: { formula: "n(P − 1)/P", value: share,
          why: ["The P − 1 ranks after rank 0 all need different sums, and each takes an addition of its own.", together] },
  exscan: { formula: "n(P − 2)/P", value: (n, p) => n - 2n * n / p,
            why: ["Rank 0 gets nothing and rank 1 a copy; the P − 2 ranks after them all need different sums, and each takes an addition of its own.",
                  "So all ranks together add (P − 2) n, and the busiest of P ranks adds at least the mean."] },
  none: { formula: "0", value: () => 0n, why: ["This collective moves data.", "It adds nothing."] },
};

const adds = { all_reduce: "sum", reduce_scatter: "sum", reduce: "sum", scan: "scan", exscan: "exscan" };
const knows = { broadcast: "spread", scatter: "spread", reduce: "root", gather: "root", scan: "last", exscan: "last" };

// What the busiest rank must at least receive. cost.hpp does not state it; a test holds it against
// what is counted.
const mean = "What is sent is received, so all ranks together receive as much.";
const RECEIVED = {
  all_reduce: { ...SENT.all_reduce, why: [mean, "The busiest of P ranks receives at least the mean: the bound of what is sent."] },
  reduce_scatter: { ...SENT.reduce_scatter, why: [mean, "The busiest of P ranks receives at least the mean: the bound of what is sent."] },
  all_gather: { ...SENT.all_gather, why: ["Each rank has its own block of the n bytes.", "So all other blocks must arrive, at each rank."] },
  broadcast: { formula: "n", value: (n) => n, why: ["At first only the root has the vector.", "So all of its n bytes must arrive at each other rank."] },
  reduce: { formula: "n", value: (n) => n, why: ["The root needs what others contribute to each of the n bytes.", "So at least one value of each byte must arrive there, perhaps a sum of many."] },
  gather: { formula: "n(P − 1)/P", value: (n, p) => n - (n + p - 1n) / p, why: ["The root has its own block of the n bytes.", "So all other blocks must arrive there."] },
  scatter: { formula: "n/P", value: (n, p) => n / p, why: ["At first only the root has the n bytes, P blocks.", "So a block must arrive at each other rank."] },
  all_to_all: { formula: "n(P − 1)/P", value: (n, p) => (p - 1n) * (n / p), why: ["Each rank needs a block of each other rank.", "So P − 1 blocks must arrive at each rank."] },
  scan: { formula: "n", value: (n) => n, why: ["Rank 1 needs what rank 0 contributes to each of the n bytes.", "So n bytes must arrive there."] },
};
RECEIVED.exscan = RECEIVED.scan;
RECEIVED.barrier = { ...RECEIVED.all_gather, why: SENT.barrier.why };

// What n is in these formulas.
const VECTOR = "n is the vector of one rank";
const MEANING = {
  all_reduce: VECTOR, broadcast: VECTOR, reduce: VECTOR, scan: VECTOR, exscan: VECTOR, barrier: VECTOR,
  all_to_all: "n is the P blocks of one rank",
};

// {meaning, rounds, sent, received, reduced}; each of the four {formula, why: [two sentences], value}, where
// the value is that of P ranks and n bytes.
export function boundsOf(collective, size, bytes) {
  const n = BigInt(bytes), p = BigInt(size);
  const of = ({ formula, why, value }) => ({ formula, why: typeof why === "function" ? why(size) : why, value: size === 1 ? 0n : value(n, p) });
  return {
    meaning: MEANING[collective] ?? "n is all P blocks together",
    rounds: of({ formula: "⌈log₂ P⌉", why: ROUNDS[knows[collective] ?? "all"], value: () => least(size) }),
    sent: of(SENT[collective]),
    received: of(RECEIVED[collective]),
    reduced: of(ADDED[adds[collective] ?? "none"]),
  };
}
