// SPDX-License-Identifier: BSD-3-Clause
// From the text of a header to an algorithm whose steps core.recordOwn composes.
import { Program } from "./program.js";
import { BOOL, INT, SINK, STRING, named } from "./types.js";
import { Mistake, mistake } from "./tokens.js";

const ROOTED = { steps: false, reduce_scatter: false, all_gather: false, reduce: true, broadcast: true, gather: true, scatter: true, all_to_all: false, scan: false };
const MOST_CHUNKS = 4096, FUEL = 2e6, MOST_STEPS = 200000;

// Reads `text`. {errors: [{line, column, text}], notes: [{line, text}], algorithm}; `algorithm` is
// null if there are errors: {name, line, type, spaces, takesParameter, parameter, patterns, chunks, owner,
// fits, emit}. `library(name)` is the text of a header of the library, or null.
export function read(text, library, { parameter = 1 } = {}) {
  let program;
  try {
    program = new Program(text, library);
    const errors = program.mistakes();
    if (errors.length === 0) { return { errors: [], notes: program.notes, algorithm: algorithmOf(program, parameter) }; }
    return { errors: sorted(errors), notes: program.notes, algorithm: null };
  } catch (e) {
    if (!(e instanceof Mistake)) { throw e; }
    return { errors: sorted([e]), notes: program?.notes ?? [], algorithm: null };
  }
}
function sorted(mistakes) {
  const seen = new Set(), all = [];
  for (const m of mistakes.sort((a, b) => a.line - b.line || a.column - b.column)) {
    const key = `${m.line}:${m.column}:${m.message}`;
    if (!seen.has(key)) { seen.add(key); all.push({ line: m.line, column: m.column, text: m.message }); }
  }
  return all;
}

// The public function of a type; null if it has none of this name.
function publicFunction(type, name) {
  const found = type.names.get(name);
  return found?.is === "functions" && found.access === "public" ? found : null;
}

// The namespaces around it, the outermost first.
function spacesOf(space) { return space.outer ? [...spacesOf(space.outer), space.name] : []; }

function algorithmOf(program, parameter) {
  const own = program.structs.filter((t) => t.file === program.main && t.outer === null);
  const candidates = own.filter((t) => t.names.get("name")?.is === "constant" && Object.keys(ROOTED).some((p) => publicFunction(t, p)));
  const end = { file: program.main, line: own[0]?.at.line ?? 1, column: own[0]?.at.column ?? 1 };
  if (candidates.length === 0) {
    mistake(end, "no algorithm here: a struct with `static constexpr std::string_view name = \"...\";`, with chunks(size), and with steps, or reduce_scatter and all_gather, or reduce and broadcast");
  }
  if (candidates.length > 1) { mistake(candidates[1].at, `two algorithms, \`${candidates[0].name}\` and \`${candidates[1].name}\`; this page takes one`); }
  const [type] = candidates, at = type.at, { machine } = program;

  const name = program.constantOf(type.names.get("name"));
  if (name.type !== STRING || type.names.get("name").access !== "public") { mistake(at, `\`${type.name}::name\` must be a public std::string_view`); }
  const text = name.run(null);
  if (!/^[A-Za-z_][\w.-]*$/.test(text)) { mistake(type.names.get("name").item.at, `the name "${text}" is not made of letters, digits, _ . and -`); }
  const takesParameter = type.fields.length > 0;
  if (takesParameter && (type.fields.length > 1 || type.fields[0].type !== INT || !publicFunction(type, "parameter"))) {
    mistake(at, `\`${type.name}\` has members: an algorithm has no state but one int, which parameter() returns`);
  }
  const object = takesParameter ? [parameter] : [];

  // A function of the algorithm, as one of JavaScript.
  const bound = (called, types, result) => {
    const functions = publicFunction(type, called);
    if (!functions) { return null; }
    const f = functions.list.find((g) => g.parameters.length === types.length);
    if (!f) { mistake(functions.list[0].at, `\`${called}\` takes ${functions.list[0].parameters.length} values; it is called with ${types.length}`); }
    if (!f.static && !f.const) { mistake(f.at, `\`${called}\` must be static or const: an algorithm has no state`); }
    const args = types.map((t, i) => {
      const { type: written } = f.parameters[i];
      if (written.reference && t !== SINK) { mistake(written.at, "this parameter must be no reference"); }
      if (!written.auto) {
        const declared = program.typeOf(f.context, written);
        if (declared !== t) { mistake(written.at, `${named(t)} is expected here, not ${named(declared)}`); }
      } else if (t === SINK && (written.reference !== "&&" || written.const)) {
        mistake(written.at, "the sink of steps is taken as `auto&&`");
      }
      if (written.constraint && t !== SINK) { mistake(written.at, "this concept does not fit"); }
      return { type: t, const: written.const, run: null };
    });
    const instance = program.instance(f, args);
    if (result && instance.result !== result) { mistake(f.at, `\`${called}\` gives ${named(instance.result)}; it must give ${named(result)}`); }
    return (...values) => {
      program.refuel(FUEL);
      return instance.run([f.static ? null : object, null, ...values]);
    };
  };

  const chunks = bound("chunks", [INT], INT) ?? mistake(at, `\`${type.name}\` has no chunks(size)`);
  const owner = bound("owner", [INT, INT], INT), fits = bound("fits", [INT], BOOL);
  if (takesParameter) { bound("parameter", [], INT); }
  const emits = {};
  for (const [p, rooted] of Object.entries(ROOTED)) {
    const f = bound(p, rooted ? [INT, INT, INT, SINK] : [INT, INT, SINK]);
    if (f) { emits[p] = f; }
  }
  const joins = Boolean(emits.reduce_scatter && emits.all_gather && !emits.steps);
  if (!emits.steps && !joins && !(emits.reduce && emits.broadcast)) {
    mistake(at, `\`${type.name}\` has no all-reduce: it needs steps, or reduce_scatter and all_gather, or reduce and broadcast`);
  }

  const where = (work, said) => {
    try { return work(); } catch (e) {
      if (e instanceof RangeError) { throw new Mistake(at, `${said}: too deep`); }
      if (!(e instanceof Mistake)) { throw e; }
      const line = e.file === program.main ? e.line : machine.line;
      const error = new Error(`line ${line}: ${e.message}, in ${said}`);
      throw Object.assign(error, { line, column: e.file === program.main ? e.column : 1, text: `${e.message}, in ${said}` });
    }
  };
  const refuse = (line, message) => { throw Object.assign(new Error(`line ${line}: ${message}`), { line, column: 1, text: message }); };
  return {
    name: text, line: type.names.get("name").item.at.line, type: type.name, spaces: spacesOf(type.space), takesParameter, parameter, patterns: Object.keys(emits),
    chunks(size) {
      const n = where(() => chunks(size), `chunks(${size})`);
      if (n < 1 || n > MOST_CHUNKS) { refuse(at.line, `chunks(${size}) is ${n}; it must be 1 to ${MOST_CHUNKS}`); }
      return n;
    },
    owner(chunk, size) {
      if (!owner || !joins) { return chunk; }
      const r = where(() => owner(chunk, size), `owner(${chunk}, ${size})`);
      if (r < 0 || r >= size) { refuse(at.line, `owner(${chunk}, ${size}) is ${r}, which is no rank`); }
      return r;
    },
    fits: (size) => size > 0 && (!fits || where(() => fits(size), `fits(${size})`)),
    // step(round, verb, peer, first, count, line)
    emit(pattern, me, size, root, step) {
      let steps = 0;
      const said = `${pattern} of rank ${me} of ${size}`;
      const sink = ([round, verb, peer, [first, count]], line) => {
        if (++steps > MOST_STEPS) { refuse(line, `more than ${MOST_STEPS} steps, in ${said}`); }
        if (round < 0 || round > 20000) { refuse(line, `a step in round ${round}, in ${said}`); }
        if (peer < 0 || peer >= size) { refuse(line, `the step names rank ${peer}, but ${size === 1 ? "rank 0 is the only one" : `the ranks are 0 to ${size - 1}`}${
          peer < 0 && peer > -size ? ` (in C++ ${peer} % ${size} is ${peer}: add ${size}, the size, before the %)` : ""}, in ${said}`); }
        if (first < 0 || first > 1e4 || count < 0 || count > 1e4) { refuse(line, `a step with the chunks {${first}, ${count}}, in ${said}`); }
        step(round, verb, peer, first, count, line);
      };
      where(() => emits[pattern](me, size, ...(ROOTED[pattern] ? [root] : []), sink), said);
    },
  };
}
