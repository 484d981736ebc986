// A festival with sold tickets and phones at its gate, for tests of the gate's functions: `const { gate, phone } = await
// openGate()` at the top of a file. Hides how orders are paid and how a call is made as a given user.
import { randomUUID } from "node:crypto";
import {
  type GateBoard,
  type GateFound,
  type GateList,
  type GateOpened,
  type GateRecent,
  type GateScan,
  type GateScanAnswer,
  readGateBoard,
  readGateFound,
  readGateList,
  readGateOpened,
  readGateRecent,
  readGateScanAnswers,
} from "contract/gate";
import { afterAll } from "vitest";
import type { Database } from "../../../server/src/postgres/database.ts";
import type { Row } from "../../../server/src/postgres/executor.ts";
import { cloneDatabase, type TestDatabase } from "../../../server/testing/database.ts";

export const entrances = {
  main: "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e3001",
  express: "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e3002",
  parking: "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e3003",
} as const;

const types = {
  general: { id: "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e1001", type: "ticket", cents: 4500 },
  vip: { id: "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e1002", type: "ticket", cents: 15_000 },
  preferred: { id: "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e2002", type: "parking", cents: 6000 },
} as const;

type Items = Partial<Record<keyof typeof types, number>>;

export interface Sold {
  readonly order: string;
  /** Ids, as ordered within the order. */
  readonly tickets: readonly string[];
  readonly permits: readonly string[];
}

type Sql = <T extends Row = Row>(text: string, ...values: unknown[]) => Promise<T[]>;

/** What `name(...)` returns to a user; throws if it is refused. */
type Call = (
  user: string | undefined,
  name: string,
  values: readonly unknown[],
  session?: string,
) => Promise<unknown>;

/** A phone. `scan` fills in what a test does not care about. */
export interface Phone {
  readonly id: string;
  readonly user: string;
  open(name?: string, entrance?: string): Promise<GateOpened>;
  scan(...scans: Partial<GateScan>[]): Promise<GateScanAnswer[]>;
  list(since?: string, limit?: number): Promise<GateList>;
  search(text: string): Promise<GateFound["people"]>;
  recent(): Promise<GateRecent["scans"]>;
}

export interface GateWorld {
  readonly sql: Sql;
  readonly call: Call;
  /** Sold two days ago: before anything a phone scanned. */
  sell(items: Items, names?: readonly string[]): Promise<Sold>;
  newUser(role?: string): Promise<string>;
  /** A phone of a new user with the role gate, opened yesterday. */
  phone(name?: string, entrance?: string): Promise<Phone>;
  phoneOf(user: string, id?: string, session?: string): Phone;
  readonly admin: string;
  board(): Promise<GateBoard>;
  /** Sets columns of the gate's settings. */
  settings(changes: string): Promise<unknown>;
  statusOf(sold: Sold): Promise<string>;
  /** The admissions of a code that are valid: neither conflicts, nor undone, nor left. */
  standing(code: string): Promise<{ id: string }[]>;
}

export const minutesAgo = (minutes: number): number => Date.now() - minutes * 60_000;

/** A scan as an online camera sends it. */
const scanOf = (scan: Partial<GateScan>): GateScan => ({
  id: randomUUID(),
  code_id: null,
  issue_number: 1,
  action: "in",
  at: Date.now(),
  decided: null,
  by: "camera",
  ...scan,
});

/** A festival's gate and its first phone for the tests of one file, closed after the last of them. */
export async function openGate() {
  const db = await cloneDatabase();
  afterAll(() => db.close());
  const gate = await openGateWorld(db);
  return { db, gate, phone: await gate.phone("North") };
}

export async function openGateWorld({ database }: TestDatabase): Promise<GateWorld> {
  const service = database.asService("tests look at everything");
  const sql: Sql = async <T extends Row>(text: string, ...values: unknown[]) =>
    (await service.query<T>(text, values)).rows;
  const call = callsOn(database);

  async function newUser(role?: string): Promise<string> {
    const id = randomUUID();
    await sql("insert into auth.users (id, email) values ($1, $2)", id, `${id}@people.test`);
    if (role !== undefined)
      await sql("insert into public.user_roles (user_id, role) values ($1, $2)", id, role);
    return id;
  }

  const phoneOf: GateWorld["phoneOf"] = (user, id = randomUUID(), session) =>
    phoneOn(call, user, id, session);
  const admin = await newUser("admin");
  await newUser("admin");
  return {
    sql,
    newUser,
    call,
    phoneOf,
    admin,
    sell: async (items, names = []) => sell(sql, await newUser(), items, names),
    async phone(name, entrance = entrances.main) {
      const phone = phoneOf(await newUser("gate"));
      await phone.open(name, entrance);
      await sql(
        "update public.gate_devices set created_at = created_at - interval '1 day' where id = $1",
        phone.id,
      );
      return phone;
    },
    board: async () => readGateBoard(await call(admin, "gate_board", [])),
    settings: (changes) => sql(`update public.gate_settings set ${changes}`),
    async statusOf({ order }) {
      return (await sql("select status from public.orders where id = $1", order))[0]!.status as string;
    },
    standing: (code) =>
      sql(
        `select id from public.admissions where code_id = $1
          and conflicts_with is null and undone_at is null and left_at is null`,
        code,
      ),
  };
}

function callsOn(database: Database): Call {
  return (user, name, values, session) => {
    const claims =
      user === undefined
        ? { role: "anon" }
        : { role: "authenticated", sub: user, ...(session && { session_id: session }) };
    const places = values.map((_, index) => `$${index + 1}`).join(", ");
    return database.transaction({ claims, headers: {} }, async (tx) => {
      const { rows } = await tx.query(`select public.${name}(${places}) as answer`, [...values]);
      return rows[0]!.answer as unknown;
    });
  };
}

function phoneOn(call: Call, user: string, id: string, session?: string): Phone {
  return {
    id,
    user,
    open: async (name, entrance) =>
      readGateOpened(await call(user, "gate_open", [id, name ?? null, entrance ?? null], session)),
    async scan(...scans) {
      const answer = await call(user, "gate_scan", [id, JSON.stringify(scans.map(scanOf))], session);
      return readGateScanAnswers(answer).results;
    },
    list: async (since, limit) =>
      readGateList(await call(user, "gate_list", [id, since ?? null, limit ?? 5000], session)),
    search: async (text) => readGateFound(await call(user, "gate_search", [id, text], session)).people,
    recent: async () => readGateRecent(await call(user, "gate_recent", [id], session)).scans,
  };
}

async function sell(sql: Sql, user: string, items: Items, names: readonly string[]): Promise<Sold> {
  const cart = cartOf(user, items, names);
  const [row] = await sql("select public.reserve_orders($1::jsonb) as answers", JSON.stringify([cart]));
  const [answer] = row!.answers;
  if (!answer.ok) throw new Error(`not sold: ${JSON.stringify(answer)}`);
  const order = answer.order_id as string;
  await sql("select public.confirm_order($1, $2, $3)", order, `pi_${randomUUID()}`, cart.total_cents);
  await sql(
    "update public.entry_codes set created_at = created_at - interval '2 days' where order_id = $1",
    order,
  );
  const codes = await sql<{ id: string; has_attendee: boolean }>(
    `select c.id, c.has_attendee from public.entry_codes c join public.order_items i on i.id = c.order_item_id
      where c.order_id = $1 order by i.position, c.position`,
    order,
  );
  const idsOf = (isTicket: boolean) =>
    codes.filter(({ has_attendee }) => has_attendee === isTicket).map(({ id }) => id);
  return { order, tickets: idsOf(true), permits: idsOf(false) };
}

function cartOf(user: string, items: Items, names: readonly string[]) {
  const lines = Object.entries(items).map(([name, quantity]) => ({
    ...types[name as keyof typeof types],
    quantity,
  }));
  const attendees = lines
    .filter(({ type }) => type === "ticket")
    .flatMap(({ id, quantity }) => Array.from({ length: quantity }, () => id))
    .map((ticket_type_id, index) => ({
      name: names[index] ?? `Guest ${index + 1}`,
      email: `guest${index + 1}@people.test`,
      ticket_type_id,
    }));
  return {
    user_id: user,
    idempotency_key: randomUUID(),
    request_hash: "hash",
    items: lines.map(({ id, type, quantity }) => ({ id, type, quantity })),
    attendees,
    buyer: { name: names[0] ?? "Bun B. Buyer", email: "buyer@people.test", phone: "713-555-0100" },
    total_cents: lines.reduce((sum, line) => sum + line.cents * line.quantity, 0),
  };
}
