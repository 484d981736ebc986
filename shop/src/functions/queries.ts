// The only SQL of the functions here: a SQL function called with one prepared statement. Arguments go in, and answers come out, as
// JSON that PostgreSQL itself reads and writes, which is what PostgREST does: both hosts give the same values.
import { DatabaseFailure, type Sql } from "../../../supabase/functions/_shared/database.ts";
import { visiting } from "../../../server/src/functions/handlers.ts";
import { onFirstUse } from "../../../server/src/platform/on-first-use.ts";
import type { Database } from "../../../server/src/postgres/database.ts";
import type { Result, Statement } from "../../../server/src/postgres/executor.ts";

/** The same call on different connections. */
export interface SqlConnections {
  /** As a request of the service's own, or in a visitor's turn when it is made for one. */
  readonly inTurn: Sql;
  /** For calls shared by many visitors. */
  readonly forAll: Sql;
  /** The same for the sale, which must not wait behind other work. */
  readonly urgent: Sql;
}

export function connectSql(database: Database): SqlConnections {
  const routines = onFirstUse(() => readRoutines(database));
  /** By function and arguments: an argument that is left out has its default. */
  const statements = new Map<string, Statement & Pick<Routine, "isVoid">>();

  async function statementFor(name: string, given: readonly string[]) {
    const routine = (await routines.get()).get(name);
    if (!routine) throw new Error(`there is no SQL function ${name}`);
    const key = `${name}(${given.join()})`;
    const known = statements.get(key);
    if (known) return known;
    const text = callOf(name, routine, given);
    const statement = { name: `sql_function_${statements.size}`, text, isVoid: routine.isVoid };
    statements.set(key, statement);
    return statement;
  }

  const calling =
    (run: (statement: Statement) => Promise<Result>): Sql =>
    async (name, args) => {
      const given = Object.entries(args).filter(([, value]) => value !== undefined);
      const { isVoid, ...statement } = await statementFor(
        name,
        given.map(([key]) => key),
      );
      const values = given.length === 0 ? [] : [JSON.stringify(args)];
      const { rows } = await run({ ...statement, values }).catch((error: unknown) => {
        throw failureOf(name, error);
      });
      return isVoid ? null : rows[0]!.answer;
    };

  const service = database.asService("one call serves many visitors; each gets their own answer");
  const urgent = database.asUrgent("carts and visits of many buyers are decided together");
  return {
    inTurn: calling((statement) => {
      const visitor = visiting.getStore();
      const claims = { role: "service_role" };
      return database.run({ claims, address: visitor, reserved: visitor === undefined }, statement);
    }),
    forAll: calling((statement) => service.run(statement)),
    urgent: calling((statement) => urgent.run(statement)),
  };
}

interface Routine {
  readonly isSet: boolean;
  readonly isVoid: boolean;
  /** The types of its arguments by their names. */
  readonly types: Readonly<Record<string, string>>;
}

async function readRoutines(database: Database): Promise<ReadonlyMap<string, Routine>> {
  const { rows } = await database
    .asService("the catalog says how to call a function")
    .query<Routine & { name: string }>(
      `select p.proname as name, p.proretset as "isSet", p.prorettype = 'void'::regtype as "isVoid",
         coalesce(jsonb_object_agg(a.name, format_type(a.type, null)) filter (where a.name is not null), '{}') as types
       from pg_proc p left join lateral
         unnest(p.proargnames, coalesce(p.proallargtypes, p.proargtypes::oid[]), p.proargmodes) as a (name, type, mode)
         on coalesce(a.mode, 'i') in ('i', 'b')
       where p.pronamespace = 'public'::regnamespace and p.prokind = 'f' group by p.oid`,
    );
  return new Map(rows.map((row) => [row.name, row]));
}

/** A table of a single column would come without the column's name; no function that is called here returns one. */
function callOf(name: string, { isSet, isVoid, types }: Routine, given: readonly string[]): string {
  const typed = given.map((argument) => {
    const type = types[argument];
    if (type === undefined) throw new Error(`${name} has no argument ${argument}`);
    return `"${argument}" ${type}`;
  });
  const passed = given.map((argument) => `"${argument}" => given."${argument}"`).join(", ");
  const call = `public.${name}(${passed}) as one_answer`;
  const from = typed.length === 0 ? call : `json_to_record($1) as given (${typed.join(", ")}), ${call}`;
  if (isVoid) return `select one_answer from ${from}`;
  return `select ${isSet ? "coalesce(json_agg(one_answer), '[]')" : "to_json(one_answer)"} as answer from ${from}`;
}

/** With what the API would say about it. */
function failureOf(name: string, error: unknown): DatabaseFailure {
  const { message, code, detail, hint } = error as Error & { code?: string; detail?: string; hint?: string };
  const said = { message, code, details: detail ?? null, hint: hint ?? null };
  return new DatabaseFailure(name, said);
}
