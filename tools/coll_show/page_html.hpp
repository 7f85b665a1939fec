// SPDX-License-Identifier: BSD-3-Clause
// The page's frame. What stands between @ signs is put in by page.cpp; the rest by the script.
#pragma once

namespace coll_show {

inline constexpr auto page_html = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none';
  style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none';
  form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>@TITLE@</title>
<link rel="icon" href="data:,">
<style>@STYLE@</style>
</head>
<body>
<header>
  <h1 id="title">@TITLE@</h1>
  <p id="intro"></p>
</header>
<noscript><p>The player needs JavaScript. The same as text:</p><pre>@TEXT@</pre></noscript>
<main hidden>
  <section id="controls" aria-label="Player">
    <div class="buttons">
      <button id="first" title="to the start (Home)" aria-label="to the start"
        >&#x7C;&#x25C0;&#xFE0E;</button>
      <button id="back" title="one round back (left arrow)" aria-label="one round back"
        >&#x25C0;&#xFE0E;</button>
      <button id="play" title="play or pause (space)" aria-label="play"
        >&#x25B6;&#xFE0E; Play</button>
      <button id="next" title="next round (right arrow)" aria-label="next round"
        >&#x25B6;&#xFE0E;</button>
      <button id="last" title="to the end (End)" aria-label="to the end"
        >&#x25B6;&#xFE0E;&#x7C;</button>
    </div>
    <div class="scrub">
      <input type="range" id="slider" min="-1" step="1" aria-label="round">
      <div id="ticks" aria-hidden="true"></div>
    </div>
    <output id="where" for="slider"></output>
    <label class="speed">speed
      <select id="speed">
        <option value="0.5">slow</option>
        <option value="1" selected>normal</option>
        <option value="2.5">fast</option>
      </select>
    </label>
    <span class="keys"><kbd>&larr;</kbd> <kbd>&rarr;</kbd> step <kbd>space</kbd> plays</span>
  </section>
  <p id="status" class="away" role="status" aria-live="polite"></p>
  <div id="panels"></div>
  <ul id="legend" aria-label="Legend"></ul>
  <section id="times" hidden>
    <h2>When the steps really ran</h2>
    <p id="timesIntro"></p>
    <canvas id="timeline" role="img"></canvas>
    <p id="timesPoint" class="quiet">&nbsp;</p>
    <details class="moves"><summary>The rounds' times as a table</summary>
      <table id="timesTable"></table></details>
  </section>
  <div class="pair">
  <section>
    <h2>What it costs, beside what it must cost</h2>
    <div class="wide"><table id="costs"></table></div>
    <p class="quiet" id="costNote"></p>
  </section>
  <section>
    <h2>What is proved</h2>
    <div id="proofs"></div>
  </section>
  </div>
  <section>
    <h2 id="tableTitle">This round as a table</h2>
    <div id="tables"></div>
  </section>
</main>
<template id="panel">
  <section class="panel">
    <h2></h2>
    <p class="says"></p>
    <canvas role="img"></canvas>
    <p class="sofar"></p>
    <details class="moves" open><summary></summary><ol></ol></details>
  </section>
</template>
<script type="application/json" id="data">@DATA@</script>
<script>
"use strict";
@SCRIPT@
</script>
</body>
</html>
)html";

}  // namespace coll_show
