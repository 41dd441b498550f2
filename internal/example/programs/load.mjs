// Loads TypeScript with what the project, or else Node, has to translate it.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as node from "node:module";

const root = {root};

async function from(near, name) {
  const need = node.createRequire(near);
  try {
    return need(name);
  } catch {
    return import(pathToFileURL(need.resolve(name)).href).catch(() => undefined);
  }
}

// Where a package is looked for: in the project, and next to the packages of it that bring one.
async function found(name) {
  const need = node.createRequire(root);
  for (const near of ["", "vite", "vitest", "tsx", "tsup"]) {
    try {
      const at = near ? need.resolve(near + "/package.json") : root;
      const m = await from(at, name);
      if (m) return m;
    } catch {} // it is not there
  }
}

const options = { module: 99, target: 9, jsx: 4, esModuleInterop: true, experimentalDecorators: true };

// Each way gives a function of the name and text of a file, or nothing where the project has it not.
const ways = [
  async () => {
    for (const name of ["typescript", "@typescript/typescript6"]) { // TypeScript 7 cannot translate one file
      const ts = await found(name);
      const can = ts?.transpileModule ?? ts?.default?.transpileModule;
      if (can) return (fileName, text) => can(text, { fileName, compilerOptions: options }).outputText;
    }
  },
  async () => {
    const esbuild = await found("esbuild");
    return esbuild?.transformSync && ((file, text) => esbuild.transformSync(text, { loader: file.endsWith("x") ? "tsx" : "ts", format: "esm", target: "es2022" }).code);
  },
  async () => {
    for (const name of ["rolldown/utils", "rolldown/experimental"]) {
      const rolldown = await found(name);
      if (rolldown?.transformSync) return (file, text) => oxc(rolldown.transformSync(file, text, { lang: file.endsWith("x") ? "tsx" : "ts", sourceType: "module" }));
    }
  },
  async () => node.stripTypeScriptTypes && ((_, text) => stripped(text)),
];

function stripped(text) {
  try {
    return node.stripTypeScriptTypes(text, { mode: "transform" });
  } catch {
    return node.stripTypeScriptTypes(text); // a Node.js that only strips
  }
}

function oxc(out) {
  if (out.errors?.length) throw new SyntaxError(out.errors[0].message);
  return out.code;
}

let translate;
for (const way of ways) translate ||= await way();

export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context);
  } catch (e) {
    if (!/^(\.|file:)/.test(specifier)) throw e;
    const path = fileURLToPath(new URL(specifier, context.parentURL));
    const stem = path.replace(/\.([cm]?)js(x?)$/, "");
    for (const name of [path + ".ts", path + ".tsx", stem + ".ts", stem + ".tsx", stem + ".mts", stem + ".cts", path + "/index.ts", path + ".js", path + "/index.js"]) {
      if (existsSync(name)) return { url: pathToFileURL(name).href, shortCircuit: true };
    }
    throw e;
  }
}

export async function load(url, context, next) {
  if (!/\.[cm]?tsx?$/.test(url)) return next(url, context);
  if (!translate) {
    throw new Error("nothing here translates TypeScript to JavaScript: install esbuild, or run a Node.js that does (22.13 or newer)");
  }
  const file = fileURLToPath(url);
  return { format: "module", source: translate(file, readFileSync(file, "utf8")), shortCircuit: true };
}
