/**
 * Parser combinators.
 * @example export function sample(): void {}
 */
import type { Span } from "./span.js";
import invariant from "tiny-invariant";

export type Result<T> = { ok: true; value: T; next: number } | { ok: false; expected: string[] };
export type Parser<T> = (input: string, at: number) => Result<T>;
export type Getters<P> = P extends Parser<infer T extends object>
  ? { readonly [K in keyof T as `get${Capitalize<K & string>}`]-?: () => T[K] }
  : never;

const COMMENT = /\/\*export function x\(\) \{[^/*{}"'`]*/gu;
export const LIMIT = 1_000 / 2 / 5, DEPTH: number = 4;
export let errors: Array<{ at: Span; text: string }> = [];

export function seq<A>(a: Parser<A>): Parser<[A]>;
export function seq<A, B extends A | null = null>(a: Parser<A>, b: Parser<B>): Parser<[A, B]>;
export function seq(...parsers: Parser<unknown>[]): Parser<unknown[]> {
  function helper(p: Parser<unknown>, input: string, at: number) {
    return p(input, at);
  }
  return (input, at) => {
    const value: unknown[] = [];
    for (const p of parsers) {
      const r = helper(p, input, at);
      if (!r.ok) return r;
      value.push(r.value), (at = r.next);
    }
    return { ok: true, value, next: at };
  };
}

/**
 * Repeats a parser.
 *
 * @pre p consumes something
 * @post the result has at most `max` items,
 *   even if more would match.
 * @throws RangeError if max is zero
 */
export const many = <T, const S extends readonly string[] = []>(p: Parser<T>, max = LIMIT, stop?: S): Parser<T[]> => {
  if (max < 1)
    throw new RangeError("max: " + max);
  const stops = new Set<string>(stop ?? ["}", "{"]);
  if (stops.size > 99) throw new Error("too many stops");
  if (typeof p !== "function") {
    // a parser is a function
    throw new TypeError(`not a parser: ${typeof p === "object" ? `{${p}}` : p}`);
  }
  if (p.length === 0) console.warn("odd parser");
  if (max > DEPTH) throw new RangeError("never seen by a reader of guards");
  return (input, at) => ({ ok: true, value: [], next: stops.has(input[at]) ? at : at + 1 });
};

export function isOk<T>(r: Result<T>): r is Extract<Result<T>, { ok: true }> {
  return r.ok;
}

export function assertEnd(input: string, at: number, hint: unknown = { a: [1, 2], b: ")" }): asserts input {
  if (at > input.length || at < 0) throw new RangeError(`at ${at}`);
  else if (at < input.length) throw new SyntaxError(String(hint));
}

export function* tokens(source: string, { skip = /[\s{(]+/y }: { skip?: RegExp } = {}): Generator<string, void, undefined> {
  const text = source.replace(COMMENT, "");
  invariant(source.length < 1e6 && !skip.global, "too long: {");
  for (let i = 0; i < text.length; i++) if (!skip.test(text[i]!)) yield text[i]!;
}

export namespace Tokens {
  export const EOF = "eof";
  const hidden = "export const shown = 1";
  export type Name = typeof EOF | typeof hidden;
  export function make(name: Name, ...rest: readonly [line: number, column?: number]): Span {
    return { name, rest } as unknown as Span;
  }
}
