// A buyer's browser as the server sees it: an address of its own, one connection, the pages with what their HTML names, and the
// requests of supabase-js, as they were recorded from a browser. What was refused for lack of capacity is tried again, as people
// do.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliDecompressSync } from "node:zlib";
import { type Answer, type Client, openClient, post, postForm } from "../bench/http-clients.ts";
import type { Tally } from "./tally.ts";

export interface Launch {
  readonly url: string;
  readonly anonKey: string;
  readonly tally: Tally;
  /** Ends everybody's patience. */
  readonly over: AbortSignal;
}

/** The site's own limit (time-limit.ts). */
const TIME_LIMIT_MS = 15_000;
/** People press "try again" about that long after a refusal. */
const TRY_AGAIN_MS = 5000;

export class Browser {
  readonly #launch: Launch;
  readonly #address: string;
  readonly #cached = new Set<string>();
  #client: Client | undefined;
  token: string | undefined;
  /** Proves that the visits of this tab are its own. */
  readonly tab = randomUUID();

  constructor(launch: Launch, nth: number) {
    this.#launch = launch;
    this.#address = `10.${(nth >> 16) & 255}.${(nth >> 8) & 255}.${nth & 255}`;
  }

  /** Loads a page and what its HTML names, unless it is cached. */
  async page(path: string): Promise<void> {
    const { body } = await this.#get(path, { ...this.#own(), "accept-encoding": "br" });
    for (const asset of assetsOf(path, body)) {
      if (this.#cached.has(asset)) continue;
      this.#cached.add(asset);
      await this.#get(asset, { ...this.#own(), "accept-encoding": "br" });
    }
  }

  picture(path: string): Promise<Answer> {
    return this.#get(path, this.#own());
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- the wire's own words
  async read(path: string): Promise<any> {
    return JSON.parse((await this.#get(path, this.#api())).body);
  }

  async rpc(name: string, body: object = {}, headers: Record<string, string> = {}): Promise<void> {
    const { status, body: said } = await this.call(`/rest/v1/rpc/${name}`, body, headers);
    if (status !== 200 && status !== 204) throw new Error(`${name} was answered with ${status} ${said}`);
  }

  /** `headers` besides those of the API. A refusal for lack of capacity is tried again; any other is returned. */
  call(path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#ask(`POST ${path}`, post(path, { ...this.#api(), ...headers }, body));
  }

  /** To the payment provider, with its publishable key in the form. */
  form(path: string, fields: Readonly<Record<string, string>>): Promise<Answer> {
    const name = `POST ${path.replace(/pi_\w+/, ":id")}`;
    return this.#ask(name, postForm(path, this.#own(), fields));
  }

  close(): void {
    this.#client?.close();
  }

  #own() {
    return { "x-forwarded-for": this.#address, "user-agent": "Mozilla/5.0 (launch)" };
  }

  #api() {
    const { anonKey } = this.#launch;
    return { ...this.#own(), apikey: anonKey, authorization: `Bearer ${this.token ?? anonKey}` };
  }

  async #get(path: string, headers: Record<string, string>): Promise<Answer> {
    const lines = Object.entries({ host: "localhost", ...headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    const name = `GET ${path.split("?")[0]!.replace(/\/[\w-]{30,}/, "/:id")}`;
    const answer = await this.#ask(name, `GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
    if (answer.status !== 200) throw new Error(`${name} was answered with ${answer.status} ${answer.body}`);
    return answer;
  }

  async #ask(name: string, text: string): Promise<Answer> {
    for (;;) {
      this.#launch.over.throwIfAborted();
      const answer = await this.#once(text);
      const { status, body } = answer;
      if (status >= 200 && status < 400) return answer;
      const code = codeOf(body);
      this.#launch.tally.refusal(status, name, code);
      const isCrowded = status === 0 || status === 429 || status >= 500;
      if (!isCrowded || code === "waiting_room") return answer;
      await sleep(TRY_AGAIN_MS * (0.5 + Math.random()), undefined, { signal: this.#launch.over });
    }
  }

  async #once(text: string): Promise<Answer> {
    try {
      return await inTime(async () => {
        this.#client ??= await openClient(this.#launch.url);
        return this.#client.ask(text);
      });
    } catch (error) {
      this.#client?.close();
      this.#client = undefined;
      return { status: 0, body: (error as Error).message, milliseconds: 0 };
    }
  }
}

function inTime<T>(work: () => Promise<T>): Promise<T> {
  return new Promise((settle, fail) => {
    const timer = setTimeout(() => fail(new Error("no answer in time")), TIME_LIMIT_MS);
    work()
      .then(settle, fail)
      .finally(() => clearTimeout(timer));
  });
}

const assets = new Map<string, readonly string[]>();

/** Each page is read once, for all browsers. */
function assetsOf(path: string, answer: string): readonly string[] {
  const known = assets.get(path);
  if (known) return known;
  // A page that has just been rendered again is not compressed yet.
  const html = answer.startsWith("<")
    ? answer
    : brotliDecompressSync(Buffer.from(answer, "latin1")).toString();
  const found = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, asset]) => asset!);
  if (found.length === 0) throw new Error(`${path} names no assets.`);
  assets.set(path, [...new Set(found)]);
  return assetsOf(path, answer);
}

/** Of a function, of the auth service, of the REST service, of the provider. */
function codeOf(body: string): string {
  try {
    const { error, error_code: ofAuth, code } = JSON.parse(body);
    return error?.decline_code ?? error?.code ?? ofAuth ?? code ?? "no code";
  } catch {
    return body.slice(0, 60) || "no answer";
  }
}
