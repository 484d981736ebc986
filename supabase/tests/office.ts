// A festival with two buyers and an administrator for tests of who may do what: every table has at least one row of the first
// buyer. Hides how a statement is run as a given user; everything an attempt changes is rolled back.
import { randomUUID } from "node:crypto";
import type { Row } from "../../server/src/postgres/executor.ts";
import type { RequestScope } from "../../server/src/postgres/scope/request-scope.ts";
import type { TestDatabase } from "../../server/testing/database.ts";
import { fillEveryTable } from "./office-rows.ts";

export type Who = "anon" | "buyer" | "other" | "admin" | "finance" | "gate";

export interface Office {
  readonly buyer: string;
  readonly admin: string;
  /** Confirmed, of the buyer. */
  readonly order: string;
  /** Not yet paid, of the buyer. */
  readonly pending: string;
  sql<T extends Row = Row>(text: string, ...values: unknown[]): Promise<T[]>;
  /** Rows of the table that `who` sees; 0 too when refused. */
  count(who: Who, table: string): Promise<number>;
  total(table: string): Promise<number>;
  /** Rows the statement changed or returned; 0 when refused. Rolled back. */
  attempt(who: Who, statement: string, headers?: Record<string, string>): Promise<number>;
  /** The SQLSTATE of the refusal. */
  refusal(who: Who, statement: string): Promise<string | undefined>;
  /** Runs the statement and keeps its changes. */
  as<T extends Row = Row>(
    who: Who,
    statement: string,
    values?: unknown[],
    headers?: Record<string, string>,
  ): Promise<T[]>;
}

class Undo extends Error {
  readonly rows: number;
  constructor(rows: number) {
    super("undo");
    this.rows = rows;
  }
}

export async function openOffice({ database }: TestDatabase): Promise<Office> {
  const service = database.asService("tests look at everything");
  const sql = async <T extends Row>(text: string, ...values: unknown[]) =>
    (await service.query<T>(text, values)).rows;
  const buyer = await newUser();
  const other = await newUser();
  const admin = await newUser();
  await sql(
    "insert into public.user_roles (user_id, role) values ($1, 'admin'), ($2, 'admin')",
    admin,
    await newUser(),
  );
  await sql("insert into public.user_roles (user_id, role) values ($1, 'user')", buyer);
  const finance = await newUser();
  const gate = await newUser();
  await sql(
    "insert into public.user_roles (user_id, role) values ($1, 'finance'), ($2, 'gate')",
    finance,
    gate,
  );
  const order = await reserve();
  const paid = "pi_test_1";
  await sql("select public.confirm_order($1, $2, 4500)", order, paid);
  await fillEveryTable(sql, { order, buyer, gate, paid });
  const pending = await reserve();

  async function newUser(): Promise<string> {
    const id = randomUUID();
    await sql("insert into auth.users (id, email) values ($1, $2)", id, `${id}@people.test`);
    return id;
  }

  async function reserve(): Promise<string> {
    const [type] = await sql("select id from public.ticket_types where name = 'General Admission'");
    const cart = {
      user_id: buyer,
      idempotency_key: randomUUID(),
      request_hash: "hash",
      items: [{ type: "ticket", id: type?.id, quantity: 1 }],
      attendees: [{ name: "Ana", email: "ana@people.test" }],
      buyer: { name: "Ana Reyes", email: "ana@people.test", phone: "713-555-0100" },
      total_cents: 4500,
    };
    const [row] = await sql("select public.reserve_orders($1::jsonb) as answer", JSON.stringify([cart]));
    if (!row?.answer[0].ok) throw new Error(`not reserved: ${JSON.stringify(row?.answer)}`);
    return row.answer[0].order_id as string;
  }

  return {
    buyer,
    admin,
    order,
    pending,
    sql,
    ...actionsOf(database, sql, { buyer, other, admin, finance, gate }),
  };
}

type Sql = Office["sql"];

/** What people do, and how much of it they are allowed. */
function actionsOf(
  database: TestDatabase["database"],
  sql: Sql,
  people: Readonly<Record<Exclude<Who, "anon">, string>>,
): Pick<Office, "count" | "total" | "attempt" | "refusal" | "as"> {
  function scopeOf(who: Who, headers: Record<string, string> = {}): RequestScope {
    const sub = who === "anon" ? undefined : people[who];
    return {
      claims: sub ? { role: "authenticated", sub } : { role: "anon" },
      headers,
    };
  }

  async function tryOut(who: Who, statement: string, headers?: Record<string, string>): Promise<number> {
    try {
      return await database.transaction(scopeOf(who, headers), async (tx) => {
        const { rowCount } = await tx.query(statement);
        throw new Undo(rowCount ?? 0);
      });
    } catch (error) {
      if (error instanceof Undo) return error.rows;
      throw error;
    }
  }

  const code = (error: unknown) => (error as { code?: string }).code;
  return {
    async count(who, table) {
      return tryOut(who, `select from public.${table}`).catch((error: unknown) => {
        if (code(error) === "42501") return 0;
        throw error;
      });
    },
    async total(table) {
      const [row] = await sql<{ rows: number }>(`select count(*)::int as rows from public.${table}`);
      return row?.rows ?? 0;
    },
    async attempt(who, statement, headers) {
      return tryOut(who, statement, headers).catch((error: unknown) => {
        if (code(error) === "42501") return 0;
        throw error;
      });
    },
    async refusal(who, statement) {
      return tryOut(who, statement).then(() => undefined, code);
    },
    async as(who, statement, values = [], headers) {
      return database.transaction(
        scopeOf(who, headers),
        async (tx) => (await tx.query(statement, values)).rows as never[],
      );
    },
  };
}
