// SPDX-License-Identifier: BSD-3-Clause
// The controls: which algorithms, which collective, how many ranks, how many bytes.
import { MOST_PANELS, MOST_RANKS } from "./app.js";
import { h, plural } from "./dom.js";
import { colourOf } from "./palette.js";

const ROOTED = ["broadcast", "reduce", "gather", "scatter"];
const UNITS = [["B", 1], ["KiB", 2 ** 10], ["MiB", 2 ** 20], ["GiB", 2 ** 30], ["TiB", 2 ** 40]];

export function mountControls(form, complaints, app) {
  const { core } = app;
  form.addEventListener("submit", (e) => e.preventDefault());
  const algorithms = form.appendChild(h("fieldset", { class: "algorithms" }));
  let shown = "";

  function names() {
    const own = [...app.sources.keys()].filter((n) => !core.algorithms.includes(n));
    return [...core.algorithms, ...own];
  }

  function change(at, name) {
    const algorithm = [...app.state.algorithm];
    if (name === null) { algorithm.splice(at, 1); } else { algorithm[at] = name; }
    app.set({ algorithm }, once(algorithms));
  }

  // Of what is chosen while the focus stays, as with the arrow keys, only the first is an entry of its
  // own in the browser's history.
  let touched = null, drawing = false;
  function once(where) {
    const replace = touched === where;
    touched = where;
    return { replace };
  }
  form.addEventListener("focusout", () => { if (!drawing) { touched = null; } });
  addEventListener("popstate", () => { touched = null; });

  function choice(name, at) {
    const [base, number] = name.split(":");
    const grouped = number !== undefined;
    const known = names();
    const value = grouped ? `${base}:` : base;
    const select = h("select", { "aria-label": `Algorithm ${at + 1}`, id: `algorithm-${at}`, onchange: (e) => {
      const chosen = e.target.value;
      change(at, chosen.endsWith(":") ? chosen + groupFor(app.state.ranks) : chosen);
    } }, known.map((n) => h("option", { value: n, selected: n === value }, n.replace(":", ""))),
    known.includes(value) ? null : h("option", { value, selected: true }, name));
    const field = grouped ? h("input", { type: "number", min: 1, max: MOST_RANKS, value: number, id: `group-${at}`,
      "aria-label": `Ranks per group of algorithm ${at + 1}`, title: "ranks per group", onchange: (e) => {
        if (e.target.validity.valid && e.target.value !== "") { change(at, `${base}:${Number(e.target.value)}`); }
      } }) : null;
    const away = app.state.algorithm.length > 1 ? h("button", { type: "button", "aria-label": `Remove ${name}`,
      title: `Remove ${name}`, onclick: () => { change(at, null); document.getElementById("algorithm-0").focus(); } }, "\u00d7") : null;
    return h("span", { class: "choice", style: { "--own": colourOf(name) } }, select, field, away);
  }

  function groupFor(size) {
    for (const g of [4, 2, 3, 5, 7]) { if (size % g === 0 && size > g) { return g; } }
    return size > 1 ? size : 1;
  }

  function addOne() {
    const { algorithm } = app.state;
    const next = ["ring", "tree", "butterfly", "star"].find((n) => !algorithm.includes(n));
    app.set({ algorithm: [...algorithm, next] });
    document.getElementById(`algorithm-${algorithm.length}`).focus();
  }

  const collective = h("select", { id: "collective", onchange: (e) => app.set({ collective: e.target.value }, once(collective)) },
    core.collectives.map((c) => h("option", { value: c }, c.replaceAll("_", "-"))));
  const ranks = h("input", { type: "number", id: "ranks", min: 1, max: MOST_RANKS, step: 1, "aria-describedby": "field-note", oninput: whole("ranks") });
  const root = h("input", { type: "number", id: "root", min: 0, step: 1, "aria-describedby": "field-note", oninput: whole("root") });
  const amount = h("input", { type: "number", id: "bytes", min: 1, step: "any", "aria-describedby": "field-note", oninput: bytes });
  const unit = h("select", { id: "unit", "aria-label": "Unit", onchange: bytes }, UNITS.map(([u]) => h("option", { value: u }, u)));
  const rootField = h("label", {}, h("span", {}, "Root"), root);
  form.append(h("label", {}, h("span", {}, "Collective"), collective), h("label", {}, h("span", {}, "Ranks"), ranks),
    rootField, h("div", { class: "field" }, h("label", { for: "bytes" }, h("span", {}, "Vector per rank")),
      h("span", { class: "bytes" }, amount, unit)));
  const note = form.appendChild(h("p", { class: "field-note", id: "field-note", role: "status" }));
  const say = (text) => { if (note.textContent !== text) { note.textContent = text; } };

  // Who looks at a mistake of the own algorithm may see other ranks than before: said, with the way back.
  const changed = form.appendChild(h("p", { class: "row ranks-changed", id: "ranks-changed", role: "status" }));
  let said = "";
  function tellRanks() {
    const { ranksShown } = app.own, { ranks: now } = app.state;
    if (ranksShown && (ranksShown.now !== now || (ranksShown.mended && app.state.view !== "write"))) { app.own.ranksShown = null; }
    const { before, mended } = app.own.ranksShown ?? {};
    const text = mended ? `It is right: ${plural(now, "rank")} again.` : app.own.ranksShown ? `${plural(now, "rank")} now, since the mistake shows with so many.` : "";
    if (text === said) { return; }
    said = text;
    changed.replaceChildren(...(text === "" ? [] : mended ? [text] : [text, h("button", { type: "button", class: "plain", id: "ranks-back", onclick: () => {
      app.set({ ranks: before });
      ranks.focus();
    } }, `Back to ${plural(before, "rank")}`)]));
  }

  // Takes what is typed as soon as it is a number that fits; says so where it is not.
  function whole(key) {
    return (e) => {
      const ok = e.target.validity.valid && e.target.value !== "";
      e.target.setAttribute("aria-invalid", !ok);
      if (ok) { app.set({ [key]: Number(e.target.value) }, { replace: true }); }
      const still = key === "root" ? Math.min(app.state.root, app.state.ranks - 1) : app.state.ranks;
      say(ok ? "" : key === "root" ? `Root: 0 to ${app.state.ranks - 1}. Still ${still}.` : `Ranks: 1 to ${MOST_RANKS}. Still ${still}.`);
    };
  }
  function bytes() {
    const n = Math.round(Number(amount.value) * new Map(UNITS).get(unit.value));
    const ok = amount.value !== "" && n >= 1 && n <= 2 ** 46;
    amount.setAttribute("aria-invalid", !ok);
    if (ok) { app.set({ bytes: n }, { replace: true }); }
    say(ok ? "" : `Vector per rank: 1 B to 64 TiB. Still ${inUnits(app.state.bytes).join(" ")}.`);
  }

  // [amount, unit] of so many bytes.
  function inUnits(n) {
    const [u, size] = [...UNITS].reverse().find(([, of]) => n >= of && Number.isInteger(n / of * 1000));
    return [n / size, u];
  }

  app.onChange(() => {
    const { state } = app;
    const now = [state.algorithm.join(), names().join(), state.algorithm.length > 1].join(" ");
    if (now !== shown) {
      shown = now;
      const focused = document.activeElement?.id;
      drawing = true;
      algorithms.replaceChildren(h("legend", {}, state.algorithm.length > 1 ? "Algorithms" : "Algorithm"), ...state.algorithm.map(choice),
        ...(state.algorithm.length < MOST_PANELS ? [h("button", { type: "button", class: "plain", id: "compare", onclick: addOne }, "+ compare")] : []));
      if (focused && algorithms.contains(document.getElementById(focused))) { document.getElementById(focused).focus(); }
      drawing = false;
    }
    collective.value = state.collective;
    if (document.activeElement !== ranks) { ranks.value = state.ranks; ranks.removeAttribute("aria-invalid"); }
    rootField.hidden = !ROOTED.includes(state.collective);
    root.max = state.ranks - 1;
    if (document.activeElement !== root) { root.value = Math.min(state.root, state.ranks - 1); root.removeAttribute("aria-invalid"); }
    if (document.activeElement !== amount && document.activeElement !== unit) {
      [amount.value, unit.value] = inUnits(state.bytes);
      amount.removeAttribute("aria-invalid");
    }
    if (![ranks, root, amount].some((f) => f.getAttribute("aria-invalid") === "true")) { say(""); }
    tellRanks();
    // Tasks have algorithms of their own: what is wrong with those shown is not told there. What is written is told beside it.
    const panels = state.view === "tasks" ? [] : app.panels.filter((p) => state.view !== "write" || p.name !== app.own.name);
    const lines = [...app.complaints, ...panels.filter((p) => p.complaint && !p.busy).map((p) => `${p.complaint.replace(/`([^`]*)`/g, "\u201c$1\u201d")}.`)];
    complaints.replaceChildren(...lines.map((l) => h("li", {}, l)));
  });
}
