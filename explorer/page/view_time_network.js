// SPDX-License-Identifier: BSD-3-Clause
// The network: presets, the reader's machine, a slider and a field for each price, late ranks, slow links.
import { MOST_FACTOR, MOST_SECONDS, PRESETS, PRICES, presetOf } from "./clock.js";
import { h } from "./dom.js";
import { keysOf, parseMachine } from "./machine.js";
import { seconds } from "./numbers.js";

const MICRO = { unit: "\u00b5s", size: 1e-6, least: 1e-9, most: 1e-2 };
const NANO = { unit: "ns", size: 1e-9, least: 1e-13, most: 1e-6 };
const ABOUT = {
  alpha: { title: "Latency \u03b1 (L)", of: "from port to port", ...MICRO },
  overhead: { title: "Overhead o", of: "of the processor, for each message at either end", ...MICRO },
  gap: { title: "Gap g", of: "of a port after a message", ...MICRO },
  beta: { title: "Byte \u03b2 (G)", of: "at a port", ...NANO },
  gamma: { title: "Byte added \u03b3", of: "", ...NANO },
};
const STEPS = 120;
// A slider's place, 0 to STEPS, for a price: 0 is none, the rest is logarithmic.
const placeOf = ({ least, most }, v) => (v <= 0 ? 0 : Math.max(1, Math.min(STEPS, Math.round(1 + (STEPS - 1) * Math.log(v / least) / Math.log(most / least)))));
const valueAt = ({ least, most }, place) => (place === 0 ? 0 : Number((least * (most / least) ** ((place - 1) / (STEPS - 1))).toPrecision(2)));
const inUnit = (v, { size }) => Number((v / size).toPrecision(6));
const speedOf = (beta) => (beta > 0 ? `${Number((1e-9 / beta).toPrecision(3))} GB/s` : "no limit");

export function mountNetwork(host, app) {
  let machine = null;  // {keys, name, call}
  const chosen = h("select", { id: "network", onchange: () => choose(chosen.value) });
  const why = h("p", { class: "quiet" });
  const said = h("p", { class: "t-machine", role: "status" });
  const file = h("input", { type: "file", id: "machine", onchange: () => load(file.files[0]) });
  const prices = PRICES.map((key) => priceOf(key));
  const late = unusual("Late ranks", "Add a late rank", () => app.set({ late: [...app.state.late, { rank: app.state.ranks - 1, seconds: aBit() }] }));
  const slow = unusual("Slow links", "Add a slow link", () => app.set({ slow: [...app.state.slow, { from: 0, to: Math.min(1, app.state.ranks - 1), factor: 4 }] }));
  host.append(h("h2", {}, "The network"), h("label", {}, "Preset ", chosen), why,
    ...prices.map((p) => p.node), late.node, slow.node,
    h("div", { class: "t-machine" }, h("label", { for: "machine" }, "My machine: a file that ", h("code", {}, "coll_tune"), " wrote"), h("div", { class: "t-file" }, file)), said);

  function priceOf(key) {
    const about = ABOUT[key];
    const slider = h("input", { type: "range", min: 0, max: STEPS, step: 1, "aria-label": about.title, id: `price-${key}`,
      oninput: () => app.set({ [key]: valueAt(about, Number(slider.value)) }, { replace: true }) });
    const field = h("input", { type: "number", min: 0, step: "any", "aria-label": `${about.title}, in ${about.unit}`, id: `field-${key}`, onchange: () => {
      const v = Number(field.value) * about.size, right = field.value !== "" && v >= 0 && v <= 1;
      field.setAttribute("aria-invalid", !right);
      if (right) { app.set({ [key]: Number(v.toPrecision(12)) }); }
    } });
    const small = h("small", {}, about.of);
    const node = h("div", { class: "t-price" }, h("span", {}, h("b", {}, about.title), " ", small), slider, field, h("span", {}, about.unit));
    return { node, draw(v) {
      slider.value = placeOf(about, v);
      slider.setAttribute("aria-valuetext", v === 0 ? "none" : seconds(v));
      if (document.activeElement !== field) { field.value = inUnit(v, about); field.setAttribute("aria-invalid", false); }
      if (key === "beta") { small.textContent = `${about.of}: ${speedOf(v)}`; }
      if (key === "gamma") { small.textContent = speedOf(v); }
    } };
  }

  function unusual(title, add, act) {
    const list = h("div", {});
    const node = h("fieldset", { class: "t-unusual" }, h("legend", {}, title), list, h("button", { type: "button", class: "plain", onclick: act }, add));
    return { node, list, button: node.lastChild };
  }
  const aBit = () => {
    const right = app.panels.filter((p) => p.job && p.proof.ok);
    return Number((right.length > 0 ? app.timed(right[0]).total / 2 : 1e-5).toPrecision(1)) || 1e-5;
  };

  // A row of number fields and a button that takes it away.
  function row(key, i, fields, remove) {
    const { list } = key === "late" ? late : slow;
    const set = (change) => app.set({ [key]: app.state[key].map((one, k) => (k === i ? { ...one, ...change } : one)) });
    const inputs = fields.map(({ name, label, least, most, size = 1, whole }) => {
      const input = h("input", { type: "number", min: least / size, max: most / size, step: whole ? 1 : "any", value: inUnit(app.state[key][i][name], { size }),
        onchange: () => {
          const v = Number(input.value) * size, one = { ...app.state[key][i], [name]: v };
          const right = input.value !== "" && v >= least && v <= most && (!whole || Number.isInteger(v)) && one.from !== (one.to ?? -1);
          input.setAttribute("aria-invalid", !right);
          if (right) { set({ [name]: Number(v.toPrecision(12)) }); }
        } });
      return h("label", {}, label, input);
    });
    list.append(h("div", { class: "t-one" }, inputs, h("button", { type: "button", "aria-label": remove, title: remove,
      onclick: () => app.set({ [key]: app.state[key].filter((_, k) => k !== i) }) }, "\u00d7")));
  }
  let drawn = "";
  function drawUnusual(state) {
    const key = JSON.stringify([state.late, state.slow, state.ranks]);
    if (key === drawn) { return; }
    drawn = key;
    const focused = focusIn([late.list, slow.list]);
    late.list.replaceChildren();
    slow.list.replaceChildren();
    const most = state.ranks - 1;
    state.late.forEach((l, i) => row("late", i, [{ name: "rank", label: "Rank", least: 0, most, whole: true },
      { name: "seconds", label: "late by, \u00b5s", least: 0, most: MOST_SECONDS, size: 1e-6 }], `Remove: rank ${l.rank} late`));
    state.slow.forEach((l, i) => row("slow", i, [{ name: "from", label: "From", least: 0, most, whole: true }, { name: "to", label: "to", least: 0, most, whole: true },
      { name: "factor", label: "times", least: 1, most: MOST_FACTOR }], `Remove: link ${l.from} to ${l.to} slow`));
    slow.button.disabled = state.ranks < 2;
    focused();
  }

  function choose(id) {
    const preset = PRESETS.find((p) => p.id === id);
    if (preset) { app.set(Object.fromEntries(PRICES.map((k) => [k, preset[k]]))); }
    if (id === "machine") { app.set(machine.keys); }
  }
  async function load(of) {
    if (!of) { return; }
    try {
      const m = parseMachine(await of.text());
      machine = { keys: keysOf(m), name: of.name, call: m.call ?? 0 };
      said.className = "t-machine";
      said.textContent = `${of.name}: a round is the latency, half a message the overhead at either end. ${machine.call > 0 ? `A call takes ${seconds(machine.call)} besides, which is not shown.` : ""}`;
      app.set(machine.keys);
    } catch (e) {
      said.className = "t-machine bad";
      said.textContent = `${of.name}: ${e.message}`;
    }
  }
  const isMachine = (state) => machine !== null && PRICES.every((k) => state[k] === machine.keys[k]);

  return {
    load,
    draw(state) {
      const preset = presetOf(state);
      const id = isMachine(state) ? "machine" : preset?.id ?? "own";
      const options = [...PRESETS, ...(machine ? [{ id: "machine", title: "My machine" }] : []), ...(id === "own" ? [{ id: "own", title: "as set below" }] : [])];
      if ([...chosen.options].map((o) => o.value).join() !== options.map((o) => o.id).join()) {
        chosen.replaceChildren(...options.map((o) => h("option", { value: o.id }, o.title)));
      }
      chosen.value = id;
      why.textContent = id === "own" || id === "machine" ? "" : `A typical order of magnitude, not a measurement: ${preset.why}.`;
      why.hidden = why.textContent === "";
      PRICES.forEach((key, i) => prices[i].draw(state[key]));
      drawUnusual(state);
    },
  };
}

// Puts the focus back where it was, by the place of the element, after the rows were made anew.
function focusIn(lists) {
  for (const list of lists) {
    const all = [...list.querySelectorAll("input, button")], at = all.indexOf(document.activeElement);
    if (at >= 0) {
      return () => {
        const now = [...list.querySelectorAll("input, button")];
        (now[Math.min(at, now.length - 1)] ?? list.nextElementSibling).focus();
      };
    }
  }
  return () => {};
}
