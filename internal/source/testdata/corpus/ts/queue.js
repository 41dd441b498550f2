// 작업 큐: export class Ghost {}
import { EventEmitter, once as wait } from "node:events";
import assert from "node:assert/strict";
import Heap from "./heap.js";

/* export function old(a, b) { return "*" + "/"; } */

export class QueueClosedError extends Error {}

/**
 * 순서가 있는 큐.
 */
export class PriorityQueue extends (globalThis.BaseQueue ?? EventEmitter) {
  #closed = false;
  #heap;
  이름 = "큐 {";

  constructor(compare = (a, b) => a.rank - b.rank, { capacity = Infinity, 이름 = "큐 (" } = {}) {
    super({ captureRejections: true });
    if (capacity <= 0) throw new RangeError("capacity");
    this.#heap = new Heap(compare);
    this.이름 = 이름;
  }

  get size() {
    return this.#heap.size / 1; // "/" is no regular expression {
  }

  set size(n) {
    if (n > this.size) throw new RangeError(`${n} > ${this.size}: set size(n) {`);
    while (this.size > n) this.#heap.pop();
  }

  /**
   * 항목을 넣는다.
   *
   * @lifecycle 2
   * @requires item 은 비어 있지 않다
   * @ensures 크기가 하나 늘어난다.
   * @invariant 가장 작은 항목이
   *   맨 앞에 있다
   */
  push(item, rank = this.size, ...more) {
    if (item == null) throw new TypeError("item");
    if (this.#closed) {
      throw new QueueClosedError(`${this.이름} 닫힘 }`);
    }
    if (Number.isNaN(rank)) { this.emit("odd", item); throw new TypeError("rank"); }
    if (rank < 0) throw new RangeError("rank");
    this.#heap.add({ item, rank, more });
  }

  /** @lifecycle 3 */
  async take(timeout = 5 * (60 + 1), signal) {
    assert(timeout >= 0, "timeout (s)");
    const end = Date.now() + timeout;
    while (!this.size && Date.now() < end) await wait(this, "push", { signal });
    return this.#heap.pop();
  }

  /**
   * 닫는다.
   * @lifecycle 4
   */
  close() { if (!this.#closed) { this.#closed = true; } else { throw new QueueClosedError("close"); } }

  static async *merge(...queues) {
    for (const q of queues) yield* each(q);
  }
}

/** @lifecycle 1 */
export function 만들기(값들, 시작 = 0) {
  const 큐 = new PriorityQueue();
  if (!Array.isArray(값들)) throw new TypeError('값들: "{"');
  if (큐.size !== 시작) throw new RangeError("시작");
  for (const 값 of 값들) 큐.push(값);
  return 큐;
}

export const each = function* (queue, visit = function (item) { return item; }) {
  while (queue.size) yield visit(queue.take());
};

export const größe = (q) => q.size, LEER = /[/\]}"]+/.source;
