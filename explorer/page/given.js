// SPDX-License-Identifier: BSD-3-Clause
// What coll_show --html put into the page: the state to begin with, a trace, and algorithms that
// were loaded, as their steps for the ranks shown and as the text of their files.
import { read } from "./language/algorithm.js";
import { library } from "./language/headers.js";
import { packed } from "./language/packed.js";

// {state, own, sources, trace}; null in the page as it was built.
export function givenTo(document) {
  return JSON.parse(document.getElementById("given").textContent);
}

// Takes the algorithms that the page was given into app.sources, and gives the fragment to begin
// with. One whose text the editor can read is the reader's own, for any number of ranks.
export async function takeGiven(app, given) {
  if (given === null) { return ""; }
  let state = given.state;
  for (const one of given.own) {
    const why = [];
    for (const { file, text } of given.sources) {
      const { errors, algorithm } = read(text, library, { parameter: Number(one.name.split(":")[1] ?? 2) });
      if (errors.length > 0) {
        why.push(` The editor cannot read ${file}, line ${errors[0].line}: ${errors[0].text}.`);
      } else if (algorithm.name === one.name && !state.includes("&source=")) {
        state += `&source=${await packed(text)}`;
      }
    }
    addSteps(app, one, why.join(""));
  }
  return state;
}

// Of the case that was given, the steps that the compiler's code emitted.
function addSteps(app, one, why) {
  const what = app.core.collectives.indexOf(one.collective);
  const job = { what, size: one.ranks, root: one.root, chunks: one.chunks, rounds: one.rounds,
                steps: Int32Array.from(one.steps) };
  app.sources.set(one.name, {
    version: 0,
    record(asked, size, root) {
      if (asked === what && size === job.size && root === job.root) { return job; }
      throw new Error(`this page has the steps of ${one.name} for one case only: ` +
        `${one.collective}, ${one.ranks} ranks, root ${one.root}.${why}`);
    },
  });
}
