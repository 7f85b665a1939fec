// SPDX-License-Identifier: BSD-3-Clause
// The page's style. The colours are those of palette.hpp.
#pragma once

namespace coll_show {

inline constexpr auto page_css = R"css(
:root { color-scheme: light; --ink: #16202c; --quiet: #5d6b7a; --line: #d5dce4; --paper: #f3f5f8;
  --gold: #f5b82e; --adds: #b3400a; --copies: #0b7285; --blue: #1f5896; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.45 system-ui, "Segoe UI", "DejaVu Sans", Helvetica, Arial, sans-serif; }
header, main, noscript { display: block; max-width: 1360px; margin: 0 auto; padding: 0 20px; }
main[hidden] { display: none; }
h1 { font-size: 25px; margin: 18px 0 2px; letter-spacing: -0.01em; }
h2 { font-size: 17px; margin: 0 0 6px; }
p { margin: 4px 0; }
#intro, .quiet { color: var(--quiet); }
.quiet { font-size: 13px; }
section { background: #fff; border: 1px solid var(--line); border-radius: 10px;
  padding: 14px 18px; margin: 12px 0; }
#controls { display: flex; align-items: center; gap: 16px; position: sticky; top: 0; z-index: 2;
  padding: 9px 16px; box-shadow: 0 4px 14px rgba(22, 32, 44, 0.07); }
.buttons { display: flex; gap: 5px; }
button, select { font: inherit; color: inherit; background: #fff; border: 1px solid #aeb9c5;
  border-radius: 7px; padding: 5px 11px; cursor: pointer; }
button:hover { background: #eaf1f8; }
#play { background: var(--blue); border-color: var(--blue); color: #fff; min-width: 94px;
  font-weight: 600; }
#play:hover { background: #17457a; }
:focus-visible { outline: 3px solid #7fb2e8; outline-offset: 2px; }
.scrub { flex: 1; min-width: 120px; }
#slider { width: 100%; margin: 0; accent-color: var(--blue); display: block; }
#ticks { position: relative; height: 14px; margin: 0 8px; font-size: 11px; color: var(--quiet); }
#ticks span { position: absolute; transform: translateX(-50%); white-space: nowrap; }
#where { min-width: 168px; font-weight: 600; font-variant-numeric: tabular-nums; }
.speed, .keys { color: var(--quiet); font-size: 13px; white-space: nowrap; }
kbd { font: 12px/1 ui-monospace, "DejaVu Sans Mono", monospace; border: 1px solid #aeb9c5;
  border-bottom-width: 2px; border-radius: 4px; padding: 1px 5px; background: #fff; }
#panels { display: grid; grid-template-columns: minmax(0, 1fr); gap: 12px; }
#panels.two { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
.panel { margin: 0; min-width: 0; }
.panel h2 span { font-weight: normal; color: var(--quiet); }
.panel canvas, #timeline { display: block; width: 100%; }
.says { min-height: 2.9em; }
.one .says { min-height: 1.45em; }
.says b { font-variant-numeric: tabular-nums; }
.tag { display: inline-block; border-radius: 9px; padding: 0 8px; font-size: 12.5px; color: #fff;
  margin-left: 6px; }
.tag.adds { background: var(--adds); } .tag.copies { background: var(--copies); }
.tag.rest { background: #6b7785; }
.chip { color: #fff; border-radius: 4px; padding: 0 6px; font-size: 13px; }
.sofar { font-size: 13.5px; color: var(--quiet); }
.sofar b { color: var(--ink); }
.moves summary { cursor: pointer; font-size: 13.5px; color: var(--quiet); }
.moves ol { list-style: none; margin: 6px 0 0; padding: 0; max-height: 156px;
  overflow-y: auto; display: grid; gap: 3px 10px;
  grid-template-columns: repeat(auto-fill, minmax(212px, 1fr)); font-size: 13.5px; }
.moves li { border-left: 3px solid var(--copies); padding: 0 0 0 7px; border-radius: 2px; }
.moves li.adds { border-color: var(--adds); }
.moves li:hover { background: #eef3f8; }
.moves li small { color: var(--quiet); }
#legend { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 22px; margin: 12px 4px;
  padding: 0; font-size: 13px; color: var(--quiet); }
#legend i { display: inline-block; width: 17px; height: 13px; border-radius: 3px; margin-right: 6px;
  vertical-align: -2px; border: 1px solid #c9d2dc; }
#legend .ramp { width: 66px; }
#legend .arrow { width: 26px; height: 0; border: 0; border-top: 2px solid var(--adds);
  border-radius: 0; vertical-align: 4px; }
#legend .arrow.copies { border-top: 2px dashed var(--copies); }
.pair { display: flex; flex-wrap: wrap; gap: 12px; }
.pair section { margin: 0; flex: 1 1 360px; min-width: 0; }
.pair section:first-child { flex: 0 1 auto; }
#costNote { max-width: 660px; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; font-variant-numeric: tabular-nums; }
th, td { padding: 3px 12px; border-bottom: 1px solid #e6ebf0; text-align: right; }
th { font-weight: 600; }
th[scope=row], th:first-child { text-align: left; font-weight: normal; }
thead th { border-bottom: 2px solid var(--line); }
td small { color: var(--quiet); margin-left: 6px; }
td.best { font-weight: 700; }
td.best::after { content: " \2713"; color: #20734a; }
#proofs { display: flex; flex-wrap: wrap; gap: 8px 44px; }
#proofs div { flex: 1 1 380px; }
#proofs ul { list-style: none; padding: 0; margin: 4px 0; font-size: 14px; }
#proofs li { padding-left: 20px; text-indent: -20px; }
#proofs li::before { content: "\2713"; display: inline-block; width: 20px; text-indent: 0;
  color: #20734a;
  font-weight: 700; }
#proofs li.no { color: var(--quiet); } #proofs li.no::before { content: "\2013"; color: #8a3b12; }
#tables { display: flex; flex-wrap: wrap; gap: 16px 44px; overflow-x: auto; }
#tables table { font-size: 13px; } #tables caption { text-align: left; font-weight: 600; }
#tables th, #tables td { padding: 2px 9px; text-align: left; }
#tables td.now { font-weight: 700; } #tables td.faded { color: #66727f; }
.away { position: absolute; left: -9999px; }
pre { overflow-x: auto; background: #fff; padding: 12px; border: 1px solid var(--line); }
@media (max-width: 1000px) { #panels.two { grid-template-columns: minmax(0, 1fr); }
  #controls { flex-wrap: wrap; position: static; } .keys { display: none; }
  .scrub { flex-basis: 100%; } }
)css";

}  // namespace coll_show
