// SPDX-License-Identifier: BSD-3-Clause
// Which network, and which rank is where.
import { h } from "./dom.js";
import { isPlacement, placesOf } from "./placement.js";
import { makeTopology, squarest } from "./topology.js";

const KINDS = { crossbar: "crossbar", ring: "ring", torus: "2-D torus", fat_tree: "fat tree", hosts: "hosts with one card each" };
const ORDERS = { in_order: "in order", reversed: "reversed", snake: "to and fro, row by row", round_robin: "round robin, over the rows", "shuffled:1": "shuffled", own: "own list" };

export function mountPlan(host, app) {
  const kind = h("select", { id: "topology", onchange: () => {
    const size = app.state.ranks;
    const group = [4, 2, 3, 8, 5].find((g) => size % g === 0 && g < size) ?? 2;
    app.set({ topology: { fat_tree: `fat_tree:${group}:2`, hosts: `hosts:${group}` }[kind.value] ?? kind.value, placement: app.state.placement.includes(",") ? "in_order" : app.state.placement });
  } }, Object.entries(KINDS).map(([k, t]) => h("option", { value: k }, t)));
  const numbers = [0, 1].map((i) => h("input", { type: "number", min: 1, max: 256, step: 1, id: `topology-${i}`, onchange: () => change(i) }));
  const labels = numbers.map((n) => h("label", {}, h("span", {}), n));
  const order = h("select", { id: "placement", onchange: () => {
    if (order.value === "own") { list.focus(); } else { app.set({ placement: order.value }); }
  } }, Object.entries(ORDERS).map(([k, t]) => h("option", { value: k }, t)));
  const again = h("button", { type: "button", onclick: () => app.set({ placement: `shuffled:${1 + Number(app.state.placement.split(":")[1] ?? 0)}` }) }, "Shuffle again");
  const list = h("input", { type: "text", id: "places", spellcheck: false, autocomplete: "off", onchange: () => {
    const text = list.value.trim().replaceAll(/[\s,;]+/g, ",").replace(/,$/, "");
    const ok = isPlacement(text);
    list.setAttribute("aria-invalid", !ok);
    if (ok) { app.set({ placement: text }); }
  } });
  const load = h("select", { id: "load", onchange: () => app.set({ load: load.value }) }, h("option", { value: "all" }, "of all rounds"), h("option", { value: "round" }, "now"));
  const lasts = h("select", { id: "sharing", onchange: () => app.set({ sharing: lasts.value }) }, h("option", { value: "bound" }, "as its busiest link takes"), h("option", { value: "fair" }, "by fair sharing"));
  host.append(h("h2", {}, "What each link carries"),
    h("div", { class: "controls plan" }, h("label", {}, h("span", {}, "Network"), kind), labels, h("label", {}, h("span", {}, "Ranks are placed"), order), again,
      h("label", { class: "places" }, h("span", {}, "Places of ranks 0, 1, …"), list), h("label", {}, h("span", {}, "Loads"), load), h("label", {}, h("span", {}, "A round lasts"), lasts)));

  function change(i) {
    if (!numbers.every((n) => n.validity.valid && n.value !== "")) { return; }
    const [a, b] = numbers.map((n) => Number(n.value)), size = app.state.ranks;
    const topology = { torus: i === 0 ? `torus:${a}x${Math.ceil(size / a)}` : `torus:${Math.ceil(size / b)}x${b}`, fat_tree: `fat_tree:${a}:${b}`, hosts: `hosts:${a}` }[kind.value];
    app.set({ topology });
  }

  return () => {
    const { topology, placement, ranks } = app.state;
    const [name, ...rest] = topology.split(":");
    kind.value = name;
    const values = name === "torus" ? (rest[0]?.split("x") ?? squarest(ranks)) : rest;
    const titles = { torus: ["Rows", "Columns"], fat_tree: ["Places a leaf switch", "Oversubscription"], hosts: ["Ranks a host"] }[name] ?? [];
    numbers.forEach((n, i) => {
      labels[i].hidden = titles[i] === undefined;
      labels[i].firstChild.textContent = titles[i] ?? "";
      if (document.activeElement !== n) { n.value = values[i] ?? ""; }
    });
    const grouped = name === "fat_tree" || name === "hosts";
    order.querySelector("[value=snake]").textContent = grouped ? "every second group reversed" : "to and fro, row by row";
    order.querySelector("[value=round_robin]").textContent = `round robin over the ${{ fat_tree: "leaves", hosts: "hosts" }[name] ?? "rows"}`;
    for (const o of ["snake", "round_robin"]) { order.querySelector(`[value=${o}]`).hidden = (name === "crossbar" || name === "ring") && placement !== o; }
    const own = /^\d/.test(placement);
    order.value = own ? "own" : placement.startsWith("shuffled") ? "shuffled:1" : placement;
    again.hidden = !placement.startsWith("shuffled");
    load.value = app.state.load;
    lasts.value = app.state.sharing;
    if (document.activeElement !== list) {
      list.removeAttribute("aria-invalid");
      try { list.value = placesOf(placement, ranks, makeTopology(topology, ranks)).join(" "); } catch { list.value = own ? placement.replaceAll(",", " ") : ""; }
    }
  };
}
