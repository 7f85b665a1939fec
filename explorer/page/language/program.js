// SPDX-License-Identifier: BSD-3-Clause
// A whole text with what it includes: its types, functions and constants by name.
import { CompileCalls } from "./compile_calls.js";
import { include, inner, space } from "./library.js";
import { parse } from "./parser.js";
import { BOOL, INT, STRING, VOID, isNumber, named, stop, struct } from "./types.js";
import { Mistake, mistake, outside } from "./tokens.js";

export class Program extends CompileCalls {
  // `library(name)` is the text of a header of the library, or null. Throws a Mistake.
  constructor(text, library) {
    super();
    this.types = 0;
    this.main = "";
    this.machine = { fuel: 0, depth: 0, line: 0, result: undefined, exhausted: (at) => stop(at, "no end in sight: too many turns of loops and calls for one rank") };
    this.root = space("", null);
    this.structs = [];
    const tree = parse(text, this.main);
    this.notes = tree.notes;
    include(this.root, tree.includes, (name) => headerOf(name, library), (header, name) => this.declareAll(this.root, header.items, name));
    this.declareAll(this.root, tree.items, this.main);
  }

  contextOf(cls, f) {
    const at = f ?? cls;
    return { cls, space: at?.space ?? this.root, scope: null, slots: 2, outer: null, self: null, loop: false, changes: [], reads: new Map(), instance: null };
  }

  declareAll(to, items, file) { for (const item of items) { this.declare(to, item, file); } }
  declare(to, item, file) {
    const put = (name, symbol, at) => {
      const known = to.names.get(name);
      if (known && known.file !== undefined && file !== this.main) { return; }
      if (known) { mistake(at, `the name \`${name}\` is taken`); }
      to.names.set(name, { ...symbol, file });
    };
    switch (item.is) {
      case "namespace": {
        let here = to;
        for (const name of item.names) { here = inner(here, name); }
        return this.declareAll(here, item.items, file);
      }
      case "alias of namespace": return put(item.name, this.spaceOf(to, item.of), item.at);
      case "using namespace": return to.used.push(this.spaceOf(to, item.of));
      case "using": {
        const found = this.find({ scope: null, cls: null, outer: null, space: to }, item.of);
        return put(item.name, found, item.at);
      }
      case "alias": return put(item.name, { is: "a type", type: this.aliased({ scope: null, cls: null, outer: null, space: to }, item) }, item.at);
      case "struct": {
        const type = struct(item.name);
        put(item.name, { is: "a type", type }, item.at);
        return this.fill(type, item, to, null, file);
      }
      case "function": return this.addFunction(to.names, item, { cls: null, space: to, file });
      case "variable": return put(item.name, this.constant(item, { cls: null, space: to, file }), item.at);
      default: return outside(item.at, "this declaration");
    }
  }
  aliased(ctx, { type }) {
    if (type.auto || type.reference || type.const || type.argument) { outside(type.at, "a name for this type"); }
    return this.typeOf(ctx, type);
  }
  spaceOf(from, tree) {
    const found = this.find({ scope: null, cls: null, outer: null, space: from }, tree);
    return found.is === "space" ? found : mistake(tree.at, `\`${tree.names.join("::")}\` is no namespace`);
  }
  constant(item, where) { return { is: "constant", item, access: item.access, value: undefined, ...where }; }

  addFunction(names, item, { cls, space: at, file }) {
    const f = { name: item.name, type: item.type, parameters: item.parameters, body: item.body, at: item.at, static: item.static, const: item.const, access: item.access,
                cls, space: at, file, instances: new Map() };
    f.context = this.contextOf(cls, f);
    const known = names.get(item.name);
    if (!known) { names.set(item.name, { is: "functions", name: item.name, list: [f], access: item.access, file }); return; }
    if (known.is !== "functions") { mistake(item.at, `the name \`${item.name}\` is taken`); }
    if (known.list.some((g) => g.parameters.length === f.parameters.length)) { outside(item.at, `a second function \`${item.name}\` with as many parameters`); }
    if (known.access !== f.access || known.list[0].static !== f.static) { outside(item.at, `a function \`${item.name}\` that differs from its namesake in access or \`static\``); }
    known.list.push(f);
  }

  fill(type, item, at, outer, file) {
    Object.assign(type, { at: item.at, outer, space: at, file, tree: item });
    this.structs.push(type);
    const ctx = this.contextOf(type, type);
    const free = (name, where) => {
      if (this.inType(type, name) || name === type.name) { mistake(where, `the name \`${name}\` is taken in \`${type.name}\``); }
    };
    for (const t of item.types) {
      if (t.is === "struct") {
        free(t.name, t.at);
        const nested = struct(t.name);
        type.names.set(t.name, { is: "a type", type: nested, access: t.access });
        this.fill(nested, t, at, type, file);
      } else if (t.is === "alias") {
        free(t.name, t.at);
        type.names.set(t.name, { is: "a type", type: this.aliased(ctx, t), access: t.access });
      } else { outside(t.at, "this `using` within a type"); }
    }
    for (const d of item.data) {
      free(d.name, d.at);
      if (d.type.static) { type.names.set(d.name, this.constant(d, { cls: type, space: at, file })); continue; }
      if (d.type.constexpr) { mistake(d.at, `the constexpr member \`${d.name}\` must be static`); }
      if (d.type.auto || d.type.reference || d.type.const) { outside(d.at, "a member of this type"); }
      const t = this.typeOf(ctx, d.type);
      if (t === type) { mistake(d.at, `\`${type.name}\` cannot hold itself`); }
      if (!isNumber(t) && t.is !== "enum" && t.is !== "struct") { outside(d.at, `a member of the type ${named(t)}`); }
      type.fields.push({ name: d.name, type: t, access: d.access, value: d.value, owner: type, at: d.at });
    }
    for (const c of item.constructors) {
      const f = { name: type.name, parameters: c.parameters, starts: c.starts, body: c.body, at: c.at, access: c.access, cls: type, space: at, file, instances: new Map() };
      f.context = this.contextOf(type, f);
      if (type.constructors.some((g) => g.parameters.length === f.parameters.length)) { outside(c.at, "a second constructor with as many parameters"); }
      type.constructors.push(f);
    }
    for (const f of item.functions) {
      if (type.fields.some((field) => field.name === f.name) || f.name === type.name) { free(f.name, f.at); }
      this.addFunction(type.names, f, { cls: type, space: at, file });
    }
  }

  // The value of a constexpr variable outside functions.
  constantOf(found) {
    const { item } = found;
    if (found.value === undefined) {
      if (found.busy) { mistake(item.at, `the value of \`${item.name}\` needs itself`); }
      if (!item.value) { mistake(item.at, `the constexpr variable \`${item.name}\` needs a value`); }
      if (item.type.reference) { outside(item.at, "a reference here"); }
      found.busy = true;
      const ctx = this.contextOf(found.cls, found);
      const e = this.full(ctx, item.value, () => (item.type.auto ? this.value(ctx, item.value) : this.as(ctx, item.value, this.typeOf(ctx, item.type))));
      if (!e.constant) { mistake(item.at, `the value of \`${item.name}\` is no constant`); }
      this.refuel();
      Object.assign(found, { value: e.run(null), type: e.type, busy: false });
    }
    const { value } = found;
    return { type: found.type, run: () => value, constant: true, const: true, place: {}, variable: { name: item.name, ctx: null } };
  }
  // The initial value of a field, which names no variable.
  constantRun(tree, type, owner) {
    const ctx = this.contextOf(owner, owner);
    return this.full(ctx, tree, () => this.as(ctx, tree, type)).run;
  }
  refuel(fuel = 1e6) { Object.assign(this.machine, { fuel, depth: 0, line: 0 }); }

  // Compiles everything of the text itself that has types of its own, so that mistakes in what is
  // never called are found too; returns them.
  mistakes() {
    const all = [];
    const tried = (work) => { try { work(); } catch (e) { if (!(e instanceof Mistake)) { throw e; } all.push(e); } };
    const functions = (names) => {
      for (const symbol of names.values()) {
        if (symbol.is === "space") { functions(symbol.names); }
        if (symbol.file !== this.main && symbol.cls?.file !== this.main && symbol.list?.[0]?.file !== this.main) { continue; }
        if (symbol.is === "constant") { tried(() => this.constantOf(symbol)); }
        if (symbol.is === "functions") { for (const f of symbol.list) { tried(() => this.plain(f)); } }
      }
    };
    functions(this.root.names);
    for (const type of this.structs.filter((t) => t.file === this.main)) {
      functions(type.names);
      for (const f of type.fields) { tried(() => this.initial(f)); }
      for (const f of type.constructors) { tried(() => this.plain(f, type)); }
    }
    return all;
  }
  plain(f, type) {
    if (f.parameters.some((p) => p.type.auto)) { return this.namesIn(f); }
    const args = f.parameters.map((p) => ({ type: this.typeOf(f.context, p.type), const: p.type.const, run: () => 0 }));
    if (args.some((a) => a.type === VOID || a.type === STRING)) { outside(f.at, "a parameter of this type"); }
    if (type) { return; }
    this.instance(f, args);
  }

  // A function with `auto` parameters is compiled when it is called; its names are looked up before.
  namesIn(f) {
    this.checkConcepts(f.context, f.parameters);
    const declared = new Set(), used = [];
    namesOf([f.parameters, f.type, f.body], declared, used);
    for (const name of used) { if (!declared.has(name.names[0])) { this.find(f.context, name); } }
  }
}

// Every name in a tree: of variables that it declares, and those that it uses.
function namesOf(tree, declared, used) {
  if (Array.isArray(tree)) { for (const t of tree) { namesOf(t, declared, used); } return; }
  if (tree === null || typeof tree !== "object" || tree instanceof Set) { return; }
  if (tree.is === "name") { used.push(tree); return; }
  if (["parameter", "over"].includes(tree.is) || (tree.is === undefined && "names" in tree)) { declared.add(tree.name); }
  for (const name of tree.is === undefined ? tree.names ?? [] : []) { declared.add(name); }
  for (const [key, value] of Object.entries(tree)) { if (key !== "at" && key !== "open") { namesOf(value, declared, used); } }
}

const trees = new Map();  // the headers of the library, once read
function headerOf(name, library) {
  if (!trees.has(name)) {
    const text = library(name);
    if (text === null) { return null; }
    trees.set(name, parse(text, name));
  }
  return trees.get(name);
}
export { BOOL, INT };
