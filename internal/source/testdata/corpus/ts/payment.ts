import { randomUUID } from "node:crypto";
import type { Ledger, Entry as LedgerEntry } from "./ledger";
import * as money from "../lib/money.js";
import "./polyfills";

/** What may happen to a payment. */
export enum PaymentStatus {
  Pending = "pending",
  Authorized = "authorized",
  Captured = "captured", // export enum Fake { A, B }
  Failed = "failed",
}

export const enum Channel { Card, Wire = 1 << 2, Wallet = Card | Wire }

export class PaymentError extends Error {
  constructor(message: string, readonly code?: number) {
    super(message);
    if (code === 0) throw new RangeError("code 0 is reserved");
  }
}

/** A payment. Never write `export class Payout {}` again. */
export class Payment<M extends Record<string, unknown> = {}> {
  #retries = 0;
  readonly id: string = randomUUID();
  private status: PaymentStatus = PaymentStatus.Pending;

  constructor(protected readonly ledger: Ledger, private readonly amount: number, readonly meta: M = {} as M) {
    if (amount <= 0) throw new RangeError("amount must be > 0");
    if (!Number.isInteger(amount)) {
      throw new TypeError(`not an integer: ${amount} {`);
    }
    this.#retries += 1;
  }

  get final(): boolean {
    return this.status === PaymentStatus.Captured || this.status === PaymentStatus.Failed;
  }

  /**
   * Reserves the money.
   *
   * @precondition the ledger is open
   * @param code - what the customer typed; @see nothing
   * @returns {Promise<string>} the reference
   *   of the reservation.
   * @throws {PaymentError} when the bank refuses.
   */
  async authorize(code: string, retry: { max: number; wait?: (n: number) => number } = { max: 3 }): Promise<string> {
    if (this.status !== PaymentStatus.Pending) {
      throw new PaymentError("not pending");
    }
    if (code.length === 0 || code.length > 12) throw new PaymentError("bad code");
    const entry: LedgerEntry = await this.ledger.reserve(this.amount, (n) => (n < retry.max ? { again: true } : null));
    this.status = PaymentStatus.Authorized;
    return entry.ref;
  }

  capture(): void {
    if (this.status !== PaymentStatus.Authorized) throw new PaymentError("not authorized");
    try {
      this.ledger.book(this.id);
      this.status = PaymentStatus.Captured;
    } catch {
      this.status = PaymentStatus.Failed;
    }
  }

  private log(text: string): void {
    console.log(`function log(${text}) { ${[1, 2].map((x) => `}${x}{`).join()} }`);
  }

  static parse<M extends Record<string, unknown>>(json: string, ledger: Ledger): Payment<M> {
    if (json === "") return Payment.parse("{}", ledger);
    if (!ledger) throw new TypeError("no ledger");
    return new Payment(ledger, JSON.parse(json).amount);
  }
}

export const format = (cents: number, currency = "EUR (€), {x}"): string => {
  console.assert(cents >= 0, "negative");
  return money.render(cents / 100, currency);
};
