// SPDX-License-Identifier: BSD-3-Clause
// Starts the page: the compiled headers, then the parts that show what they say.
import { makeApp } from "./app.js";
import { mountClock } from "./clock.js";
import { makeCore } from "./core.js";
import { makeComputer } from "./compute.js";
import { mountControls } from "./controls.js";
import { mountEmbed } from "./embed.js";
import { mountExport } from "./export.js";
import { mountFoot } from "./foot.js";
import { mountGlossary } from "./glossary.js";
import { mountPlayer } from "./player.js";
import { mountTabs } from "./tabs.js";
import { mountTour } from "./tour.js";
import { mountTheme } from "./theme.js";
import figures from "./figures.js";
import cost from "./view_cost.js";
import links from "./view_links.js";
import data from "./view_data.js";
import write from "./view_write.js";
import { loadHeaders } from "./language/headers.js";
import { unpackedBytes } from "./language/packed.js";
import { makeOwn } from "./own.js";
import time from "./view_time.js";
import proof from "./view_proof.js";
import tasks from "./view_tasks.js";
import { givenTo, takeGiven } from "./given.js";

// In any order: the tabs have theirs.
const views = [
  cost,
  links,
  data,
  write,
  time,
  proof,
  tasks,
];

const at = (id) => document.getElementById(id);
const wasm = await unpackedBytes(at("wasm").textContent);
const core = await makeCore(wasm);
const app = makeApp(core, makeComputer(wasm));
at("computed").textContent = `Computed in your browser by collectives ${core.version}: the headers that run on threads, shared memory, MPI and UCX.`;
await loadHeaders(at("texts").textContent);
app.own = makeOwn(app);
mountClock(app);
mountTheme(at("tools"), app);
mountTour(document.querySelector(".top"), app);
mountExport(at("tools"), app);
mountControls(at("controls"), at("complaints"), app);
mountPlayer(at("player"), at("told"), app);
mountTabs(at("tabs"), at("view"), views, app, at("player"));
mountFoot(at("foot"));
mountGlossary(at("view"), document.querySelector(".lead"));
figures(app);
const given = givenTo(document);
const first = await takeGiven(app, given);
const fragment = () => (location.hash.length > 1 ? location.hash : first);
async function follow() {
  await app.own.follow(fragment());
  app.showFragment(fragment());
}
addEventListener("popstate", follow);
await follow();
if (given?.trace) { app.takeTrace(given.trace.file, given.trace.text); }
mountEmbed(app);
