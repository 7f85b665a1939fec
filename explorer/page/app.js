// SPDX-License-Identifier: BSD-3-Clause
// What the parts of the page share: the state, what the compiled headers say of it, and its changes.
import { CANCELLED } from "./compute.js";
import { asReplay } from "./core.js";
import { asOneOf, asWhole, declare, fromFragment, toFragment } from "./state.js";

export const MOST_RANKS = 256;
export const MOST_PANELS = 3;
export const MOST_AT_ONCE = 64;  // above so many ranks a worker computes

export function makeApp(core, computer) {
  declare({
    algorithm: { initial: ["ring"], parse: (t) => namesOf(t), format: (v) => v.join(",") },
    collective: { initial: "all_reduce", ...asOneOf(...core.collectives) },
    ranks: { initial: 4, ...asWhole(1, MOST_RANKS) },
    root: { initial: 0, ...asWhole(0, MOST_RANKS - 1) },
    bytes: { initial: 1 << 20, ...asWhole(1, 2 ** 46) },
    round: { initial: -1, ...asWhole(-1, 1e6) },  // the last that ran; -1: the start
    view: { initial: "data", parse: (t) => t, format: (v) => v },
  });
  // An algorithm of the program's own: sources.get(name) records it, or says why it cannot.
  const sources = new Map();
  const listeners = [];
  const kept = new Map();  // schedules that were recorded, by what was asked
  const asked = new Set();  // what the worker has under way

  function namesOf(text) {
    const names = text.split(",").filter((n) => n !== "").slice(0, MOST_PANELS);
    return names.length > 0 ? names : undefined;
  }

  function whyNot(name, size) {
    const [base, number] = name.split(":");
    if (core.algorithms.includes(`${base}:`) && Number(number) >= 1 && size % Number(number) !== 0) {
      return `${name} needs groups of ${number} ranks, and ${number} does not divide ${size}`;
    }
    const known = core.algorithms.includes(number === undefined ? base : `${base}:`);
    return known ? `${name} is not for ${size} ranks` : `there is no algorithm ${name}`;
  }

  function questionOf(name, state) {
    const source = sources.get(name);
    const what = core.collectives.indexOf(state.collective), size = state.ranks;
    const root = Math.min(state.root, size - 1);
    return { name, source, what, size, root, key: [name, source?.version, what, size, root].join(" ") };
  }

  // {name, job, complaint} of what cannot be recorded; {job} of what can; {} where the worker is to record.
  function recorded({ name, source, what, size, root }) {
    let job = null, complaint = "";
    try {
      if (!source && size > MOST_AT_ONCE && core.fits(name, size)) { return {}; }
      job = source ? source.record(what, size, root) : core.record(name, what, size, root);
    } catch (e) { complaint = e.message; }
    return job ? { job } : { name, job, complaint: complaint || whyNot(name, size) };
  }

  function panelOf(name, state) {
    const question = questionOf(name, state);
    const { key, size } = question;
    if (!kept.has(key)) {
      if (kept.size > 40) { kept.clear(); }
      const r = recorded(question);
      if (r.complaint !== undefined) {
        kept.set(key, r);
      } else if (size <= MOST_AT_ONCE) {
        kept.set(key, { name, job: r.job, complaint: "", proof: core.check(r.job), replay: core.replay(r.job), costs: new Map() });
      } else {
        askWorker(question, r.job, state);
        return { name, job: null, complaint: `computing ${name} for ${size} ranks`, busy: true };
      }
    }
    const panel = kept.get(key);
    if (panel.job && panel.proof.ok && !panel.costs.has(state.bytes)) {
      panel.costs.set(state.bytes, core.cost(panel.job, state.bytes));
    }
    return panel.job ? { ...panel, cost: panel.costs.get(state.bytes) ?? null } : panel;
  }

  function askWorker({ key, name, what, size, root }, job, { bytes }) {
    if (asked.has(key)) { return; }
    asked.add(key);
    const done = (panel) => {
      asked.delete(key);
      kept.set(key, panel);
      app.show(app.state);
    };
    computer.ask({ name, job, what, size, root, bytes }).then(
      (a) => done({ name, job: a.job, complaint: "", proof: a.proof, replay: asReplay(a.replay), costs: new Map(a.cost ? [[bytes, a.cost]] : []) }),
      (e) => { if (e !== CANCELLED) { done({ name, job: null, complaint: e.message }); } });
  }

  // Ends what the worker does if nobody asks for it any more.
  function forget(state) {
    const keys = new Set(state.algorithm.map((name) => questionOf(name, state).key));
    if ([...asked].some((key) => !keys.has(key))) {
      computer.cancel();
      asked.clear();
    }
  }

  let underWay = 0;
  const app = {
    core, sources, computer,
    state: null, complaints: [], panels: [],
    allViews: false,  // on paper: all of them, one after the other
    // Whether a panel is still being computed; listeners are called when it is there.
    get busy() { return app.panels.some((p) => p.busy); },
    // Whether a view still computes what it shows: between `begin()` and a call of what that returns.
    get isWorking() { return underWay > 0; },
    begin() {
      let open = true;
      ++underWay;
      return () => { if (open) { open = false; --underWay; } };
    },
    // Of many ranks each part is a task by itself, in order, so that the page answers in between.
    apart(part) {
      if (app.state.ranks <= MOST_AT_ONCE) { part(); return; }
      const done = app.begin();
      setTimeout(() => { try { part(); } finally { done(); } });
    },
    // The largest number of rounds of the panels.
    get rounds() { return Math.max(0, ...app.panels.map((p) => p.job?.rounds ?? 0)); },
    // Changes some keys of the state. `replace`: without an entry in the browser's history.
    set(patch, { replace = false } = {}) {
      app.show({ ...app.state, ...patch });
      history[replace ? "replaceState" : "pushState"](null, "", toFragment(app.state));
    },
    show(state) {
      const before = app.state;
      forget(state);
      app.state = state;
      app.panels = state.algorithm.map((name) => panelOf(name, state));
      if (!app.busy) { app.state.round = Math.max(-1, Math.min(state.round, app.rounds - 1)); }
      for (const listener of listeners) { listener(app, before); }
    },
    // Goes to a state as a link says it, but the reader's own text stays as it is.
    visit(fragment) {
      const { source, source_parameter } = app.state;
      app.complaints = [];
      app.set({ ...fromFragment(fragment).state, source, source_parameter });
    },
    showFragment(fragment) {
      const { state, complaints } = fromFragment(fragment);
      app.complaints = complaints;
      app.show(state);
    },
    onChange(listener) { listeners.push(listener); },
  };
  return app;
}
