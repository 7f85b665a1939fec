// SPDX-License-Identifier: BSD-3-Clause
// Statements: functions of a frame that say how they ended. Also the bodies of functions.
import { CompileExpressions } from "./compile_expressions.js";
import { SINK, VOID, copied, isNumber, named } from "./types.js";
import { mistake, outside } from "./tokens.js";

const ON = 0, BREAK = 1, CONTINUE = 2, RETURN = 3;

export class CompileStatements extends CompileExpressions {
  // {run(frame) -> how it ended, ends: whether what follows is never reached}
  statement(ctx, tree) { return this[`do_${tree.is}`](ctx, tree); }

  do_block(ctx, { list }) { return this.within(ctx, () => this.sequence(ctx, list)); }
  sequence(ctx, list) {
    const parts = list.map((s) => this.statement(ctx, s)), runs = parts.map((p) => p.run);
    return {
      ends: parts.some((p) => p.ends),
      run: runs.length === 1 ? runs[0] : (f) => {
        for (let i = 0; i < runs.length; ++i) { const how = runs[i](f); if (how !== ON) { return how; } }
        return ON;
      },
    };
  }

  do_expression(ctx, { of }) {
    if (!["call", "assign", "step", "group", "choice"].includes(of.is)) { mistake(of.at, "this value is not used"); }
    const { run } = this.full(ctx, of, () => this.value(ctx, of, true));
    return { run: (f) => { run(f); return ON; } };
  }

  do_declare(ctx, { type, list }) {
    const parts = list.map((d) => (d.names ? this.binding(ctx, type, d) : this.declared(ctx, type, d)));
    return { run: parts.length === 1 ? parts[0] : (f) => { for (const p of parts) { p(f); } return ON; } };
  }
  // One variable. The name is known from its own value on, as in C++; so a value cannot use it.
  declared(ctx, type, d) {
    const fixed = type.const || type.constexpr;
    const e = this.full(ctx, d.value ?? d, () => this.initially(ctx, type, d));
    if (type.constexpr) {
      if (!e?.constant) { mistake(d.at, `the value of the constexpr variable \`${d.name}\` is known only when the function runs`); }
      this.variable(ctx, d.at, d.name, e.type, { const: true, constant: e.run(null) });
      return () => ON;
    }
    if (!e) {
      const t = this.typeOf(ctx, type);
      if (t === VOID || t.is === "string") { outside(type.at, `a variable of the type ${named(t)}`); }
      if (fixed) { mistake(d.at, `the const variable \`${d.name}\` needs a value`); }
      const v = this.variable(ctx, d.at, d.name, t, { const: false, unset: true });
      return (f) => { f[v.slot] = undefined; return ON; };
    }
    if (e.type === VOID) { mistake(d.at, `\`${d.name}\` gets no value: this is void`); }
    const v = this.variable(ctx, d.at, d.name, e.type, { const: fixed || (type.reference !== "" && e.const) }), { slot } = v, { run } = e;
    return (f) => { f[slot] = run(f); return ON; };
  }
  initially(ctx, type, d) {
    if (type.reference) {
      if (!d.value || d.value.is === "braces") { mistake(d.at, "a reference needs what it refers to"); }
      const e = this.value(ctx, d.value);
      if (isNumber(e.type) || e.type.is === "enum") { outside(d.at, `a reference to ${named(e.type)}`); }
      if (!type.auto && this.typeOf(ctx, type) !== e.type) { mistake(d.at, `expected ${named(this.typeOf(ctx, type))}, found ${named(e.type)}`); }
      if (type.reference === "&" && !type.const && !e.place) { mistake(d.at, "a reference without const needs a variable"); }
      return e;
    }
    if (type.auto) {
      if (!d.value && !d.list) { mistake(d.at, `\`auto\` needs a value to take the type of`); }
      const tree = d.list ? d.list.length === 1 && d.list[0] : d.value;
      if (!tree || tree.is === "braces") { outside(d.at, "`auto` of braces"); }
      const e = this.value(ctx, tree);
      return e.type.is === "struct" && e.place ? { ...e, run: (f) => copied(e.type, e.run(f)) } : e;
    }
    const t = this.typeOf(ctx, type);
    if (t === VOID || t.is === "string") { outside(type.at, `a variable of the type ${named(t)}`); }
    if (d.list) { return t.is === "struct" ? this.made(ctx, d.at, t, d.list, false) : this.make(ctx, d.at, t, d.list); }
    if (d.value) { return this.as(ctx, d.value, t); }
    return t.is === "struct" ? this.made(ctx, d.at, t, [], true) : null;
  }
  // auto const [a, b] = value;
  binding(ctx, type, d) {
    if (!type.auto || type.constexpr) { mistake(d.at, "[a, b] needs `auto` in front of it"); }
    if (type.reference) { outside(d.at, "a reference to the parts of a value"); }
    if (!d.value || d.value.is === "braces") { mistake(d.at, "[a, b] needs a value to take apart"); }
    const e = this.full(ctx, d.value);
    if (e.type.is !== "struct") { mistake(d.at, `${named(e.type)} has no parts`); }
    const { fields } = e.type;
    if (fields.length !== d.names.length) { mistake(d.at, `\`${e.type.name}\` has ${fields.length} members, and there are ${d.names.length} names`); }
    const whole = this.variable(ctx, d.at, null, e.type);
    d.names.forEach((name, i) => {
      const part = this.variable(ctx, d.at, name, fields[i].type, { const: type.const, base: (f) => f[whole.slot] });
      part.slot = i;
    });
    return (f) => { f[whole.slot] = copied(e.type, e.run(f)); return ON; };
  }

  do_if(ctx, tree) {
    return this.within(ctx, () => {
      const before = tree.before ? this.do_declare(ctx, tree.before).run : null, c = this.condition(ctx, tree.condition);
      if (tree.constant && !c.constant) { mistake(tree.at, "the condition of `if constexpr` is known only when the function runs"); }
      const yes = this.within(ctx, () => this.statement(ctx, tree.yes)), no = tree.no && this.within(ctx, () => this.statement(ctx, tree.no));
      const run = no ? (f) => (c.run(f) ? yes.run(f) : no.run(f)) : (f) => (c.run(f) ? yes.run(f) : ON);
      return { ends: Boolean(yes.ends && no?.ends), run: before ? (f) => { before(f); return run(f); } : run };
    });
  }

  // One turn of a loop costs fuel, so that a loop without an end has one.
  inLoop(ctx, tree) {
    const outer = [ctx.loop, ctx.breaks];
    ctx.loop = true; ctx.breaks = false;
    const body = this.within(ctx, () => this.statement(ctx, tree.body)), { breaks } = ctx;
    [ctx.loop, ctx.breaks] = outer;
    const { machine } = this, { at } = tree;
    return { breaks, run: (f) => { if (--machine.fuel < 0) { machine.exhausted(at); } return body.run(f); } };
  }
  do_for(ctx, tree) {
    return this.within(ctx, () => {
      const before = tree.before ? this.statement(ctx, tree.before).run : () => ON;
      const condition = tree.condition ? this.condition(ctx, tree.condition).run : () => true;
      const after = tree.after.map((s) => this.statement(ctx, s).run), body = this.inLoop(ctx, tree);
      return { ends: !tree.condition && !body.breaks, run: (f) => {
        for (before(f); condition(f);) {
          const how = body.run(f);
          if (how === BREAK) { break; }
          if (how === RETURN) { return RETURN; }
          for (let i = 0; i < after.length; ++i) { after[i](f); }
        }
        return ON;
      } };
    });
  }
  do_while(ctx, tree) {
    const condition = this.condition(ctx, tree.condition).run, body = this.inLoop(ctx, tree);
    return { ends: tree.condition.is === "truth" && tree.condition.value && !body.breaks, run: (f) => {
      while (condition(f)) {
        const how = body.run(f);
        if (how === BREAK) { break; }
        if (how === RETURN) { return RETURN; }
      }
      return ON;
    } };
  }
  do_do(ctx, tree) {
    const body = this.inLoop(ctx, tree), condition = this.condition(ctx, tree.condition).run;
    return { run: (f) => {
      do {
        const how = body.run(f);
        if (how === BREAK) { break; }
        if (how === RETURN) { return RETURN; }
      } while (condition(f));
      return ON;
    } };
  }
  do_over(ctx, tree) {
    if (tree.type.reference) { outside(tree.type.at, "a reference to a part of a list"); }
    if (tree.list.length === 0) { mistake(tree.at, "an empty list to run over"); }
    return this.within(ctx, () => {
      const values = tree.list.map((v) => this.full(ctx, v)), { type: first } = values[0];
      if (values.some((v) => v.type !== first)) { mistake(tree.at, "the values of the list are of several types"); }
      if (first.is === "lambda" || first === SINK) { outside(tree.at, `a list of values of the type ${named(first)}`); }
      const type = tree.type.auto ? first : this.typeOf(ctx, tree.type);
      const turned = values.map((v, i) => this.converted(v, type, tree.list[i].at).run);
      const { slot } = this.variable(ctx, tree.at, tree.name, type, { const: tree.type.const }), body = this.inLoop(ctx, tree);
      return { run: (f) => {
        for (const value of turned.map((v) => v(f))) {
          f[slot] = copied(type, value);
          const how = body.run(f);
          if (how === BREAK) { break; }
          if (how === RETURN) { return RETURN; }
        }
        return ON;
      } };
    });
  }
  do_break(ctx, { at }) {
    if (!ctx.loop) { mistake(at, "`break` outside a loop"); }
    ctx.breaks = true;
    return { ends: true, run: () => BREAK };
  }
  do_continue(ctx, { at }) {
    if (!ctx.loop) { mistake(at, "`continue` outside a loop"); }
    return { ends: true, run: () => CONTINUE };
  }

  do_return(ctx, { at, value }) {
    const { instance } = ctx, { machine } = this;
    if (ctx.constructs && value) { mistake(at, "a constructor returns nothing"); }
    if (!value) {
      instance.result ??= VOID;
      if (instance.result !== VOID) { mistake(at, `\`return\` without a value, in a function that gives ${named(instance.result)}`); }
      return { ends: true, run: () => RETURN };
    }
    const e = this.full(ctx, value, () => {
      if (value.is === "braces") { return instance.result ? this.braces(ctx, value, instance.result) : mistake(at, "braces have no type of their own"); }
      return this.value(ctx, value, true);
    });
    instance.result ??= e.type;
    if (e.type === VOID && instance.result === VOID) { return { ends: true, run: (f) => { e.run(f); return RETURN; } }; }
    if (ctx.instance.deduced && e.type !== instance.result) { mistake(at, `this returns ${named(e.type)}, and an earlier return ${named(instance.result)}`); }
    if (e.type.is === "lambda" && e.type.byReference) { outside(at, "a result that refers to variables of the function"); }
    const { run } = this.converted(e, instance.result, at);
    return { ends: true, run: (f) => { machine.result = run(f); return RETURN; } };
  }

  functionBody(ctx, f) {
    const { instance } = ctx, { machine } = this;
    instance.deduced = instance.result === null;
    const { run, ends } = this.sequence(ctx, f.body.list);
    instance.result ??= VOID;
    if (instance.result === VOID) { instance.run = (frame) => { run(frame); }; return; }
    if (!ends) { mistake(f.at, `\`${f.name}\` can come to its end without a \`return\`, and gives ${named(instance.result)}`); }
    instance.run = (frame) => { run(frame); return machine.result; };
  }

  // The members in their order, each from its own line or its initial value; then the body.
  constructorBody(ctx, f) {
    const { cls } = ctx, { instance } = ctx;
    ctx.constructs = true;
    const delegate = f.starts.find((s) => s.name === cls.name);
    let start;
    if (delegate) {
      if (f.starts.length > 1) { mistake(delegate.at, "a constructor that calls another one sets no member"); }
      const made = this.full(ctx, delegate, () => this.constructed(ctx, delegate.at, cls, delegate.list));
      start = (frame) => { frame[0].push(...made.run(frame)); };
    } else {
      for (const s of f.starts) {
        if (!cls.fields.some((field) => field.name === s.name)) { mistake(s.at, `\`${cls.name}\` has no member \`${s.name}\``); }
      }
      const parts = cls.fields.map((field) => {
        const s = f.starts.find((one) => one.name === field.name);
        if (!s) { return field.value || field.type.is === "struct" ? this.initial(field) : () => undefined; }
        return this.full(ctx, s, () => (field.type.is === "struct" ? this.made(ctx, s.at, field.type, s.list, false)
          : s.list.length === 1 ? this.as(ctx, s.list[0], field.type) : s.list.length === 0 ? this.braces(ctx, s, field.type)
            : mistake(s.at, `\`${s.name}\` is one value`))).run;
      });
      start = (frame) => { for (const p of parts) { frame[0].push(p(frame)); } };
    }
    const { run } = this.sequence(ctx, f.body.list);
    instance.run = (frame) => { start(frame); run(frame); return frame[0]; };
  }
  constructed(ctx, at, type, list) {
    const fits = type.constructors.filter((c) => list.length <= c.parameters.length && c.parameters.slice(list.length).every((p) => p.value));
    if (fits.length !== 1) {
      const takes = type.constructors.map((c) => c.parameters.length).join(" or ");
      mistake(at, fits.length ? `several constructors of \`${type.name}\` fit` : `a \`${type.name}\` is made of ${takes} values, not ${list.length}`);
    }
    const [f] = fits;
    this.mayUse(ctx, f, type, at, type.name);
    const args = this.arguments(ctx, at, f.parameters, list, (p) => this.typeIn(f, p));
    const key = args.map((a) => `${this.numberOf(a.type)}${a.const ? "c" : ""}`).join(",");
    if (!f.instances.has(key)) {
      const instance = { result: type, run: null, name: type.name };
      f.instances.set(key, instance);
      const inner = { ...this.contextOf(type, f), self: { base: (frame) => frame[0], const: false }, instance };
      inner.instance = { result: VOID, run: null };
      this.bodyOf(inner, f, args, f.parameters);
      instance.run = (frame) => inner.instance.run(frame);
    }
    return this.called(ctx, at, f.instances.get(key), () => [], () => null, args, f.file);
  }
}
