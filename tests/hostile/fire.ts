// A whole server under hostile requests (R7): how many there were, its answers, what was wrong with them, and how long an
// honest visitor waited meanwhile.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { type Festival, removeFolder, startFestival, temporaryFolder } from "../support/server/festival.ts";
import { hostileSocket } from "./frames.ts";
import { startHonest, type WaitsByPurpose } from "./honest.ts";
import { RawClient } from "./raw-client.ts";
import { hostileRequest } from "./requests.ts";
import { account, newTokens, plantCanary, readWorld, type World } from "./world.ts";

export interface Options {
  readonly requests: number;
  readonly seed: number;
  /** Number of the first request, to repeat one that failed. */
  readonly from?: number;
  readonly clients?: number;
  readonly say?: (line: string) => void;
  /** An empty one by default. */
  readonly dataDir?: string;
}

export interface Fired {
  readonly faults: readonly string[];
  /** How often each status was returned. */
  readonly answers: Readonly<Record<string, number>>;
  readonly perSecond: number;
  /** What an honest visitor waited, before the first request and during them. */
  readonly honest: Readonly<Record<"before" | "meanwhile", WaitsByPurpose>>;
  readonly megabytes: { readonly before: number; readonly after: number };
}

/** The limit for an unanswered request: the server ends every statement before this. */
const SILENT_MS = 20_000;
/** The limit where no answer is required. */
const BROKEN_MS = 100;
/** Requests sent with them may sign the tokens out or delete their accounts. */
const TOKENS_FOR = 20_000;
const QUIET_MS = 3_000;
const SOCKETS_EVERY = 200;
const MOST_FAULTS = 50;

/** Refused for lack of capacity, as documented (docs/OPERATING.md). */
const DOCUMENTED: ReadonlySet<unknown> = new Set([503, 504]);

export async function startTarget(
  dataDir = temporaryFolder(),
): Promise<{ festival: Festival; database: Client; end(): Promise<void> }> {
  const festival = await startFestival({
    dataDir,
    env: { TRUSTED_PROXIES: "127.0.0.1", MAILBOX: "true", PAYMENTS_SANDBOX: "true" },
  });
  const database = new Client({ connectionString: festival.status.DB_URL });
  await database.connect();
  return {
    festival,
    database,
    async end() {
      await database.end();
      await festival.stop();
      removeFolder(dataDir);
    },
  };
}

export async function fire({
  requests,
  seed,
  from = 0,
  clients = 64,
  say = () => {},
  dataDir,
}: Options): Promise<Fired> {
  const { festival, database, end } = await startTarget(dataDir);
  try {
    const world = await readWorld(festival, database);
    const missing = await plantCanary(database);
    const honest = await startHonest({ status: festival.status, ...(await account(festival)) });
    await sleep(QUIET_MS);
    const quiet = await honest.waits();
    const before = residentMegabytes(festival.pid);
    const started = performance.now();
    const { answers, faults } = await send({ requests, seed, from, clients, say }, festival, database, world);
    const seconds = (performance.now() - started) / 1000;
    const waits = await honest.waits();
    await honest.leave();
    const after = residentMegabytes(festival.pid);
    const unhealthy = (await isHealthy(festival)) ? [] : ["the server is not healthy"];
    return {
      faults: [...faults, ...unhealthy, ...(await missing()), ...loggedErrors(festival.output())],
      answers,
      perSecond: Math.round(requests / seconds),
      honest: { before: quiet, meanwhile: waits },
      megabytes: { before, after },
    };
  } finally {
    await end();
  }
}

async function send(
  { requests, seed, from, clients, say }: Required<Omit<Options, "dataDir">>,
  festival: Festival,
  database: Client,
  world: World,
): Promise<{ answers: Record<string, number>; faults: string[] }> {
  const port = Number(new URL(festival.url).port);
  const answers: Record<string, number> = {};
  const faults: string[] = [];
  let next = from;
  let renewing: Promise<void> | undefined;
  const renew = async () => {
    world.tokens = await newTokens(festival, database);
    renewing = undefined;
  };
  const work = async () => {
    const client = new RawClient(port);
    while (next < from + requests && faults.length < MOST_FAULTS) {
      const number = next++;
      if ((number - from) % TOKENS_FOR === TOKENS_FOR - 1) renewing ??= renew();
      await renewing;
      if (number % SOCKETS_EVERY === 0) await hostileSocket(seed, number, world, port);
      const request = hostileRequest(seed, number, world);
      const { outcome, text } = await client.ask(request, request.answers ? SILENT_MS : BROKEN_MS);
      // The server may read what follows on the same connection as the rest of this request.
      if (!request.answers) client.close();
      answers[outcome] = (answers[outcome] ?? 0) + 1;
      const isFault =
        typeof outcome === "number"
          ? (outcome >= 500 && !DOCUMENTED.has(outcome)) || isUntyped(text)
          : outcome === "silent" && request.answers;
      if (isFault) {
        faults.push(`--seed ${seed} --from ${number}: ${outcome} ${request.line}\n  ${text.slice(-300)}`);
        say(faults.at(-1)!);
      }
      if ((number + 1) % 50_000 === 0) say(`${number + 1} ${JSON.stringify(answers)}`);
    }
    client.close();
  };
  await Promise.all(Array.from({ length: clients }, work));
  return { answers, faults };
}

/** Whether an answer has a body without a content type, or text without a charset (ASVS 4.1.1). */
export function isUntyped(text: string): boolean {
  const [head = "", body = ""] = text.replace(/^HTTP\/1.1 100 Continue\r\n\r\n/, "").split("\r\n\r\n", 2);
  const field = (name: string) => new RegExp(`\r\n${name}: *([^\r]*)`, "i").exec(head)?.[1];
  const isEmpty = body === "" || (body === "0" && field("transfer-encoding") === "chunked");
  // The type of a stored object was chosen by its uploader.
  if (isEmpty || field("etag") !== undefined) return false;
  const type = field("content-type");
  return type === undefined || (/^text\/|\+xml|\/xml/.test(type) && !/charset=utf-8/i.test(type));
}

/** Lines of the server's log that no request may cause. */
export const loggedErrors = (output: string): string[] =>
  output
    .split("\n")
    .filter((line) => /"level":(50|60)|Unhandled rejection|stopped unexpectedly/.test(line))
    .map((line) => `log: ${line.replaceAll(/"(?:time|requestId)":("[^"]*"|\d+),?/g, "").slice(0, 600)}`);

export const isHealthy = ({ url }: Festival): Promise<boolean> =>
  fetch(`${url}/health`).then(
    ({ status }) => status === 200,
    () => false,
  );

/** 0 once the process has ended. */
export function residentMegabytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024);
  } catch {
    return 0;
  }
}
