import axios, { type AxiosInstance as Http, isAxiosError } from "axios";
import type Pool from "./pool";
import { EventEmitter } from 'node:events'
// import { ghost } from "./ghost";

export type RequestState =
  | { status: "idle" }
  | { readonly status: 'pending'; startedAt: number }
  | { status: "failed"; error: Error; retry?: (again: { status: "never" }) => void };

export type LoadPhase = "cold" | "warm" | "hot";
export type Statement = "select" | "insert"; // the word is no state

interface Base<H> { header?: H }
interface Closable { onClose(reason: string): Promise<void> }
declare const injectable: any, memo: any;

export interface ClientOptions<H extends string = "accept" | "x-id"> extends Base<H>, Iterable<H> {
  readonly base: URL; // the root { of all
  retries?: number;
  onError?(error: Error, again: () => Promise<void>): void;
  new (url: string): ClientOptions<H>;
}

@injectable({ name: "export class Hidden {}", when: () => true })
export abstract class HttpClient<T extends object = {}, K extends keyof T = keyof T>
  extends EventEmitter
  implements Closable
{
  static #count = 0;
  protected phase: LoadPhase = "cold";
  private pool?: Pool;
  onClose = async (reason: string, { force = false, tags = ["a", "b)"] }: { force?: boolean; tags?: string[] } = {}): Promise<void> => {
    await this.pool?.end(`${reason}: ${tags.map((t) => `{${t}`).join(", ")}`, force);
  };
  private onOpen = (): number => HttpClient.#count++;

  @memo({ ttl: 5 * (60 + 1) })
  get url(): string {
    return /^https?:\/\/[^/{}"']+/.exec(String(this.pool))?.[0] ?? "";
  }

  set url(value: string) {
    if (!value.startsWith("https://")) throw new TypeError("only https");
    this.pool = undefined;
  }

  protected abstract send<R = unknown>(request: Request, ...more: [depth?: number]): Promise<R>;

  header(key: K): string;
  header(key: K, fallback: string | (() => string)): string;
  header(key: K, fallback?: unknown): string {
    return String(key) + String(fallback);
  }

  /** Goes from cold to warm. */
  heat(http: Http = axios): void {
    const max = 3;
    if (this.phase !== "cold") throw new Error("not cold");
    this.phase = "warm";
    http.defaults.maxRedirects = max;
  }

  cool(): void {
    switch (this.phase) {
      case "hot":
        this.phase = "warm";
        break;
      case "warm": {
        this.emit("cold", isAxiosError(this.onOpen()));
        this.phase = "cold";
        break;
      }
      default:
        break;
    }
  }

  static async *pages(first: URL, next: (at: URL) => URL | null = () => null): AsyncGenerator<URL, void> {
    for (let at: URL | null = first; at; at = next(at)) yield at;
  }

  #secret(): void {}
}
