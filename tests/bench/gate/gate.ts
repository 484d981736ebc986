// P13: the gate's server. An online scan and 10,000 scans made offline, handed in as a device does, in the request's envelope on one
// connection; a device's look-ups; and what twenty devices admit over HTTP while tickets are sold.
import { randomUUID } from "node:crypto";
import { readGateFound, readGateRecent, readGateScanAnswers } from "contract/gate";
import { seedLarge } from "../../../scripts/seed/large.ts";
import { type Database, openDatabase } from "../../../server/src/postgres/database.ts";
import { type Figure, number, type Settings } from "../figures.ts";
import { openClient, post } from "../http-clients.ts";
import { spread, WrongAnswer } from "../pairs.ts";
import { openReservations } from "../sale/reservations.ts";
import { type Buyer, openMeasuredShop, type MeasuredShop } from "../shop.ts";

const TICKETS = 250_000;
/** Scans in a slice: enough for a 99th percentile, and few enough that a brief hiccup affects only one pair. */
const ONLINE = 1000;
/** Calls of each look-up. */
const LOOKS = 200;
const OFFLINE = 10_000;
/** Scans per call, as in the app. */
const A_CALL = 500;
const DEVICES = 20;
const SALE_CLIENTS = 8;

interface Phone {
  readonly buyer: Buyer;
  readonly device: string;
}

interface Gate {
  readonly shop: MeasuredShop;
  readonly database: Database;
  readonly phones: readonly Phone[];
  /** Tickets that nobody has scanned. */
  take(count: number): string[];
  admitted(): Promise<number>;
}

const scanOf = (ticket: string, decided: "admitted" | null) => ({
  id: randomUUID(),
  code_id: ticket,
  issue_number: 1,
  action: "in",
  at: Date.now(),
  decided,
  by: "camera",
});

export async function measureGate(settings: Settings): Promise<readonly Figure[]> {
  const shop = await openMeasuredShop();
  const database = openDatabase(shop.festival.status.DB_URL!, {
    sizes: { requests: 1, service: 2, reserved: 1 },
  });
  try {
    await seedLarge(database, { tickets: TICKETS, visits: 1, scans: 0 });
    const gate = await openGate(shop, database);
    return [
      await scansOnline(gate, settings),
      await scansHandedIn(gate, settings),
      ...(await looksUp(gate)),
      await admissions(gate, settings),
    ];
  } finally {
    await database.close();
    await shop.close();
  }
}

async function openGate(shop: MeasuredShop, database: Database): Promise<Gate> {
  const { rows } = await shop.sql.query<{ id: string }>(
    "insert into public.gate_entrances (name, admits) values ('Every ticket', 'both') returning id",
  );
  const buyers = await shop.newBuyers(DEVICES);
  await shop.sql.query(
    "insert into public.user_roles (user_id, role) select id, 'gate' from unnest($1::uuid[]) as id",
    [buyers.map(({ id }) => id)],
  );
  const phones = buyers.map((buyer) => ({ buyer, device: randomUUID() }));
  for (const { buyer, device } of phones) {
    await database.run(scopeOf(buyer), {
      name: "gate_open",
      text: "select public.gate_open($1, $2, $3)",
      values: [device, `Phone ${device}`, rows[0]!.id],
    });
  }
  const tickets = await shop.sql.query<{ id: string }>(
    "select id from public.tickets where attendee_name = 'Seeded Attendee' order by random()",
  );
  const left = tickets.rows.map(({ id }) => id);
  return {
    shop,
    database,
    phones,
    take(count) {
      if (left.length < count)
        throw new Error("The seeded tickets are used up: take fewer pairs or shorter slices.");
      return left.splice(-count);
    },
    async admitted() {
      const counted = await shop.sql.query<{ count: number }>(
        "select count(*)::integer from public.admissions",
      );
      return counted.rows[0]!.count;
    },
  };
}

const scopeOf = ({ id }: Buyer) => ({ claims: { role: "authenticated", sub: id, session_id: id } });

async function handIn(
  gate: Gate,
  { buyer, device }: Phone,
  tickets: readonly string[],
  decided: "admitted" | null,
) {
  const { rows } = await gate.database.run<{ answer: unknown }>(scopeOf(buyer), {
    name: "gate_scan",
    text: "select public.gate_scan($1, $2, 0, $3) as answer",
    values: [device, JSON.stringify(tickets.map((ticket) => scanOf(ticket, decided))), Date.now()],
  });
  checkAdmitted(rows[0]!.answer, tickets.length);
}

function checkAdmitted(answer: unknown, count: number): void {
  const { results } = readGateScanAnswers(answer);
  if (results.length !== count || results.some(({ result, conflict }) => result !== "admitted" || conflict)) {
    throw new WrongAnswer(`Of ${count} scans: ${JSON.stringify(results.slice(0, 3))}`);
  }
}

async function timed(once: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await once();
  return performance.now() - started;
}

const percentile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * share)]!;

async function scansOnline(gate: Gate, { pairs }: Settings): Promise<Figure> {
  const slices: number[] = [];
  for (let slice = 0; slice < pairs; slice++) {
    const times: number[] = [];
    for (let n = 0; n < ONLINE; n++)
      times.push(await timed(() => handIn(gate, gate.phones[0]!, gate.take(1), null)));
    slices.push(percentile(times, 0.99));
  }
  return waited("online scan, 99th percentile", slices, 10);
}

/** What a person at the gate waits for: the slowest search, and the list of recent scans. */
async function looksUp(gate: Gate): Promise<Figure[]> {
  const { buyer, device } = gate.phones[0]!;
  const { rows } = await gate.shop.sql.query<{ texts: string[] }>(
    `select array['seeded attendee', t.attendee_email, left(t.id::text, 8), right(left(t.id::text, 8), 6), left(t.order_id::text, 8)] as texts
     from public.tickets t where attendee_name = 'Seeded Attendee' limit 1`,
  );
  const median = async (
    name: string,
    text: string,
    values: readonly unknown[],
    isRight: (answer: unknown) => boolean,
  ) => {
    const times: number[] = [];
    for (let n = 0; n < LOOKS; n++) {
      const started = performance.now();
      const found = await gate.database.run<{ answer: unknown }>(scopeOf(buyer), {
        name,
        text,
        values: [...values],
      });
      times.push(performance.now() - started);
      if (!isRight(found.rows[0]!.answer)) throw new WrongAnswer(`${name} of ${values.join()} found nobody.`);
    }
    return percentile(times, 0.5);
  };
  const searches: number[] = [];
  for (const sought of rows[0]!.texts)
    searches.push(
      await median(
        "gate_search",
        "select public.gate_search($1, $2) as answer",
        [device, sought],
        (answer) => readGateFound(answer).people.length > 0,
      ),
    );
  const recent = await median(
    "gate_recent",
    "select public.gate_recent($1) as answer",
    [device],
    (answer) => readGateRecent(answer).scans.length > 0,
  );
  const figure = (what: string, amount: number): Figure => ({
    what: `${what} among ${number(TICKETS)} tickets, median`,
    ours: `${number(amount)} ms`,
    against: "",
    amount,
    goal: { atMost: 20 },
  });
  return [figure("the slowest of five searches", Math.max(...searches)), figure("recent scans", recent)];
}

async function scansHandedIn(gate: Gate, { pairs }: Settings): Promise<Figure> {
  const slices: number[] = [];
  for (let slice = 0; slice < pairs; slice++) {
    const tickets = gate.take(OFFLINE);
    const before = await gate.admitted();
    slices.push(
      await timed(async () => {
        for (let from = 0; from < OFFLINE; from += A_CALL)
          await handIn(gate, gate.phones[0]!, tickets.slice(from, from + A_CALL), "admitted");
      }),
    );
    if ((await gate.admitted()) - before !== OFFLINE)
      throw new WrongAnswer("Not every scan was written down.");
  }
  return waited("10,000 offline scans", slices, 10_000);
}

/** The first slice warms up. */
function waited(what: string, slices: readonly number[], atMost: number): Figure {
  const { median, lowest, highest } = spread(slices.slice(1));
  return {
    what,
    ours: `${number(median)} ms (${number(lowest)} to ${number(highest)})`,
    against: "",
    amount: median,
    goal: { atMost },
  };
}

async function admissions(gate: Gate, { pairs, seconds }: Settings): Promise<Figure> {
  const sale = openReservations(gate.shop, SALE_CLIENTS);
  const minutes: number[] = [];
  const sold: number[] = [];
  for (let slice = 0; slice < pairs; slice++) {
    const before = await gate.admitted();
    const [reservations, letIn] = await Promise.all([sale.slice(seconds), admitOverHttp(gate, seconds)]);
    if ((await gate.admitted()) - before !== letIn.count)
      throw new WrongAnswer("Not every admission was written down.");
    minutes.push((letIn.count / letIn.seconds) * 60);
    sold.push(reservations);
  }
  const { median, lowest, highest } = spread(minutes.slice(1));
  return {
    what: `admissions by ${DEVICES} devices over HTTP during a sale`,
    ours: `${number(median)} /min (${number(lowest)} to ${number(highest)})`,
    against: `${number(spread(sold.slice(1)).median)} reservations/s beside it`,
    amount: median,
    goal: { atLeast: 3000 },
  };
}

/** Every device scans its next ticket as soon as the last one is answered. */
async function admitOverHttp(gate: Gate, seconds: number): Promise<{ count: number; seconds: number }> {
  const started = performance.now();
  const until = started + seconds * 1000;
  const counts = await Promise.all(
    gate.phones.map(async ({ buyer, device }) => {
      const client = await openClient(gate.shop.festival.url);
      let count = 0;
      for (; performance.now() < until; count++) {
        const body = { p_device_id: device, p_scans: [scanOf(gate.take(1)[0]!, null)] };
        const headers = {
          authorization: `Bearer ${buyer.token}`,
          apikey: gate.shop.festival.status.ANON_KEY!,
        };
        const answer = await client.ask(post("/rest/v1/rpc/gate_scan", headers, body));
        if (answer.status !== 200)
          throw new WrongAnswer(`A scan was answered ${answer.status} ${answer.body}`);
        checkAdmitted(JSON.parse(answer.body), 1);
      }
      client.close();
      return count;
    }),
  );
  return {
    count: counts.reduce((sum, count) => sum + count, 0),
    seconds: (performance.now() - started) / 1000,
  };
}
