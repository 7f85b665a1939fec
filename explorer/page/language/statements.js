// SPDX-License-Identifier: BSD-3-Clause
// Reads statements into a tree.
import { Expressions } from "./expressions.js";
import { mistake, outside } from "./tokens.js";

export class Statements extends Expressions {
  // (int a, auto&& b, int): [{at, type, name, value}].
  parameters() {
    const all = [];
    this.expect("(");
    if (this.take(")")) { return all; }
    do {
      this.attributes();
      const type = this.type("the type of a parameter", true);
      if (type.static || type.constexpr || type.inline) { mistake(type.at, "a parameter has no `static`, `constexpr` or `inline`"); }
      const at = this.now, name = at.kind === "name" ? this.next().text : null;
      if (this.is("[")) { outside(this.now, "an array"); }
      const value = this.take("=") ? (this.is("{") ? this.braces() : this.assignment()) : null;
      all.push({ is: "parameter", at: name ? at : type.at, type, name, value });
    } while (this.take(","));
    this.expect(")");
    return all;
  }

  block() {
    const at = this.expect("{"), list = [];
    while (!this.is("}")) {
      if (this.now.kind === "end") { mistake(at, "this { has no }"); }
      list.push(this.statement());
    }
    this.next();
    return { is: "block", at, list };
  }

  statement() {
    this.attributes();
    const at = this.now;
    if (this.is("{")) { return this.block(); }
    if (this.take(";")) { return { is: "block", at, list: [] }; }
    if (at.kind === "directive") { outside(at, `\`${at.value}\` within a function`); }
    if (at.kind === "word") {
      switch (at.text) {
        case "if": return this.branch();
        case "for": return this.loop();
        case "while": {
          this.next();
          return { is: "while", at, condition: this.condition(), body: this.statement() };
        }
        case "do": {
          this.next();
          const body = this.statement();
          this.expect("while", "after the body of `do`");
          const condition = this.condition();
          this.expect(";", "after `do ... while (...)`");
          return { is: "do", at, condition, body };
        }
        case "break": case "continue": {
          this.next();
          this.expect(";", `after \`${at.text}\``);
          return { is: at.text, at };
        }
        case "return": {
          this.next();
          const value = this.is(";") ? null : this.is("{") ? this.braces() : this.expression();
          this.expect(";", "after the value of `return`");
          return { is: "return", at, value };
        }
        case "else": return mistake(at, "this `else` has no `if`");
        case "struct": case "class": return outside(at, "a type within a function");
        case "using": case "namespace": case "static_assert": return outside(at, `\`${at.text}\` within a function`);
        default:
      }
    }
    if (this.declares()) {
      const d = this.declaration();
      this.expect(";", "at the end of the declaration");
      return d;
    }
    const of = this.expression();
    if (at.kind === "name" && this.is(":") && of.is === "name") { outside(at, "a label"); }
    this.expect(";", "at the end of the statement");
    return { is: "expression", at, of };
  }

  // type name = value, name{value}, ...: {is: "declare", type, list: [{at, names, value, braces, values}]}.
  declaration() {
    this.attributes();
    const at = this.now, type = this.type(), list = [];
    if (type.static) { outside(type.static, "a static variable within a function"); }
    do {
      if (this.is("*") || this.is("&") || this.is("&&")) { outside(this.now, "a pointer or a reference in the second place"); }
      const d = { at: this.now, names: null, name: null, value: null, list: null };
      if (this.take("[")) {
        d.names = [];
        do { d.names.push(this.name("a name").text); } while (this.take(","));
        this.expect("]");
      } else {
        d.name = this.name("the name of a variable").text;
      }
      if (this.is("[")) { outside(this.now, "an array"); }
      if (this.take("=")) { d.value = this.is("{") ? this.braces() : this.assignment(); }
      else if (this.is("{")) { d.value = { ...this.braces(), direct: true }; }
      else if (this.is("(")) { d.list = this.list("(", ")"); }
      list.push(d);
    } while (this.take(","));
    return { is: "declare", at, type, list };
  }

  condition() {
    this.expect("(");
    if (this.declares()) { outside(this.now, "a declaration as a condition"); }
    const e = this.expression();
    this.expect(")", "after the condition");
    return e;
  }

  branch() {
    const at = this.expect("if"), constant = this.take("constexpr") !== null;
    this.expect("(", "after `if`");
    let before = null;
    if (this.declares()) {
      before = this.declaration();
      if (!this.is(";")) { outside(before.at, "a declaration as a condition"); }
      this.next();
    }
    const condition = this.expression();
    this.expect(")", "after the condition");
    const yes = this.statement(), no = this.take("else") ? this.statement() : null;
    return { is: "if", at, constant, before, condition, yes, no };
  }

  loop() {
    const at = this.expect("for");
    this.expect("(", "after `for`");
    let before = null;
    if (this.declares()) {
      before = this.declaration();
      if (this.is(":")) { return this.over(at, before); }
    } else if (!this.is(";")) {
      before = { is: "expression", at: this.now, of: this.assignment() };
    }
    this.expect(";", "after the first part of `for`");
    const condition = this.is(";") ? null : this.expression();
    this.expect(";", "after the condition of `for`");
    const after = [];
    if (!this.is(")")) {
      do { after.push({ is: "expression", at: this.now, of: this.assignment() }); } while (this.take(","));
    }
    this.expect(")", "after `for (...`");
    return { is: "for", at, before, condition, after, body: this.statement() };
  }
  // for (int way : {1, -1})
  over(at, before) {
    const [one, more] = before.list;
    if (more || one.value || one.list || one.names) { mistake(before.at, "this `for` takes one variable without a value"); }
    this.expect(":");
    if (!this.is("{")) { outside(this.now, "`for` over something other than a list in braces"); }
    const list = this.braces();
    this.expect(")", "after `for (...`");
    return { is: "over", at, type: before.type, name: one.name, list: list.list, body: this.statement() };
  }
}
