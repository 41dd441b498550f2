// Loads TypeScript with what the project has to translate it.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createRequire } from "node:module";

const need = createRequire({root});
let ts, esbuild;
try {
  ts = need("typescript");
} catch {
  esbuild = need("esbuild");
}

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
  const text = readFileSync(fileURLToPath(url), "utf8");
  const source = ts
    ? ts.transpileModule(text, { fileName: fileURLToPath(url), compilerOptions: { module: 99, target: 9, jsx: 4, esModuleInterop: true, experimentalDecorators: true } }).outputText
    : esbuild.transformSync(text, { loader: url.endsWith("x") ? "tsx" : "ts", format: "esm", target: "es2022" }).code;
  return { format: "module", source, shortCircuit: true };
}
