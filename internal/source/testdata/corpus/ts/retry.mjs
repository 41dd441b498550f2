#!/usr/bin/env node
import process, { argv, env as environment } from "node:process";
import * as timers from "node:timers/promises";
import config from "./config.json" with { type: "json" };
import "./setup.mjs";

const colors = config.color ? await import("chalk") : undefined; // import("ghost")
const plugin = await import(`./plugins/${environment.PLUGIN}.mjs`);
const source = `export const inner = ${JSON.stringify({ a: `}${argv[2]}{` })}; import "nothing";`;

export const DELAYS = Object.freeze([1, 2, { max: 4 }]), JITTER = 0.5;
export var attempts = 0;

/** @typedef {{ max?: number, signal?: AbortSignal }} RetryOptions */

/**
 * Calls work until it does not fail.
 *
 * @template T
 * @param {(attempt: number) => Promise<T>} work
 * @param {RetryOptions} [options]
 * @return {Promise<T>} what work returned
 * @throws {RangeError} if max is
 *   not positive
 * @throws {AbortError} after an abort.
 */
export async function retry(work, { max = 3, delay = (n) => 2 ** n, signal } = {}) {
  if (work.length > 1) {
    throw new TypeError("work takes one parameter");
  }
  for (let n = 1; ; n++) {
    if (signal?.aborted) throw new DOMException("aborted", "AbortError");
    try {
      return await work((attempts = n));
    } catch (error) {
      if (n >= max) throw error;
      await timers.setTimeout(delay(n) / 1 / JITTER, undefined, { signal });
    }
  }
}

export default async (url, init = { headers: [["accept", "*/*"]] }) => {
  const response = await retry(() => fetch(url, init));
  return response.status / 100 === 2 ? response.json() : colors?.red(source) ?? plugin;
};

function backoff(n, ...[factor = 2, max = DELAYS.at(-1)]) {
  const fake = "function fake() {}";
  return Math.min(n ** factor, max, fake.length);
}

/**
 * A promise with a handle.
 */
class Deferred {
  #settle = () => {};
  promise = new Promise((resolve) => {
    this.#settle = resolve;
  });
  static from = (value, { deep = true } = {}) => new Deferred().resolve(deep ? structuredClone(value) : value);

  static {
    process.once("exit", () => Deferred.last?.resolve());
  }

  /** Postcondition: the promise is settled */
  resolve(value) {
    if (arguments[0] === this) return this;
    this.#settle(value);
    return this;
  }

  async *drain(step, get = () => 1, set = 2) {
    yield* [await this.promise, step, get, set];
  }

  #hide() {}
}

export { backoff as wait, Deferred };
