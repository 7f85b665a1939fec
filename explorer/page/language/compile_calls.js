// SPDX-License-Identifier: BSD-3-Clause
// Calls: of functions, of lambdas, of the sink of steps, and of constructors. A function is compiled
// once for each list of types that its `auto` parameters get.
import { BOOL, INT, SINK, VOID, copied, isNumber, named, stop } from "./types.js";
import { STEP } from "./library.js";
import { CompileStatements } from "./compile_statements.js";
import { Mistake, mistake, outside } from "./tokens.js";

const DEEPEST = 400;
const count = (n) => `${n} value${n === 1 ? "" : "s"}`;

// A function that makes the frame of a call: the first lengths by hand, since most time goes here.
function framing(self, copies, [a, b, c, d, ...more]) {
  if (!a) { return (f) => [self(f), copies(f)]; }
  if (!b) { return (f) => [self(f), copies(f), a(f)]; }
  if (!c) { return (f) => [self(f), copies(f), a(f), b(f)]; }
  if (!d) { return (f) => [self(f), copies(f), a(f), b(f), c(f)]; }
  return (f) => {
    const frame = [self(f), copies(f), a(f), b(f), c(f), d(f)];
    for (const value of more) { frame.push(value(f)); }
    return frame;
  };
}

export class CompileCalls extends CompileStatements {
  on_call(ctx, tree) {
    const { at, of, list } = tree;
    if (of.is === "name") {
      const found = this.find(ctx, of), written = of.names.join("::");
      if (found.is === "functions") { return this.callFunction(ctx, at, written, found.list, list, this.objectFor(ctx, at, found)); }
      if (found.is === "a type") { return this.make(ctx, at, found.type, list); }
    }
    if (of.is === "member") {
      const object = this.value(ctx, of.of);
      if (object.type.is !== "struct") { mistake(of.at, `${named(object.type)} has no members`); }
      const found = this.member({ is: "a type", type: object.type }, of.name, of.at, ctx);
      if (found.is === "functions") { return this.callFunction(ctx, of.at, of.name, found.list, list, object); }
    }
    const callee = this.value(ctx, of);
    if (callee.type === SINK) { return this.emitted(ctx, at, callee, list); }
    if (callee.type.is === "lambda") { return this.callLambda(ctx, at, callee, list); }
    return mistake(at, `${named(callee.type)} cannot be called`);
  }
  // In a function of an object, that object; in a static one nothing.
  objectFor(ctx, at, found) {
    if (!found.list[0].cls) { return null; }
    const self = this.self(ctx);
    return self && this.classOf(ctx) === found.list[0].cls ? { type: found.list[0].cls, run: self.base, const: self.const } : null;
  }

  on_make(ctx, { at, name, braces }) {
    const found = this.find(ctx, name);
    if (found.is !== "a type") { mistake(at, `\`${name.names.join("::")}\` is no type, and { follows it`); }
    return this.braces(ctx, braces, found.type);
  }
  // type(...).
  make(ctx, at, type, list) {
    if (type.is === "struct") { return this.made(ctx, at, type, list, false); }
    if (list.length !== 1 || !isNumber(type)) { return outside(at, `${named(type)} of ${count(list.length)} in parentheses`); }
    const e = this.value(ctx, list[0]);
    return type === INT && e.type.is === "enum" ? { type, run: e.run } : this.converted(e, type, at);
  }

  // A new object of a struct.
  made(ctx, at, type, list, braces) {
    if (list.length === 1 && !["braces", "number", "designated"].includes(list[0].is) && this.typeIs(ctx, list[0], type)) { return this.as(ctx, list[0], type); }
    if (type.constructors.length > 0) { return this.constructed(ctx, at, type, list); }
    if (!braces && list.length > 0) { outside(at, `\`${type.name}(...)\` of a type without a constructor; write \`${type.name}{...}\``); }
    if (type.fields.some((f) => f.access === "private")) { mistake(at, `\`${type.name}\` has private members, and no constructor`); }
    if (list.length > type.fields.length) { mistake(at, `\`${type.name}\` has ${type.fields.length} members, and there are ${list.length} values`); }
    const given = list.some((e) => e.is === "designated") ? this.membersNamed(type, list) : list;
    const parts = type.fields.map((field, i) => (given[i] ? this.as(ctx, given[i], field.type, true) : { run: this.initial(field), constant: true }));
    return { type, run: (f) => parts.map((p) => p.run(f)), constant: parts.every((p) => p.constant) };
  }
  // The values of a type's members, for those that are named in braces.
  membersNamed(type, list) {
    const given = [];
    for (const { is, at, name, value } of list) {
      const i = is === "designated" ? type.fields.findIndex((f) => f.name === name) : -1;
      if (is !== "designated") { mistake(at, "either all values in braces name their member, or none"); }
      if (i < 0) { mistake(at, `\`${type.name}\` has no member \`${name}\``); }
      if (i < given.length) { mistake(at, `\`.${name}\` comes after a later member, or twice`); }
      given[i] = value;
    }
    return given;
  }
  // Whether an expression has this type; without an effect on the context.
  typeIs(ctx, tree, type) {
    const { slots, changes, reads } = ctx;
    ctx.changes = []; ctx.reads = new Map();
    try { return this.value(ctx, tree, true).type === type; }
    finally { ctx.slots = slots; ctx.changes = changes; ctx.reads = reads; }
  }
  // The value of a field that nobody gives one.
  initial(field) {
    if (!field.compiled) {
      field.compiled = field.initial ?? (field.value ? this.constantRun(field.value, field.type, field.owner)
        : field.type.is === "struct" ? this.made(this.contextOf(field.owner), field.owner.at, field.type, [], true).run
          : field.type === BOOL ? () => false : () => 0);
    }
    const { compiled, type } = field;
    return () => copied(type, compiled(null));
  }

  callFunction(ctx, at, written, functions, list, object) {
    const fits = functions.filter((f) => list.length <= f.parameters.length && (f.native ? list.length === f.parameters.length
      : f.parameters.slice(list.length).every((p) => p.value)));
    if (fits.length === 0) {
      const takes = [...new Set(functions.map((f) => f.parameters.length))].join(" or ");
      mistake(at, `\`${written}\` takes ${takes === "1" ? "1 value" : `${takes} values`}, not ${list.length}`);
    }
    if (fits.length > 1) { outside(at, `the choice among ${fits.length} functions \`${written}\` of ${count(list.length)}`); }
    const [f] = fits;
    if (f.native) {
      const values = f.parameters.map((type, i) => this.as(ctx, list[i], type)), { run } = f;
      return { type: f.result, run: (frame) => run(...values.map((v) => v.run(frame))), constant: values.every((v) => v.constant) };
    }
    if (f.cls && !f.static) {
      if (!object) { mistake(at, `\`${written}\` is a function of an object, and there is none here`); }
      if (!f.const && object.const) { mistake(at, `\`${written}\` is not const, and its object is`); }
      if (!f.const && object.variable && object.place) { this.changes(ctx, at, object.variable, null); }
    }
    const args = this.arguments(ctx, at, f.parameters, list, (p) => this.typeIn(f, p));
    const self = f.cls && !f.static ? object.run : () => null;
    const instance = this.guarded(ctx, at, f, () => this.instance(f, args));
    const result = this.called(ctx, at, instance, self, () => null, args, f.file);
    return { ...result, constant: result.constant && (!f.cls || f.static || object.constant === true) };
  }
  // A mistake within the text of the library that this call brings about is one of the call.
  guarded(ctx, at, f, work) {
    try { return work(); } catch (e) {
      if (e instanceof Mistake && e.file !== at.file && f.file !== at.file) { mistake(at, `${e.message} (in <${e.file}>, line ${e.line})`); }
      throw e;
    }
  }
  typeIn(f, parameter) { return this.typeOf(f.context, parameter.type); }

  // The values for parameters: [{type, run, const}].
  arguments(ctx, at, parameters, list, typeOf) {
    return parameters.map((p, i) => {
      const tree = list[i] ?? p.value, { type: written } = p;
      if (i >= list.length) {
        const value = this.as(this.contextOf(null), tree, typeOf(p));
        return { type: value.type, run: value.run, const: written.const };
      }
      if (written.auto && tree.is === "braces") { mistake(tree.at, "braces have no type of their own: this parameter is `auto`"); }
      const e = written.auto ? this.value(ctx, tree) : null, type = e?.type ?? typeOf(p);
      if (written.constraint) {
        if (type !== SINK && type.is !== "lambda") { mistake(tree.at, `a sink of steps is expected, and this is ${named(type)}`); }
      }
      if (!written.reference) {
        const run = !e ? this.as(ctx, tree, type).run : type.is === "struct" && e.place ? (f) => copied(type, e.run(f)) : e.run;
        return { type, run, const: written.const };
      }
      if (isNumber(type) || type.is === "enum") { outside(tree.at, `a reference to ${named(type)}`); }
      if (written.reference === "&&" && (!written.auto || written.const)) { outside(written.at, "this reference"); }
      const given = e ?? (tree.is === "braces" ? this.braces(ctx, tree, type) : this.value(ctx, tree));
      if (given.type !== type) { mistake(tree.at, `expected ${named(type)}, found ${named(given.type)}`); }
      if (written.reference === "&" && !written.const && !given.place) { mistake(tree.at, "a reference without const needs a variable"); }
      if (type.is === "struct" && !written.const && !given.const && given.variable) { this.changes(ctx, tree.at, given.variable, null); }
      return { type, run: given.run, const: written.const || (given.const ?? false) };
    });
  }

  instance(f, args) {
    const key = args.map((a) => `${this.numberOf(a.type)}${a.const ? "c" : ""}`).join(",");
    if (!f.instances.has(key)) {
      const instance = { result: f.type.auto ? null : this.typeOf(f.context, f.type), run: null, name: f.name };
      f.instances.set(key, instance);
      if (f.type.reference) { outside(f.type.at, "a result that is a reference"); }
      const ctx = { ...this.contextOf(f.cls, f), self: f.cls && !f.static ? { base: (frame) => frame[0], const: f.const } : null, instance };
      this.bodyOf(ctx, f, args, f.parameters);
    }
    return f.instances.get(key);
  }
  numberOf(type) { return (type.number ??= ++this.types); }
  bodyOf(ctx, f, args, parameters) {
    this.within(ctx, () => {
      parameters.forEach((p, i) => {
        this.variable(ctx, p.at, p.name, args[i].type, { const: args[i].const });
      });
      f.starts ? this.constructorBody(ctx, f) : this.functionBody(ctx, f);
    });
  }

  // The call of something compiled: its frame is [self or outer frame, copies, ...arguments].
  called(ctx, at, instance, self, copies, args, file) {
    if (!instance.result) { mistake(at, `\`${instance.name}\` calls itself before its result has a type`); }
    const runs = args.map((a) => a.run), { machine } = this;
    if (instance.result !== VOID && instance.result !== SINK && args.some((a) => a.type === SINK)) { this.changes(ctx, at, { name: "emit", ctx: null }, null); }
    const outside_ = file !== this.main && at.file === this.main;
    const frameOf = framing(self, copies, runs);
    const run = (f) => {
      const frame = frameOf(f);
      if (++machine.depth > DEEPEST) { stop(at, `\`${instance.name}\` calls itself more than ${DEEPEST} times deep`); }
      if (--machine.fuel < 0) { machine.exhausted(at); }
      if (outside_) { machine.line = at.line; }
      const result = instance.run(frame);
      if (outside_) { machine.line = 0; }
      --machine.depth;
      return result;
    };
    return { type: instance.result, run, constant: args.every((a) => a.constant) && !instance.frame };
  }

  callLambda(ctx, at, callee, list) {
    const { type } = callee, { tree } = type;
    if (list.length > tree.parameters.length || tree.parameters.slice(list.length).some((p) => !p.value)) {
      mistake(at, `the lambda takes ${count(tree.parameters.length)}, not ${list.length}`);
    }
    const args = this.arguments(ctx, at, tree.parameters, list, (p) => this.typeOf(type.ctx, p.type));
    const instance = this.lambdaInstance(type, args);
    for (const variable of instance.changes) { this.changes(ctx, at, variable, null); }
    return this.called(ctx, at, instance, (f) => callee.run(f).frame, (f) => callee.run(f).copies, args, tree.at.file);
  }
  lambdaInstance(type, args) {
    const key = args.map((a) => `${this.numberOf(a.type)}${a.const ? "c" : ""}`).join(",");
    if (!type.instances.has(key)) {
      const { tree, ctx: outer } = type;
      const instance = { result: tree.result && !tree.result.auto ? this.typeOf(outer, tree.result) : null, run: null, name: "the lambda", frame: true,
                         changes: new Set() };
      type.instances.set(key, instance);
      const scope = outer.scope;
      outer.scope = type.scope;  // what is visible where the lambda stands
      const ctx = { ...this.contextOf(null), cls: null, space: outer.space, outer, instance, copies: type.copies, references: type.references,
                    this: type.this, changesOutside: instance.changes, lambda: true };
      try { this.bodyOf(ctx, { body: tree.body, at: tree.at, name: "the lambda" }, args, tree.parameters); } finally { outer.scope = scope; }
    }
    return type.instances.get(key);
  }
  on_lambda(ctx, tree) {
    this.checkConcepts(ctx, tree.parameters);
    const copies = tree.captures.filter((c) => !c.reference && c.name !== "this").map((c) => c.name);
    const references = tree.captures.filter((c) => c.reference).map((c) => c.name);
    for (const c of tree.captures) {
      if (c.name !== "this" && !this.local(ctx, c.name, c.at)) { mistake(c.at, `there is no variable \`${c.name}\` to capture`); }
    }
    if (tree.all === "=") {
      for (const name of tree.used) {
        if (!copies.includes(name) && !references.includes(name) && this.local(ctx, name, tree.at)) { copies.push(name); }
      }
    }
    const from = copies.map((name) => {
      const e = this.read(ctx, { at: tree.at }, this.local(ctx, name, tree.at));
      return { type: e.type, run: e.run };
    });
    const type = { is: "lambda", name: "a lambda", tree, ctx, scope: this.frozen(ctx.scope), copies, instances: new Map(), byReference: tree.all === "&" || references.length > 0,
                   references: tree.all === "&" ? "all" : references, this: tree.all !== "" || tree.captures.some((c) => c.name === "this") };
    if (!tree.parameters.some((p) => p.type.auto)) {
      this.lambdaInstance(type, tree.parameters.map((p) => ({ type: this.typeOf(ctx, p.type), const: p.type.const, run: null })));
    }
    return { type, run: (f) => ({ frame: f, copies: from.map((c) => copied(c.type, c.run(f))) }) };
  }
  frozen(scope) { return scope && { names: new Map(scope.names), outer: this.frozen(scope.outer) }; }

  // emit(step).
  emitted(ctx, at, callee, list) {
    if (list.length !== 1) { mistake(at, `\`emit\` takes one step, not ${list.length}`); }
    const value = this.as(ctx, list[0], STEP), { machine } = this, own = at.file === this.main;
    return { type: VOID, run: (f) => {
      if (--machine.fuel < 0) { machine.exhausted(at); }
      callee.run(f)(value.run(f), own ? at.line : machine.line);
    } };
  }
}
