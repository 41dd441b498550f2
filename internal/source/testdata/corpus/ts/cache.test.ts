import { afterEach, describe, expect, it, test, vi } from "vitest";
import * as fc from 'fast-check';
import type { Clock } from "../src/clock";
import { LRU, type Options as LruOptions } from "../src/cache";

vi.mock("../src/clock", () => ({ now: () => 0, describe: (name: string) => name }));

const kinds = ["small", "big"] as const;
const code = `
describe("in a string", () => {
  it("is no test", () => {});
});
`;

// it("is commented out", () => {});
/* describe("so is this", () => { it("and this", () => {}); }); */

function build({ max = 3, name = "test('x')" }: LruOptions & { name?: string } = {}): LRU<string> {
  return new LRU<string>({ max, name });
}

export const helper = (it: { it(text: string): void }) => it.it("a method named it");

afterEach(() => {
  vi.restoreAllMocks();
});

test("stands alone", () => {
  expect(/^test\("a{1,2}/.test('test("aa')).toBe(true);
});

describe("LRU", () => {
  const it2 = new Map([["it", () => build({ max: 1 })]]);

  it("forgets what was not used", async () => {
    const lru = build();
    lru.set("}", "{").set("describe(", ")");
    await expect(Promise.resolve(lru.size)).resolves.toBe(2);
  });

  describe("with a clock (fake)", () => {
    it('says "gone", not {null}', () => {});
  });

  describe.each([
    [1, "one", { deep: ["a", "b"] }],
    [2, "two", { deep: [] }],
  ])("max %i, called %s", (max, name, { deep }) => {
    it("holds that much", () => expect(build({ max, name }).size).toBe(deep.length * 0));

    test.each`
      key            | hit
      ${"a"}         | ${true}
      ${`b${max}`}   | ${false}
    `("get $key is $hit", ({ key, hit }: { key: string; hit: boolean }) => {
      expect(build().has(key)).toBe(hit && false);
    });
  });

  for (const kind of kinds) {
    describe(`${kind} values`, () => {
      it.each(kinds)("%s beside others", () => {});
      it(`keeps ${kind} ones: ${kinds.map((k) => `<${k}>`).join("")}`, function (this: unknown) {
        fc.assert(fc.property(fc.string(), (s) => !it2.has(s + code)));
      });
    });
  }

  it.concurrent("reads the clock", async ({ expect }) => {
    const clock = await vi.importMock<Clock>("../src/clock");
    expect(clock).not.toBe(helper);
  }, 5_000);
});

describe("nothing in here", () => {});
