// P10: sign-ins with a password compared with raw bcrypt in as many threads, and how a rush of them affects other
// visitors.
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import bcrypt from "bcrypt";
import { defaultPolicy } from "../../../server/src/auth/policy.ts";
import { compared, type Figure, type Settings } from "../figures.ts";
import { type Answer, openClient, openHttpClients, post } from "../http-clients.ts";
import { measureInTurn, WrongAnswer } from "../pairs.ts";
import { openMeasuredShop, type MeasuredShop } from "../shop.ts";

const CLIENTS = 8;
const ACCOUNTS = 200;
const PASSWORD = "swangas and vogues";
/** The same number as the server has: one core is left for everything else. */
const THREADS = Math.max(1, availableParallelism() - 1);
/** Between two reads of the visitor whose wait is measured. */
const PACE_MS = 10;

export interface BareWork {
  readonly password: string;
  readonly hash: string;
  readonly seconds: number;
}

export async function measureSignIns({ pairs, seconds }: Settings): Promise<readonly Figure[]> {
  const shop = await openMeasuredShop();
  try {
    const hash = await bcrypt.hash(PASSWORD, defaultPolicy.passwordCost);
    const accounts = await shop.newBuyers(ACCOUNTS);
    await shop.sql.query("update auth.users set encrypted_password = $1 where id = any ($2::uuid[])", [
      hash,
      accounts.map(({ id }) => id),
    ]);
    const emails = accounts.map(({ email }) => email);
    const rate = await measureInTurn(
      () => signIn(shop, emails, seconds),
      () => compareOnly({ password: PASSWORD, hash, seconds }),
      pairs,
    );
    const wait = await measureInTurn(
      async () => {
        const rush = signIn(shop, emails, seconds);
        const [longest] = await Promise.all([waitOfVisitor(shop, seconds), rush]);
        return longest;
      },
      () => waitOfVisitor(shop, seconds),
      pairs,
    );
    const threads = `raw bcrypt, ${THREADS} ${THREADS === 1 ? "thread" : "threads"}`;
    return [
      compared(`sign-ins, ${CLIENTS} clients`, "/s", threads, rate, { atLeast: 0.95 }),
      compared("a visitor's read meanwhile, p99", "ms", "with no sign-ins", wait, { atMost: 2 }),
    ];
  } finally {
    await shop.close();
  }
}

/** Sign-ins a second. */
async function signIn(shop: MeasuredShop, emails: readonly string[], seconds: number): Promise<number> {
  const http = await openHttpClients(shop.festival.url, CLIENTS);
  const headers = { apikey: shop.festival.status.ANON_KEY! };
  let next = 0;
  let done = 0;
  const taken = await http.run(
    seconds,
    () => {
      const email = emails[next++ % emails.length]!;
      const body = { email, password: PASSWORD };
      return { text: post("/auth/v1/token?grant_type=password", headers, body), email };
    },
    ({ status, body }, { email }) => {
      const signedIn = status === 200 ? (JSON.parse(body) as { user: { email: string } }) : undefined;
      if (signedIn?.user.email !== email) throw new WrongAnswer(`A sign-in came to ${status}: ${body}`);
      done += 1;
    },
  );
  http.close();
  return done / taken;
}

/** Comparisons a second in threads of this process, while the server is idle. */
async function compareOnly(work: BareWork): Promise<number> {
  const counts = await Promise.all(
    Array.from({ length: THREADS }, async () => {
      const worker = new Worker(new URL("./bare-bcrypt.ts", import.meta.url), { workerData: work });
      const [count] = (await once(worker, "message")) as [number];
      return count;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0) / work.seconds;
}

/** The 99th percentile, in milliseconds, of reads of the ticket list that come at an even pace. */
async function waitOfVisitor(shop: MeasuredShop, seconds: number): Promise<number> {
  const client = await openClient(shop.festival.url);
  const text = `GET /rest/v1/ticket_types?select=name&order=name HTTP/1.1\r\nhost: localhost\r\napikey: ${shop.festival.status.ANON_KEY!}\r\n\r\n`;
  const waits: number[] = [];
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    const answer: Answer = await client.ask(text);
    if (answer.status !== 200 || !answer.body.includes(shop.ticketType.name)) {
      throw new WrongAnswer(`The ticket list came to ${answer.status}: ${answer.body}`);
    }
    waits.push(answer.milliseconds);
    await sleep(PACE_MS);
  }
  client.close();
  return waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.99)]!;
}
