// SPDX-License-Identifier: BSD-3-Clause
// Runs beside the page: the same core, for questions that take long. It gets {bytes} once, then
// {id, name or job, what, size, root, bytes}; it answers {id, job, proof, replay (as numbers), costs}.
import { makeCore } from "./core.js";

let core = null;
self.onmessage = async ({ data }) => {
  if (data.wasm) { core = makeCore(data.wasm); return; }
  const { id, name, what, size, root, bytes } = data;
  try {
    const c = await core;
    const job = data.job ?? c.record(name, what, size, root);
    if (job === null) { self.postMessage({ id, job }); return; }
    const begin = performance.now();
    const proof = c.check(job);
    const milliseconds = performance.now() - begin;
    const replay = data.proofOnly ? null : c.replayNumbers(job);
    const cost = proof.ok && !data.proofOnly ? c.cost(job, bytes) : null;
    self.postMessage({ id, job: data.proofOnly ? null : job, proof, milliseconds, replay, cost }, replay ? [replay.buffer] : []);
  } catch (e) { self.postMessage({ id, error: String(e.message ?? e) }); }
};
