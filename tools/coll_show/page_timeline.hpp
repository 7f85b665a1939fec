// SPDX-License-Identifier: BSD-3-Clause
// The page's script, third part: the recorded trace as a timeline.
#pragma once

namespace coll_show {

inline constexpr auto page_timeline = R"js(
const verbColors = { send: "#3f6f9f", recv_reduce: "#b3400a", recv_copy: "#0b7285" };
const asTime = (us) => us >= 1e6 ? trim(us / 1e6, 4) + " s"
  : us >= 1000 ? trim(us / 1000, 4) + " ms" : trim(us, 4) + " \u00b5s";

// Each rank has lanes for its sends and its receives; steps that overlap get lanes of their own.
class Timeline {
  constructor(trace) {
    this.steps = trace.steps.map(([rank, verb, round, segment, peer, chunks, bytes, begin, end]) =>
      ({ rank, verb, round, segment, peer, chunks, bytes, begin, end }));
    this.begin = Math.min(...this.steps.map((s) => s.begin));
    this.end = Math.max(...this.steps.map((s) => s.end));
    const lanes = new Map();
    for (let r = 0; r < P; ++r) { lanes.set(r + " send", []); lanes.set(r + " recv", []); }
    for (const step of this.steps) {
      const free = lanes.get(step.rank + (step.verb === "send" ? " send" : " recv"));
      let lane = free.findIndex((end) => end <= step.begin);
      if (lane < 0) { lane = free.length; }
      free[lane] = step.end;
      step.lane = lane;
    }
    this.lanes = lanes;
    this.arrows = this.match();
  }
  match() {
    const waiting = new Map();
    const key = (s, from, to) => [s.segment, s.round, from, to].join(" ");
    for (const s of this.steps) {
      if (s.verb !== "send") { continue; }
      const k = key(s, s.rank, s.peer);
      waiting.set(k, [...(waiting.get(k) ?? []), s]);
    }
    const arrows = [];
    for (const s of this.steps) {
      const sends = s.verb === "send" ? undefined : waiting.get(key(s, s.peer, s.rank));
      if (sends?.length) { arrows.push([sends.shift(), s]); }
    }
    return arrows;
  }
  plan(width) {
    const lane = P <= 8 ? 15 : P <= 32 ? 8 : 4, gap = P <= 8 ? 16 : 6;
    const tops = new Map();
    let y = 26;
    for (let r = 0; r < P; ++r) {
      for (const kind of [" send", " recv"]) {
        tops.set(r + kind, y);
        y += lane * Math.max(1, this.lanes.get(r + kind).length) + 2;
      }
      y += gap;
    }
    const left = 62, room = width - left - 16;
    const x = (us) => left + room * (us - this.begin) / Math.max(1e-9, this.end - this.begin);
    return { lane, tops, x, left, room, height: y + 8 };
  }
  box(plan, s) {
    const top = plan.tops.get(s.rank + (s.verb === "send" ? " send" : " recv"));
    const x = plan.x(s.begin);
    return [x, top + s.lane * plan.lane, Math.max(1.5, plan.x(s.end) - x), plan.lane - 1];
  }
  draw(canvas, round) {
    const plan = this.plan(canvas.clientWidth || 600);
    const [g, width] = prepare(canvas, plan.height);
    this.axis(g, plan, width);
    g.font = "13px " + face;
    g.textAlign = "right";
    g.textBaseline = "middle";
    g.fillStyle = ink;
    for (let r = 0; r < P; r += Math.max(1, Math.ceil(P / 40))) {
      g.fillText("rank " + r, plan.left - 9, plan.tops.get(r + " send") + plan.lane);
    }
    for (const s of this.steps) {
      const [x, y, w, h] = this.box(plan, s);
      const now = round < 0 || s.round === round;
      g.globalAlpha = now ? 1 : 0.3;
      g.fillStyle = verbColors[s.verb];
      g.fillRect(x, y, w, h);
      if (h > 11 && w > 26) {
        g.font = "10.5px " + face;
        g.globalAlpha = 1;
        g.fillStyle = now ? "#fff" : quiet;
        g.textAlign = "center";
        g.fillText(s.round, x + w / 2, y + h / 2 + 0.5);
      }
    }
    const arrows = this.arrows.filter(([s]) => round < 0 || s.round === round);
    for (const [from, to] of arrows.length <= 400 ? arrows : []) {
      const [x0, y0, , h0] = this.box(plan, from), [x1, y1, w1, h1] = this.box(plan, to);
      const down = y1 > y0;
      g.globalAlpha = round < 0 ? 0.45 : 0.9;
      g.strokeStyle = g.fillStyle = ink;
      g.lineWidth = 1;
      const tip = [x1 + w1, down ? y1 : y1 + h1];
      g.beginPath();
      g.moveTo(x0, down ? y0 + h0 : y0);
      g.lineTo(...tip);
      g.stroke();
      g.beginPath();
      g.arc(...tip, 2.4, 0, 7);
      g.fill();
    }
    g.globalAlpha = 1;
    canvas.setAttribute("aria-label", "Timeline of " + count(this.steps.length, "step") + " over "
      + asTime(this.end - this.begin) + "; a table below holds the times of the rounds.");
  }
  axis(g, plan, width) {
    const span = this.end - this.begin;
    const raw = Math.max(1e-3, span / Math.max(2, plan.room / 130));
    const unit = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((m) => m * unit).find((m) => m >= raw);
    g.font = "11.5px " + face;
    g.textAlign = "center";
    g.textBaseline = "alphabetic";
    for (let t = 0; t <= span; t += step) {
      const x = plan.x(this.begin + t);
      g.strokeStyle = "#e3e8ee";
      g.lineWidth = 1;
      g.beginPath();
      g.moveTo(x, 18);
      g.lineTo(x, plan.height - 6);
      g.stroke();
      g.fillStyle = quiet;
      g.fillText(asTime(t), Math.min(x, width - 26), 13);
    }
  }
  // For those who cannot see or point at the picture.
  fill(table) {
    const head = table.createTHead().insertRow();
    for (const text of ["round", "begins", "ends", "longest step", "on"]) {
      const th = make("th", text);
      th.scope = "col";
      head.append(th);
    }
    const body = table.createTBody();
    for (let r = 0; r <= Math.max(...this.steps.map((s) => s.round)); ++r) {
      const steps = this.steps.filter((s) => s.round === r);
      const longest = steps.reduce((a, b) => b.end - b.begin > a.end - a.begin ? b : a);
      const row = body.insertRow();
      const th = make("th", String(r));
      th.scope = "row";
      row.append(th, make("td", asTime(Math.min(...steps.map((s) => s.begin)) - this.begin)),
        make("td", asTime(Math.max(...steps.map((s) => s.end)) - this.begin)),
        make("td", asTime(longest.end - longest.begin)), make("td", "rank " + longest.rank));
    }
  }
  at(canvas, event) {
    const plan = this.plan(canvas.clientWidth || 600);
    const x = event.offsetX, y = event.offsetY;
    return this.steps.find((s) => {
      const [bx, by, w, h] = this.box(plan, s);
      return x >= bx - 1 && x <= bx + w + 1 && y >= by && y <= by + h;
    });
  }
  describe(s) {
    const verb = { send: "sends to", recv_reduce: "receives and adds from",
      recv_copy: "receives from" }[s.verb];
    const segment = s.segment > 0 ? ", segment " + s.segment : "";
    return "rank " + s.rank + " " + verb + " rank " + s.peer + ", round " + s.round + segment + ", "
      + s.chunks + ", " + asBytes(s.bytes) + ": from " + asTime(s.begin - this.begin) + " to "
      + asTime(s.end - this.begin) + ", " + asTime(s.end - s.begin);
  }
}
)js";

}  // namespace coll_show
