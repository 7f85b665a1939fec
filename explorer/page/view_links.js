// SPDX-License-Identifier: BSD-3-Clause
// What each link of a network carries, and how much longer rounds last where messages share one.
import { MOST_AT_ONCE } from "./app.js";
import { h, plural } from "./dom.js";
import { isPlacement, placesOf } from "./placement.js";
import { bytes as inUnits, seconds } from "./numbers.js";
import { colourOf } from "./palette.js";
import { asOneOf, declare } from "./state.js";
import { isTopology, makeTopology } from "./topology.js";
import { fairly } from "./topology_fair.js";
import { busiestLink, loadOf, loadsInParts, loadsOf, messagesOf } from "./topology_load.js";
import { busiestLinks, drawNet } from "./view_links_draw.js";
import { layoutOf } from "./view_links_layout.js";
import { factorStrip, linkTable, loadCurve, messageTable } from "./view_links_parts.js";
import { mountPlan } from "./view_links_plan.js";

export const MOST_DRAWN = 64;
const MOST_SHARED = 64;  // ranks up to which fair sharing is computed
const COUNTED = {
  bound: "All messages of a round start together. A round lasts until its busiest link has carried its bytes; each rank has one port "
    + "as fast as a link, as on a crossbar. This is the simple bound: no way of sharing the links is quicker. Latency is left out.",
  fair: "All messages of a round start together, and share links by fair sharing (max-min). Their rates are raised together from 0: when a link is full, the messages on it keep the rate that they have, "
    + "and the others are raised further. When a message ends, the rates are found anew. A message needs all links of its way at once, and the ports of its two ranks. Latency is left out.",
};
const checked = (accepts) => ({ parse: (t) => (accepts(t) ? t : undefined), format: (v) => v });

export default {
  id: "links",
  title: "Links",
  mount(host, app) {
    declare({ topology: { initial: "torus", ...checked(isTopology) }, placement: { initial: "in_order", ...checked(isPlacement) },
              load: { initial: "all", ...asOneOf("all", "round") }, sharing: { initial: "bound", ...asOneOf("bound", "fair") } });
    const plan = h("section", { class: "card" }), figures = h("div", { class: "nets" }), summary = h("p", { class: "says" });
    const rule = h("p", { class: "quiet" }), told = h("p", { class: "away", role: "status" }), problem = h("p", { class: "bad", role: "status" });
    const counted = h("p", { class: "quiet" });
    const redrawPlan = mountPlan(plan, app);
    plan.append(problem, summary);
    host.append(plan, figures, h("section", { class: "card" }, h("h2", {}, "How it is counted"), rule, counted), told);
    let picked = -1, net = null, netMade = "", places = [], rankAt = [], kept = new WeakMap(), focusAt = null, counting = 0;

    function swap(a, b) {
      const at = places.slice(), [one, two] = [rankAt[a], rankAt[b]];
      if (one !== undefined) { at[one] = b; }
      if (two !== undefined) { at[two] = a; }
      picked = -1;
      if (one === undefined && two === undefined) { app.show(app.state); return; }
      told.textContent = `${[[one, b], [two, a]].filter(([r]) => r !== undefined).map(([r, p]) => `Rank ${r} is now at place ${p}`).join(". ")}.`;
      app.set({ placement: at.every((p, r) => p === r) ? "in_order" : at.join(",") });
    }
    function pick(p) {
      if (picked === p) { picked = -1; told.textContent = "Put back."; }
      else if (picked >= 0) { swap(picked, p); return; }
      else { picked = p; told.textContent = `Place ${p} is chosen. Choose the place to change it with.`; }
      redraw();
    }
    function key(e, p) {
      const columns = net.columns ?? net.places, last = net.places - 1;
      const to = { ArrowRight: p + 1, ArrowLeft: p - 1, ArrowDown: p + (columns < net.places ? columns : 1), ArrowUp: p - (columns < net.places ? columns : 1), Home: 0, End: last }[e.key];
      if (e.key === "Enter" || e.key === " ") { e.preventDefault(); pick(p); }
      else if (e.key === "Escape" && picked >= 0) { e.preventDefault(); pick(picked); }
      else if (to !== undefined) {
        e.preventDefault();
        if (to >= 0 && to <= last) { e.currentTarget.ownerSVGElement.querySelector(`[data-place="${to}"]`).focus(); }
      }
    }

    // A barrier's messages are empty.
    const bytesNow = () => (app.state.collective === "barrier" ? 0 : app.state.bytes);
    const isFair = () => app.state.sharing === "fair" && app.state.ranks <= MOST_SHARED;
    const placeOf = () => [app.state.topology, places.join(), bytesNow(), isFair()].join(" ");
    const isKnown = (panel) => kept.get(panel.job)?.where === placeOf();
    const allOf = (panel) => {
      if (!isKnown(panel)) {
        const bound = loadsOf(panel.job, bytesNow(), net, places);
        kept.set(panel.job, { where: placeOf(), all: isFair() ? fairly(app.core, bound, panel.job, bytesNow(), net, places) : bound });
      }
      return kept.get(panel.job).all;
    };
    // Of many ranks a part at a time, then all is drawn.
    function countInParts(panels) {
      const mine = ++counting, parts = panels.map((panel) => ({ panel, where: placeOf(), loads: loadsInParts(panel.job, bytesNow(), net, places) }));
      const next = () => app.apart(() => {
        if (mine !== counting || host.hidden) { return; }
        const [{ panel, where, loads }] = parts, { done, value } = loads.next();
        if (done) { kept.set(panel.job, { where, all: value }); parts.shift(); }
        if (parts.length > 0) { next(); } else { redraw(); }
      });
      next();
    }
    // What the picture shows: all rounds, the round that ran last, or what is under way.
    function shownOf(panel, all) {
      const { load, clock, round, time } = app.state;
      if (load === "all") { return all.total; }
      const m = messagesOf(panel.job, bytesNow());
      if (clock === "time" && app.timed) {
        const { begin, end } = app.timed(panel);
        return loadOf(m, 0, m.from.length, net, places, (k) => begin[m.step[k]] <= time && time < end[m.step[k]]);
      }
      return round < 0 || round >= panel.job.rounds ? loadOf(m, 0, 0, net, places) : loadOf(m, m.starts[round], m.starts[round + 1], net, places);
    }

    function redraw() {
      if (host.hidden) { return; }
      const { state } = app, { ranks: size } = state;
      const hadFocus = figures.contains(document.activeElement) ? document.activeElement : null;
      focusAt = hadFocus?.dataset?.place === undefined ? null : { at: [...figures.children].findIndex((f) => f.contains(hadFocus)), place: hadFocus.dataset.place };
      redrawPlan();
      problem.textContent = summary.textContent = rule.textContent = "";
      try {
        const made = `${state.topology} ${size}`;
        if (netMade !== made) { net = makeTopology(state.topology, size); netMade = made; }
        places = placesOf(state.placement, size, net);
      } catch (e) {
        problem.replaceChildren(e.message, " ", net === null || netMade !== `${state.topology} ${size}`
          ? h("button", { type: "button", onclick: () => app.set({ topology: "torus" }) }, "Take one with room for all")
          : h("button", { type: "button", onclick: () => app.set({ placement: "in_order" }) }, "Put the ranks in order"));
        figures.replaceChildren();
        return;
      }
      rankAt = [];
      places.forEach((p, r) => { rankAt[p] = r; });
      if (picked >= net.places) { picked = -1; }
      rule.textContent = `${net.name[0].toUpperCase()}${net.name.slice(1)}: ${plural(net.places, "place")}, ${plural(net.links.length, "link")} of one direction each, all equally fast. ${net.rule}`;
      counted.textContent = `${state.sharing === "fair" && !isFair() ? `Fair sharing is computed for up to ${MOST_SHARED} ranks. ` : ""}${COUNTED[isFair() ? "fair" : "bound"]}`;
      const panels = app.panels.filter((p) => p.job && p.proof.ok);
      if (panels.length === 0) { figures.replaceChildren(h("p", {}, app.panels[0].complaint || "Only schedules that are proved correct are counted.")); return; }
      const unknown = size > MOST_AT_ONCE ? panels.filter((p) => !isKnown(p)) : [];
      if (unknown.length > 0) {
        figures.replaceChildren(h("p", { class: "quiet" }, "Counting what the links carry \u2026"));
        countInParts(unknown);
        return;
      }
      const all = panels.map(allOf);
      const most = Math.max(...all.map((a) => (state.load === "all" ? Math.max(0, ...a.total.bytes) : Math.max(0, ...a.rounds.map((r) => r.bytes)))));
      summary.textContent = summed(net, panels, all);
      const wide = net.places <= MOST_DRAWN ? Math.round(0.85 * layoutOf(net).width) + 40 : 0;
      figures.style.setProperty("--least", `${Math.max(460, wide)}px`);
      figures.replaceChildren(...panels.map((panel, i) => figure(panel, all[i], most)));
      if (focusAt) { figures.children[focusAt.at]?.querySelector(`[data-place="${focusAt.place}"]`)?.focus(); }
    }

    function figure(panel, all, most) {
      const { load: mode, ranks: size } = app.state, load = shownOf(panel, all);
      const drawn = net.places <= MOST_DRAWN && drawNet({ net, load, most, name: panel.name, size, rankAt, picked, pick, move: swap, key });
      const picture = drawn
        ? [h("div", { class: "wide" }, drawn.svg), drawn.left > 0 ? h("p", { class: "quiet" }, `${plural(drawn.left, "number")} ${drawn.left === 1 ? "has" : "have"} no room: the table has all.`) : null]
        : [h("p", { class: "quiet" }, `Above ${MOST_DRAWN} places the links are not drawn one by one: here they are by their load, the busiest first.`), loadCurve(load, most, panel.name)];
      return h("section", { class: "card net-card" }, h("h2", { style: { color: colourOf(panel.name) } }, panel.name),
        h("p", {}, h("b", {}, titleOf(mode)), " ", shownSentence(net, load, mode === "all" ? null : sharing(panel, all))), picture,
        factorStrip(all.rounds, app.state.clock === "time" && app.timed ? -1 : app.state.round), h("p", { class: "says" }, lasting(all)), all.ends && app.state.round >= 0 ? messageTable(panel, all.ends, messagesOf(panel.job, bytesNow()), app.state.round) : null, linkTable(net, load, panel.name));
    }
    function titleOf(mode) {
      const { clock, round, time } = app.state;
      return mode === "all" ? "All rounds." : clock === "time" && app.timed ? `Under way at ${seconds(time)}.` : round < 0 ? "The start: nothing runs yet." : `Round ${round}.`;
    }
    function sharing(panel, all) {
      const { clock, round } = app.state;
      return (clock === "time" && app.timed) || round < 0 || round >= panel.job.rounds ? null : all.rounds[round];
    }
    app.onChange(redraw);
  },
};

export const linkName = (net, i) => {
  const name = (n) => (net.nodes[n].kind === "place" ? `place ${n}` : net.nodes[n].label);
  return `${name(net.links[i].from)} to ${name(net.links[i].to)}`;
};

// "The busiest link, place 3 to place 4, carries 4 messages, 1 MiB."
export function shownSentence(net, load, round) {
  const at = busiestLink(load);
  if (at < 0) { return load.messages.some((n) => n > 0) ? "The messages are empty: no link carries a byte." : "No link carries anything."; }
  const most = busiestLinks(load), same = most.length, loaded = load.bytes.filter((n) => n > 0).length;
  const counts = most.map((i) => load.messages[i]), alike = counts.every((n) => n === counts[0]);
  const what = `${alike ? `${plural(counts[0], "message")}, ` : ""}${inUnits(load.bytes[at])}`;
  const first = same === loaded && loaded > 1 ? `Each of the ${loaded} links that are used carries ${what}.`
    : same > 1 ? `${same} links carry most, each ${what}: the first is ${linkName(net, at)}.` : `The busiest link, ${linkName(net, at)}, carries ${what}.`;
  const more = round === null ? "" : round.factor < 1.0005 ? " The round lasts as long as on a crossbar." : ` The round lasts ${round.factor.toFixed(2)} times as long as on a crossbar.`;
  return first + more;
}

// "On a 2 × 4 torus, ring loads no link with more than 1.75 MiB, halving one with 4 MiB, 2.29 times that."
export function summed(net, panels, all) {
  const most = all.map((a) => Math.max(0, ...a.total.bytes));
  const [first, ...rest] = panels.map((p, i) => ({ name: p.name, most: most[i] }));
  const where = net.kind === "hosts" ? `Between ${net.name}` : `On ${net.name}`;
  if (most.every((n) => n === 0)) { return `${where} no link carries a byte.`; }
  const compare = (n) => (first.most === 0 ? "" : n === first.most ? ", as much" : n > first.most ? `, ${(n / first.most).toFixed(2)} times as much` : `, ${(n / first.most).toFixed(2)} of that`);
  return `${where}, ${first.name} loads no link with more than ${inUnits(first.most)} in all${rest.map((r) => `; ${r.name} loads one with ${inUnits(r.most)}${compare(r.most)}`).join("")}.`;
}

function lasting(all) {
  const crowded = all.rounds.filter((r) => r.factor >= 1.0005).length;
  if (all.rounds.length === 0) { return "There are no rounds."; }
  if (crowded === 0) { return "No round lasts longer than on a crossbar: no link carries more than a rank sends or receives."; }
  return `${crowded === all.rounds.length ? (crowded === 1 ? "The round lasts" : (crowded === 2 ? "Both rounds last" : `All ${crowded} rounds last`)) : `${crowded} of ${all.rounds.length} rounds ${crowded === 1 ? "lasts" : "last"}`} longer than on a crossbar; `
    + `all rounds together move their data in ${all.factor.toFixed(2)} times the time.`;
}
