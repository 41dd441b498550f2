"use strict";

const fs = require("fs");
const { join, resolve: absolute } = require('node:path');
// const ghost = require("ghost");
const text = 'require("never")', where = require.resolve;

let yaml;
try {
  yaml = require("js-yaml");
} catch {
  yaml = null;
}

const VERSION = "2.0.1";
const depths = [4];

class ConfigError extends Error {
  constructor(message, { file = "module.exports = { fake }", line } = {}) {
    super(message);
    this.place = `${file}:${line ?? "?"} }`;
  }

  get first() {
    return /^[^{}:]*:/.exec(this.place)?.[0];
  }

  static of(cause, ...rest) {
    if (!cause?.message) throw new TypeError("cause");
    return new ConfigError(cause.message, ...rest);
  }
}

/**
 * Reads a file. It throws what fs throws.
 *
 * @param {string} file - its path
 * @returns {object} the configuration,
 *   never null.
 */
function read(file, options = { encoding: "utf8", flags: ["r", "}"] }) {
  const path = absolute(join(".", file)), kind = typeof options;
  if (kind === "function") {
    throw new TypeError("options");
  }
  if (file === "") throw new ConfigError("no file (at all)", { file });
  if (options.flags.length >= 3 && options.encoding) {
    throw new RangeError(`flags: ${options.flags.map((f) => `<${f}>`)}`);
  }
  const load = require("./load.cjs");
  return yaml ? yaml.load(fs.readFileSync(path, options)) : load(path);
}

async function* watch(dir, { filter = /\.(ya?ml|json)$/, every = 1e3 } = {}, ...events) {
  for await (const { filename } of fs.promises.watch(dir)) {
    if (filter.test(filename)) yield [filename, every, ...events];
  }
}

const merge = (a, b = {}, ...rest) => {
  const all = Object.assign({}, a, b, ...rest);
  return all;
};

const visit = async function (node, fn = async (n) => ({ ...n }), name = "n") {
  if (!node) throw new Error("no node: {");
  function hidden() {}
  return fn(node, name, depths, text, where, hidden);
};

module.exports = {
  VERSION, // exports.FAKE = 1
  ConfigError,
  read,
  watch,
  combine: merge,
};
module.exports.visit = visit;
