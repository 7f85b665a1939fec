// SPDX-License-Identifier: BSD-3-Clause
// A recorded trace beside the simulation: chosen or dropped, held against the algorithms shown, its gaps named.
import { h, plural } from "./dom.js";
import { bytes, seconds } from "./numbers.js";
import { algorithmsOf, gapsOf, measuredOf, readTrace, vectorBytes, VERB_WORDS } from "./trace.js";

const MOST_ROWS = 20;
const MOST_BYTES = 128 * 2 ** 20;

export function mountTrace(host, app, prices) {
  let trace = null;  // {file, operations, at}
  let fault = "";
  let number = 0;    // of the trace, for what is drawn once
  const file = h("input", { type: "file", id: "trace", accept: ".json,application/json", onchange: () => load(file.files[0]) });
  const drop = h("div", { class: "t-drop" }, h("label", { for: "trace" }, "A trace of ", h("code", {}, "coll::traced"), " or of the trainer: choose the file, or drop it on the page. "), file);
  const which = h("select", { id: "operation", onchange: () => { trace.at = Number(which.value); number += 1; shown(); } });
  const whichField = h("label", { class: "row" }, "Operation ", which);
  const said = h("p", { role: "status", id: "trace-said" });
  const show = h("button", { type: "button", class: "strong", hidden: true });
  const table = h("div", { class: "wide", tabIndex: 0, role: "region", "aria-label": "Where the time went" });
  host.append(h("h2", {}, "A real run beside it"), drop, whichField, said, show, table);

  async function load(of) {
    if (!of) { return; }
    if (of.size > MOST_BYTES) {
      trace = null;
      fault = `${of.name} has ${bytes(of.size)}; this page reads traces of up to ${bytes(MOST_BYTES)}. Record fewer operations.`;
      number += 1;
      shown();
      return;
    }
    take(of.name, await of.text());
  }
  function take(name, text) {
    number += 1;
    try {
      const operations = readTrace(text);
      // What belongs to what is shown; else what can be shown: a trace may have a split or another call without steps of its own.
      const lastOf = (fits) => operations.findLastIndex(fits), known = (o) => app.core.collectives.includes(o.collective);
      const at = [lastOf((o) => o.collective === app.state.collective && o.ranks === app.state.ranks), lastOf(known)].find((i) => i >= 0);
      trace = { file: name, operations, at: at ?? operations.length - 1 };
      fault = "";
      which.replaceChildren(...operations.map((o, i) => h("option", { value: i }, `${o.number}: ${o.collective}, ${plural(o.ranks, "rank")}`)));
      which.value = trace.at;
    } catch (e) {
      trace = null;
      fault = `${name}: ${e.message}`;
    }
    shown();
  }
  const shown = () => app.show(app.state);
  app.takeTrace = take;

  const isText = (e) => [...(e.dataTransfer?.types ?? [])].includes("Files");
  addEventListener("dragover", (e) => { if (isText(e)) { e.preventDefault(); drop.classList.add("over"); } });
  addEventListener("dragleave", () => drop.classList.remove("over"));
  addEventListener("drop", (e) => {
    if (!isText(e)) { return; }
    e.preventDefault();
    drop.classList.remove("over");
    const of = e.dataTransfer.files[0];
    if (!of) { return; }
    app.set({ view: "time" });
    // What coll_tune writes begins with a name; a trace with a brace.
    of.slice(0, 100).text().then((text) => (/^\s*[[{]/.test(text) ? load(of) : prices.load(of)));
  });

  // The panel that the trace is of, or why none is.
  function matched(ready, operation) {
    const { state } = app;
    if (operation.collective !== state.collective) { return { why: `it is of ${operation.collective}, and ${state.collective} is shown` }; }
    const faults = [];
    for (const r of ready) {
      try { return { ...r, times: measuredOf(operation, r.panel.job) }; } catch (e) { faults.push(`${r.panel.name}: ${e.message}`); }
    }
    return { why: `it is of no algorithm that is shown (${faults.join("; ")})` };
  }

  function offer(operation) {
    const { state } = app;
    if (operation.ranks > 64 || !app.core.collectives.includes(operation.collective)) { return; }
    const [found] = algorithmsOf(operation, app.core, state.algorithm.filter((n) => !app.sources.has(n)));
    if (!found) {
      said.append(" No algorithm of the library has these steps.");
      return;
    }
    const size = vectorBytes(operation, app.core, found.job);
    show.hidden = false;
    show.textContent = `Show what was recorded: ${found.name}, ${operation.collective}, ${plural(operation.ranks, "rank")}${size ? `, ${bytes(size)}` : ""}`;
    show.onclick = () => app.set({ algorithm: [found.name], collective: operation.collective, ranks: operation.ranks, root: found.root, ...(size ? { bytes: size } : {}) });
  }

  function gaps(panel, timed, times, operation) {
    const rows = gapsOf(panel.job, timed, times);
    const sign = (t) => `${t < 0 ? "\u2212" : "+"}${seconds(Math.abs(t))}`;
    const more = h("button", { type: "button", class: "plain", onclick: () => fill(rows.length) }, `All ${rows.length} steps`);
    const body = h("tbody", {});
    const fill = (count) => {
      body.replaceChildren(...rows.slice(0, count).map((g) => h("tr", {}, h("td", {}, g.round), h("td", {}, `rank ${g.rank} ${VERB_WORDS[g.verb]} ${g.peer}`),
        h("td", {}, seconds(g.simulated)), h("td", {}, seconds(g.measured)), h("td", {}, sign(g.late)), h("td", {}, h("b", {}, sign(g.added))))));
      more.hidden = count >= rows.length;
    };
    fill(MOST_ROWS);
    const factor = timed.total > 0 ? `, ${Number((times.total / timed.total).toPrecision(3))} times as long as simulated` : "";
    const size = vectorBytes(operation, app.core, panel.job);
    const notes = [
      `Measured, ${panel.name} takes ${seconds(times.total)}${factor} (${seconds(timed.total)}). Both clocks begin when the first rank begins.`,
      size && size !== app.state.bytes ? `The recorded vector had ${size.toLocaleString("en")} bytes; ${app.state.bytes.toLocaleString("en")} are shown.` : "",
      operation.segments > 1 ? `It ran in ${operation.segments} segments, which the simulation does not: a step reaches from its first segment to its last.` : "",
      "A measured receive includes the time that it waited.",
    ].filter((t) => t);
    said.textContent = notes.join(" ");
    if (size && size !== app.state.bytes) {
      show.hidden = false;
      show.textContent = `Show ${bytes(size)}`;
      show.onclick = () => app.set({ bytes: size });
    }
    table.hidden = false;
    table.replaceChildren(h("table", { class: "t-gaps" }, h("caption", {}, "Where the time went: the steps that fell behind the most since their rank\u2019s round before"),
      h("thead", {}, h("tr", {}, ["round", "step", "simulated end", "measured end", "behind", "of that, in this step"].map((t) => h("th", { scope: "col" }, t)))), body), more);
  }

  let drawn = "";
  let now = null;
  return {
    take,
    // What is drawn under the algorithm that the trace is of: {name, job, times, key, file}; null without a trace.
    draw(ready) {
      const key = [number, fault, app.state.collective, app.state.bytes, ...ready.map((r) => `${r.panel.name} ${r.panel.job.size} ${r.panel.job.root} ${r.timed.total}`)].join("|");
      if (key === drawn) { return now; }
      drawn = key;
      now = null;
      show.hidden = true;
      said.className = fault ? "bad" : "";
      said.textContent = fault;
      table.replaceChildren();
      table.hidden = true;
      whichField.hidden = !trace || trace.operations.length < 2;
      if (!trace || app.busy) { return null; }
      const operation = trace.operations[trace.at];
      const found = matched(ready, operation);
      if (found.why) {
        said.className = "bad";
        said.textContent = `${trace.file} does not belong to what is shown: ${found.why}.`;
        offer(operation);
        return null;
      }
      gaps(found.panel, found.timed, found.times, operation);
      const { begin, end, total } = found.times;
      now = { key, name: found.panel.name, job: found.panel.job, file: trace.file, overhead: 0, times: { moves: begin, moved: end, end, total, path: [] } };
      return now;
    },
  };
}
