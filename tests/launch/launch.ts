// `npm run launch`: the minute in which a sale opens. 2,000 buyers with accounts come to 5,000 tickets, read pages, sign in, buy and
// look at their tickets, over HTTP on a real `npm start`; mails go to a mail server on this machine. Prints what they waited for and
// what was refused. Fails if anybody saw a 5xx, was not served, or lacks a mail, or if the books do not balance.
import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import { hash } from "bcrypt";
import pg from "pg";
import { commandLine } from "../../scripts/command-line.ts";
import { openSink, type Sink } from "../bench/sale/order-mails.ts";
import { processorTime, since } from "../bench/processor-time.ts";
import { faultsAtProvider } from "../promise/provider-books.ts";
import { faultsInBooks } from "../simulator/books.ts";
import { createRandom } from "../simulator/random.ts";
import { removeFolder, startFestival, temporaryFolder } from "../support/server/festival.ts";
import { Browser, type Launch } from "./browser.ts";
import { type Account, goShopping, type Outcome, PASSWORD, signIn } from "./buyer.ts";
import { createTally } from "./tally.ts";
import { watch } from "./watch.ts";

const { values } = commandLine(
  `npm run launch [-- --buyers N --within SECONDS --limit N --signed-in --seed N]
  --within     everybody has come after that many seconds; 10 by default
  --signed-in  everybody has signed in before
  --limit      the payment provider takes that many calls of each operation a second; Stripe's default is 25`,
  {
    options: {
      buyers: { type: "string", default: "2000" },
      within: { type: "string", default: "10" },
      limit: { type: "string" },
      "signed-in": { type: "boolean", default: false },
      seed: { type: "string", default: "1" },
    },
  },
);
const [buyers, within, seed] = [Number(values.buyers), Number(values.within), Number(values.seed)];
const STOCK = { "General Admission": 4000, VIP: 500, "Youth (10 to 17)": 500 };
/** Then everybody leaves, and the rest is found unserved. */
const PATIENCE_MS = 15 * 60_000;

const limit = values.limit && {
  NODE_OPTIONS: `--import=${join(import.meta.dirname, "limited-provider.ts")}`,
  PROVIDER_LIMIT: values.limit,
};
const WAITING_MAILS = "select count(*)::integer as mails from public.outbox where done_at is null";
const say = (line: string) => process.stdout.write(`${line}\n`);
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

const dataDir = temporaryFolder();
const sink = await openSink();
const festival = await startFestival({
  dataDir,
  // Each buyer has an address, as if a proxy passed it on: every limit stays as it is.
  env: {
    TRUSTED_PROXIES: "127.0.0.1,::1",
    PAYMENTS_SANDBOX: "true",
    SMTP_URL: sink.url,
    MAIL_FROM: "tickets@festival.example",
    ...limit,
  },
});
const sql = new pg.Pool({ connectionString: festival.status.DB_URL!, max: 2 });
const rows = async (text: string) => (await sql.query(text)).rows;
try {
  const accounts = await prepare();
  const tally = createTally();
  // Ctrl-C leaves nothing behind.
  const stopped = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stopped.abort());
  const over = AbortSignal.any([AbortSignal.timeout(PATIENCE_MS), stopped.signal]);
  const launch: Launch = { url: festival.url, anonKey: festival.status.ANON_KEY!, tally, over };
  const browsers = accounts.map((_, nth) => new Browser(launch, nth));
  if (values["signed-in"]) {
    for (const [nth, browser] of browsers.entries()) await signIn(browser, accounts[nth]!);
  }
  const before = processorTime(festival);
  const own = process.cpuUsage();
  const watching = watch(sql);
  const started = performance.now();
  const random = createRandom(seed);
  const results = await Promise.allSettled(
    accounts.map(async (account, nth) => {
      const own = createRandom(seed * 1_000_003 + nth);
      await sleep(random.below(within * 1000));
      return goShopping({ launch, browser: browsers[nth]!, account, random: own });
    }),
  );
  const served = performance.now() - started;
  for (const browser of browsers) browser.close();
  const waiting = (await rows(WAITING_MAILS))[0].mails;
  await untilMailed(over);
  const mailed = performance.now() - started - served;
  const seen = await watching.end();
  const spent = since(before, processorTime(festival));

  const outcomes = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const unserved = results.flatMap((result) => (result.status === "rejected" ? [String(result.reason)] : []));
  const bought = outcomes.filter((outcome) => "bought" in outcome);
  const left = (why: string) =>
    outcomes.filter((outcome) => "left" in outcome && outcome.left === why).length;
  const tickets = bought.reduce((sum, order) => sum + order.tickets, 0);
  const faults = [...unserved, ...(await lostMails(sink, bought)), ...(await faultsInTheEnd(over))];
  const refusals = tally.refusals();

  say(
    `${buyers} buyers within ${within} s, seed ${seed}${values.limit ? `, provider limited to ${values.limit} a second` : ""}`,
  );
  say(
    `all served after ${seconds(served)}: ${bought.length} orders of ${tickets} tickets; ${left("sold out")} came too late, ${left("no card was accepted")} had no card`,
  );
  say(
    `every ticket held after ${seen.allHeld?.toFixed(1) ?? "never"} s, sold after ${seen.allSold?.toFixed(1) ?? "never"} s`,
  );
  say(`\nstep, with second tries                         p50      p99  longest`);
  for (const line of tally.steps()) say(line);
  say(`\nrefused${refusals.length === 0 ? ": nothing" : ""}`);
  for (const { kind, times } of refusals) say(`${String(times).padStart(6)}  ${kind}`);
  say(`\nwaiting room: open for ${seen.roomOpenSeconds.toFixed(1)} s, at most ${seen.longestLine} in line`);
  say(
    `mails: at most ${seen.mostMailsWaiting} waited; ${waiting} when everybody was served, out ${seconds(mailed)} later`,
  );
  say(
    `processor time: server ${seconds(spent.server)}, PostgreSQL ${seconds(spent.postgres)}, the buyers ${seconds((process.cpuUsage(own).user + process.cpuUsage(own).system) / 1000)}`,
  );
  const broken = refusals.filter(({ status }) => status === 0 || status >= 500);
  for (const { kind, times } of broken) faults.push(`${times} answers of ${kind}`);
  for (const fault of new Set(faults)) say(`FAULT: ${fault}`);
  say(faults.length === 0 ? "\nNobody was lost, no mail is missing, and the books balance." : "");
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await sql.end();
  await festival.stop();
  sink.close();
  removeFolder(dataDir);
}

/** Stock, and accounts whose passwords cost as usual, or next to nothing if they sign in before. */
async function prepare(): Promise<Account[]> {
  for (const [name, stock] of Object.entries(STOCK)) {
    const { rowCount } = await sql.query(
      "update public.ticket_types set total_inventory = $1, current_inventory = $1 where name = $2",
      [stock, name],
    );
    if (rowCount !== 1) throw new Error(`There is no ${name}.`);
  }
  const { rows: accounts } = await sql.query<Account>(
    `insert into auth.users (id, instance_id, aud, role, email, encrypted_password, email_confirmed_at, created_at, updated_at)
     select id, '00000000-0000-0000-0000-000000000000', 'authenticated', 'authenticated', id || '@example.com', $2, now(), now(), now()
     from (select gen_random_uuid() as id from generate_series(1, $1::integer)) as ids returning id, email`,
    [buyers, await hash(PASSWORD, values["signed-in"] ? 4 : 10)],
  );
  return accounts;
}

async function untilMailed(over: AbortSignal): Promise<void> {
  while ((await rows(WAITING_MAILS))[0].mails > 0) await sleep(100, undefined, { signal: over });
}

/** One mail to each buyer, with a picture of each code. */
async function lostMails(
  sink: Sink,
  bought: readonly Extract<Outcome, { bought: string }>[],
): Promise<string[]> {
  const arrived = new Map((await sink.arrived()).map(({ to, codes }) => [to, codes]));
  const { rows: emails } = await sql.query<{ id: string; email: string }>(
    "select id, buyer_email as email from public.orders where status = 'confirmed'",
  );
  const codes = new Map(bought.map((order) => [order.bought, order.codes]));
  const lost = emails.filter(({ id, email }) => arrived.get(email) !== codes.get(id)).length;
  return lost === 0 ? [] : [`${lost} mails are lost or lack codes`];
}

/** Once the provider has delivered its events. */
async function faultsInTheEnd(over: AbortSignal): Promise<string[]> {
  const events =
    "select count(*)::integer as left from payments_sandbox.deliveries where next_attempt_at is not null";
  while ((await rows(events))[0].left > 0) await sleep(100, undefined, { signal: over });
  return [...(await faultsInBooks(rows, true)), ...(await faultsAtProvider(rows))];
}
