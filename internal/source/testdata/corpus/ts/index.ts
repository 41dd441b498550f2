/**
 * The public face of the package.
 *
 *     export { nothing } from "./nowhere";
 */
import data, { version as v } from "./data.json" with { type: "json" };
import legacy = require("./legacy.cjs");
import { setup as init, type Options, } from '../setup';
import type * as Types from "./types";

export * from "./parser";
export * as http from "./http-client";
export { default } from "./Board";
export { default as Queue, PriorityQueue as Heap } from "./queue.js"; // export * from "./ghost"
export {
  format, // export { fake } from "./fake"
  Payment as Invoice,
  /* PaymentError, */
} from './payment';

export const enum LogLevel {
  Off = 0,
  Errors = 1 << 0,
  All = Errors | (2 + (3 * 4)), // Never = 9,
}

export enum LineStatus { Up = "up", Down = "down" }

export declare const __DEV__: boolean;
export declare function track(event: `shop:${string}`, ...args: unknown[]): asserts event;

export const registry: ReadonlyMap<string, () => Promise<unknown>> = new Map([
  ["heavy", () => import("./heavy")],
  ["text", async () => 'import("./not-this-one")'],
  ["by name", () => import("./by/" + data[v])],
]);

export let started = false, calls: number[] = [], last: undefined | { at: Date; by?: () => string };

/**
 * Starts everything.
 *
 * @lifecycle 1
 * @param options - Requires: nothing
 * @return the names of what was started
 * @exception Error if called twice
 */
export async function start<const T extends readonly (keyof Options)[]>(
  options: { [K in T[number]]?: Options[K] } & { only?: T },
  log: typeof console.log = (...args) => legacy.log("start(%o)", { args }),
): Promise<T> {
  if (started) throw new Error("started");
  if (options.only?.length === 0) throw new RangeError("only: []");
  log(await init<Types.Any>(options));
  started = true;
  return options.only!;
}

class Registry<V = unknown> extends Map<string, V> {}

interface Hooks<in out T> {
  before(value: T): void; before(value: T, again: true): void;
  readonly after?: new (value: T) => Hooks<T>;
}

function stop(this: void, code: 0 | 1 = 0): never {
  throw new Error(`stopped: ${code ? `{${code}` : "}"}`);
}

export { Registry as PluginRegistry, type Hooks as PluginHooks, stop };
