// SPDX-License-Identifier: BSD-3-Clause
// The algorithm that the reader writes: its text, what the interpreter makes of it, its place among
// the algorithms of the page and in the page's URL.
import { asWhole, declare } from "./state.js";
import { read } from "./language/algorithm.js";
import { library } from "./language/headers.js";
import { recordWithLines } from "./language/lines.js";
import { packed, unpacked } from "./language/packed.js";

export const FIRST = `// My first all-reduce: every rank sends its whole vector to
// every other rank, and adds what it gets. It is right, but
// each rank sends P - 1 vectors. Can you do with less?
//
// A step has one of three verbs:
//   send         sends the chunks to the peer
//   recv_reduce  receives them, and adds them to what is here
//   recv_copy    receives them, and replaces what is here
// Every send needs a receive at the peer, in the same round and
// with the same chunks. Emit the rounds in ascending order.
#include <collectives/schedule/step.hpp>

namespace coll = collectives;

struct my_first {
    static constexpr std::string_view name = "my_first";
    static constexpr int chunks(int) { return 1; }  // the vector whole

    // What rank \`me\` of \`size\` does. A step is
    // {round, verb, peer, {first chunk, how many}}.
    static constexpr void steps(int me, int size, auto&& emit) {
        for (int peer = 0; peer < size; ++peer) {
            if (peer == me) { continue; }
            emit(coll::step{0, coll::verb::send, peer, {0}});
            emit(coll::step{0, coll::verb::recv_reduce, peer, {0}});
        }
    }
};
`;

export function makeOwn(app) {
  declare({
    source: { initial: "", parse: (t) => (/^[\w-]+$/.test(t) ? t : undefined), format: (v) => v },
    source_parameter: { initial: 2, ...asWhole(1, 256) },
  });
  const { core } = app;
  const own = { text: "", name: "", algorithm: null, errors: [], notes: [], encoded: "", version: 0, complaint: "" };

  // Takes a text: from then on the page plays it, or says what is wrong with it.
  own.take = (text, parameter = app.state?.source_parameter ?? 2) => {
    const { errors, notes, algorithm } = read(text, library, { parameter });
    if (algorithm && (core.algorithms.includes(algorithm.name) || core.algorithms.includes(`${algorithm.name}:`))) {
      errors.push({ line: algorithm.line, column: 1, text: `the name "${algorithm.name}" is one of the library's; choose another` });
    }
    Object.assign(own, { text, parameter, errors, notes, algorithm: errors.length ? null : algorithm, version: own.version + 1 });
    const name = own.algorithm?.name ?? nameIn(text);  // what cannot be read has a name all the same
    if (name !== own.name) {
      app.sources.delete(own.name);
      own.name = name;
    }
    app.sources.set(own.name, { version: own.version, text, record: own.record });
  };
  const nameIn = (text) => {
    const name = /\bname\s*=\s*"([A-Za-z_][\w.-]*)"/.exec(text)?.[1] ?? "mine";
    return core.algorithms.some((a) => a.replace(":", "") === name) ? `my_${name}` : name;
  };
  own.record = (what, size, root) => {
    if (!own.algorithm) { throw new Error(`line ${own.errors[0].line} of your text: ${own.errors[0].text}`); }
    return recordWithLines(core, own.algorithm, what, size, root);
  };
  // The state's names with the reader's algorithm among them.
  own.among = (names, before) => {
    if (names.includes(own.name)) { return names; }
    const at = names.indexOf(before);
    return at >= 0 ? names.map((n, i) => (i === at ? own.name : n)) : [own.name, ...names.slice(1)];
  };
  // Puts the text into the URL; the promise is of the state's patch.
  own.patch = async () => {
    const { text } = own, encoded = text === FIRST ? "" : await packed(text);
    own.encoded = encoded;
    return { source: encoded };
  };
  // Reads the text of a link, before the page shows what it says.
  own.follow = async (fragment) => {
    const given = new URLSearchParams(fragment.replace(/^#/, ""));
    const source = given.get("source") ?? "", parameter = Number(given.get("source_parameter") ?? 2) || 2;
    own.complaint = "";
    if (source === own.encoded && parameter === own.parameter && own.text !== "") { return; }
    try { own.take(source === "" ? FIRST : await unpacked(source), parameter); own.encoded = source; }
    catch {
      if (own.text === "") { own.take(FIRST, parameter); }
      own.complaint = "The algorithm in this link cannot be read: the link is not whole.";
    }
  };
  return own;
}
