// SPDX-License-Identifier: BSD-3-Clause
// The library's own text of what a text may include, and what loads into the editor. The page carries
// it compressed (explorer/build, headers.json).
import { unpacked } from "./packed.js";

export const NAMES = ["ring", "circulant", "one_shot", "two_shot", "star", "tree", "butterfly", "halving", "mixed_radix", "hierarchical", "leaders"];
let texts = {};

export async function loadHeaders(letters) { texts = JSON.parse(await unpacked(letters)); }
// The text of a header, or null.
export const library = (name) => texts[`include/${name}`] ?? null;
export const algorithm = (name) => library(`collectives/algorithm/${name}.hpp`);
// Any text that the page carries.
export const text = (name) => texts[name];
export const example = () => texts["examples/custom_algorithm.cpp"];
