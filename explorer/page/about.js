// SPDX-License-Identifier: BSD-3-Clause
// What the collectives and the algorithms are, in a sentence each. No DOM.

export const COLLECTIVES = {
  all_reduce: "An all-reduce adds up the vectors of all ranks, and every rank gets the sum.",
  reduce_scatter: "A reduce-scatter adds up the vectors of all ranks, and every rank gets its own chunk of the sum.",
  all_gather: "In an all-gather each rank has one block, and every rank gets the blocks of all.",
  broadcast: "A broadcast gives the root\u2019s vector to every rank.",
  reduce: "A reduce adds up the vectors of all ranks, and the root gets the sum.",
  gather: "In a gather each rank has one block, and the root gets the blocks of all.",
  scatter: "In a scatter the root has a block for each rank, and each rank gets its own.",
  all_to_all: "In an all-to-all each rank has a block for each rank, and each gets those that are for it.",
  scan: "A scan gives each rank the sum of the vectors of the ranks up to itself.",
  exscan: "An exscan gives each rank the sum of the vectors of the ranks before it.",
  barrier: "A barrier ends on a rank only after every rank has come to it. Here a block is the news that its rank has come.",
};

// After the comments of the library's own files, of their all-reduce.
export const ALGORITHMS = {
  star: "One rank adds up what the others send it, one after the other, and sends the sum out.",
  tree: "Neighbouring groups of ranks merge, doubling in size, until one is left.",
  butterfly: "Partners at distance 1, 2, 4, \u2026 exchange whole partial sums.",
  halving: "Partners exchange halves of what they answer for, then go back the same way.",
  ring: "Every rank talks to its two neighbours; partial sums of all chunks travel at once.",
  circulant: "Halving for any number of ranks: each passes half of what it holds some places on.",
  one_shot: "Everybody reads everybody\u2019s whole vector at once, and adds up alone.",
  two_shot: "Each rank adds up its own chunk of everybody\u2019s vector, then gives it to everybody.",
  mixed_radix: "Ranks are numbers with one digit per prime factor of P: two_shot along each digit.",
  hierarchical: "Ranks that share a host add up first; each then takes its part between the hosts.",
  leaders: "Of ranks that share a device one does the work of all; the leaders then meet.",
};
export const aboutAlgorithm = (name, collective) => (collective === "all_reduce" ? ALGORITHMS[name.split(":")[0]] ?? "" : "");
