import { appendFileSync, readFileSync } from "node:fs";
{loader}
const plan = JSON.parse(readFileSync({plan}, "utf8"));

let allBig = false; // whole numbers are made as BigInt, for code that takes nothing else

async function value(v) {
  switch (v.kind) {
    case "null": return v.text === "undefined" ? undefined : null;
    case "bool": return v.text === "true";
    case "number": return v.big || (allBig && /^-?\d+$/.test(v.text)) ? BigInt(v.text) : Number(v.text);
    case "string": return v.text ?? "";
    case "list": return values(v.list);
    case "code":
      try {
        return new Function("exported", "variables", `with (exported) with (variables) { return (${v.text}); }`)(main, Object.fromEntries(variables));
      } catch (e) {
        throw new Cannot(`a function cannot be read: ${e.message}`);
      }
    case "call": return chain(v.call, true);
  }
  return object(v.fields);
}

async function values(list) {
  const out = [];
  for (const v of list ?? []) out.push(await value(v));
  return out;
}

async function object(fields) {
  const out = [];
  for (const f of fields ?? []) out.push([f.name, await value(f.value)]);
  return Object.fromEntries(out);
}

function shown(v, depth = 0) {
  const all = (o) => Object.fromEntries(Object.entries(o).map(([k, x]) => [k, shown(x, depth + 1)]));
  if (v === undefined) return { $type: "undefined", $text: "undefined" };
  if (v === null || typeof v === "boolean" || typeof v === "string") return v;
  if (typeof v === "number") return Number.isFinite(v) ? v : { $type: "number", $text: String(v) };
  if (typeof v === "bigint") return { $type: "bigint", $text: String(v) };
  if (typeof v === "symbol" || typeof v === "function") return { $type: typeof v, $text: String(v) };
  if (depth > 20) return { $type: "object", $text: "..." };
  if (Array.isArray(v)) return v.map((x) => shown(x, depth + 1));
  if (v instanceof Set) return [...v].map((x) => shown(x, depth + 1));
  if (v instanceof Map) return Object.fromEntries([...v].map(([k, x]) => [String(k), shown(x, depth + 1)]));
  const proto = Object.getPrototypeOf(v);
  if (proto === Object.prototype || proto === null) return all(v);
  if (typeof v[Symbol.iterator] === "function" && typeof v.next === "function") return [...v].map((x) => shown(x, depth + 1));
  if (v instanceof Date) return { $type: "Date", $text: v.toISOString(), $value: v.toISOString() };
  return { $type: proto.constructor?.name || "object", $text: String(v), $fields: all(v) };
}

const find = (o, name) => name.split(".").reduce((at, part) => at?.[part], o);

const isClass = (f) => Object.values(standard).includes(f) || /^class\b/.test(Function.prototype.toString.call(f));

const standard = { Array, Date, Map, Set, Uint8Array, URL };

const variables = new Map();

let main; // the module of the call, which comes first

// start is what a chain begins with, and the object that it is of. Only the call itself may be of a default export without a name.
async function start({ name, module, var: variable }, argument) {
  if (variable) return [undefined, variables.get(name)];
  const modules = [main];
  if (module) modules.push(await import(module));
  const owner = name.includes(".") ? name.replace(/\.[^.]*$/, "") : undefined;
  for (const m of modules) {
    const d = m.default;
    for (const o of [m, d]) {
      const at = find(o, name);
      if (at !== undefined) return [owner && find(o, owner), at];
    }
    if (typeof d === "function" && name === (d.name || (argument || Object.hasOwn(standard, name) ? "" : name))) return [undefined, d];
    if (m === main && Object.hasOwn(standard, name)) return [undefined, standard[name]];
  }
  return [];
}

const taken = new Set(), given = new Set(); // what the last call was given, and what calls have given, of what can be changed

function containers(v, into, depth = 0) {
  if (v === null || typeof v !== "object" || depth > 6 || into.has(v) || Object.isFrozen(v)) return into;
  const plain = [Object.prototype, null].includes(Object.getPrototypeOf(v));
  if (Array.isArray(v) || plain || v instanceof Map || v instanceof Set || ArrayBuffer.isView(v)) into.add(v);
  const inner = v instanceof Map || v instanceof Set ? v.values() : ArrayBuffer.isView(v) ? [] : Object.values(v);
  for (const x of inner) containers(x, into, depth + 1);
  return into;
}

function gives(v) {
  const all = containers(v, new Set());
  const shared = [...all].filter((x) => taken.has(x) || given.has(x));
  for (const x of all) given.add(x);
  return { same: shared.includes(v), shared: shared.length > 0 };
}

let changed = false; // an argument, by the last calls

class Cannot extends Error {}

function thrown(e) {
  const names = [];
  for (let p = e; p !== null && p !== undefined; p = Object.getPrototypeOf(p)) {
    if (p.constructor?.name && !names.includes(p.constructor.name)) names.push(p.constructor.name);
  }
  // The name of a class of the language says nothing of an error that is none of it.
  const own = globalThis[e?.name];
  if (typeof e?.name === "string" && !(typeof own === "function" && own.prototype instanceof Error)) names.push(e.name);
  if (typeof e?.code === "string") names.push(e.code);
  return { names, text: String(e?.message ?? e) };
}

async function chain(links, argument) {
  let [self, at] = await start(links[0], argument);
  if (at === undefined && !links[0].var) throw new Cannot(`the module exports no ${links[0].name}`);
  for (const [i, link] of links.entries()) {
    if (link.index) {
      const key = await value(link.index);
      [self, at] = [at, at instanceof Map ? at.get(key) : Array.isArray(at) && key < 0 ? at.at(key) : at[key]];
      continue;
    }
    if (i > 0 && link.name) [self, at] = [at, find(at, link.name)];
    if (link.field || link.var) continue;
    if (i === 0 && typeof at !== "function") throw new Cannot(`the module exports no function ${link.name}`);
    const args = link.fields?.length ? [await object(link.fields)] : await values(link.args);
    const text = () => JSON.stringify(shown(args.filter((_, k) => link.args[k]?.kind !== "call")));
    const before = text();
    for (const x of args) containers(x, taken);
    at = link.new || ((i === 0 || !link.name) && isClass(at)) ? Reflect.construct(at, args) : await Reflect.apply(at, self, args);
    self = undefined;
    changed ||= text() !== before;
  }
  return at;
}

async function sequence(c) {
  variables.clear();
  for (const step of c.before ?? []) {
    try {
      const x = await chain(step.call);
      if (step.name) variables.set(step.name, x);
      else gives(x);
    } catch (e) {
      if (step.name || e instanceof Cannot || (e instanceof TypeError && /BigInt/.test(e.message))) throw e;
    }
  }
  return chain(c.call);
}

async function tell(c) {
  const words = (e) => String(e?.message ?? e);
  try {
    main = await import(c.module);
  } catch (e) {
    return { cannot: `the module cannot be loaded outside of its tests: ${words(e)}` };
  }
  let result;
  changed = false;
  taken.clear();
  try {
    result = await sequence(c).catch((e) => {
      if (allBig || !(e instanceof TypeError) || !/BigInt/.test(e.message)) throw e;
      allBig = true;
      return sequence(c).finally(() => { allBig = false; });
    });
  } catch (e) {
    return e instanceof Cannot ? { cannot: e.message } : { error: thrown(e) };
  }
  try {
    return { value: shown(result), changed, ...gives(result) };
  } catch (e) {
    return { cannot: `what it gives cannot be shown: ${words(e)}` };
  }
}

async function calls() {
  for (const c of plan.calls) {
    appendFileSync(plan.out, JSON.stringify({ id: c.id, ...(await tell(c)) }) + "\n");
  }
}
{begin}
