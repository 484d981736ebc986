// The one stage that is not pure: runs a plan's statement under the caller's role. One round trip, or a transaction where
// the result must be checked before it is committed.
import type { Database } from "../postgres/database.ts";
import type { Executor, Statement } from "../postgres/executor.ts";
import type { RequestScope } from "../postgres/scope/request-scope.ts";
import { badPutPayload, notSingular, tooManyAffected } from "./errors.ts";
import type { ApiRequest } from "./parse/request.ts";
import { isReadOnly } from "./plan/plan.ts";
import type { RestSettings } from "./settings.ts";
import { identifier, join, raw, sql, toStatement } from "./sql/fragment.ts";
import { type Answer, type ExecutablePlan, estimateSql, explainSql, requestSql } from "./sql/statement.ts";
import type { StatementNames } from "./statement-names.ts";

/** A request with everything known about it before it runs. Repeated requests reuse it. */
export interface Prepared {
  readonly request: ApiRequest;
  readonly plan: ExecutablePlan;
  readonly statement: Statement;
  readonly settings: RestSettings;
}

export function prepare(
  request: ApiRequest,
  plan: ExecutablePlan,
  settings: RestSettings,
  maxBytes: number,
): Prepared {
  const text = requestSql(plan, request, { maxRows: settings.maxRows, maxBytes });
  const { plan: explained } = plan.media;
  return {
    request,
    plan,
    statement: toStatement(explained ? explainSql(explained, text) : text),
    settings,
  };
}

/** Rejects with PGRST115, PGRST116 or PGRST124 (and rolls back), or with PostgreSQL's own error. */
export async function execute(
  database: Database,
  names: StatementNames,
  prepared: Prepared,
  caller: RequestScope,
): Promise<Answer> {
  const { plan, request, settings } = prepared;
  const statement = named(prepared.statement, names, caller.claims.role);
  const scope = scopeFor(prepared, caller);
  if (plan.media.plan) return explained((await database.run(scope, prepared.statement)).rows);
  const counted = plan.kind === "read" && ["planned", "estimated"].includes(request.preferences.count ?? "");
  if (!counted && (scope.readOnly || !mayBeRefused(prepared))) {
    const { rows } = await database.run<Answer & object>(scope, statement);
    return checked(rows[0]!, prepared);
  }
  return database.transaction(scope, async (tx) => {
    const { rows } = await tx.run<Answer & object>(statement);
    const answer = checked(rows[0]!, prepared);
    if (!counted) return answer;
    return { ...answer, total: await estimate(tx, plan, request, answer, settings.maxRows) };
  });
}

function named(statement: Statement, names: StatementNames, role: string): Statement {
  const name = names.nameFor(statement.text, role);
  return name === undefined ? statement : { ...statement, name, epoch: names.epoch };
}

function scopeFor({ request, plan, settings }: Prepared, caller: RequestScope): RequestScope {
  const { timezone } = request.preferences;
  return {
    ...caller,
    readOnly: isReadOnly(plan, request),
    before: preRequest(settings),
    rollback: endsWithRollback(request, settings),
    searchPath: searchPath(request.schema, settings),
    settings: { ...caller.settings, ...settings.app, ...(timezone ? { timezone } : {}) },
  };
}

export const searchPath = (schema: string, { extraSearchPath }: RestSettings): string =>
  [schema, ...extraSearchPath].map((name) => identifier(name).texts[0]!).join(", ");

export function preRequest({ preRequest: name }: RestSettings): string | undefined {
  if (name === undefined) return undefined;
  return toStatement(sql`select ${join(name.split(".").map(identifier), ".")}${raw("()")}`).text;
}

function endsWithRollback({ preferences: { tx } }: ApiRequest, { txEnd }: RestSettings): boolean {
  return (tx ?? (txEnd.startsWith("rollback") ? "rollback" : "commit")) === "rollback";
}

const affectedLimit = ({ request: { preferences }, plan }: Prepared): number | undefined => {
  const affects =
    plan.kind === "call" || (plan.kind === "mutate" && /update|delete/.test(plan.mutation.kind));
  return affects && preferences.handling === "strict" ? preferences.maxAffected : undefined;
};

const isSingle = ({ plan }: Prepared): boolean => plan.kind === "mutate" && plan.mutation.kind === "upsert";

const mayBeRefused = (prepared: Prepared): boolean =>
  prepared.plan.media.format === "object" || isSingle(prepared) || affectedLimit(prepared) !== undefined;

function checked(answer: Answer, prepared: Prepared): Answer {
  if (isSingle(prepared) && answer.rows !== 1) throw badPutPayload();
  if (prepared.plan.media.format === "object" && answer.rows !== 1) throw notSingular(answer.rows);
  const limit = affectedLimit(prepared);
  if (limit !== undefined && answer.rows > limit) throw tooManyAffected(answer.rows);
  return answer;
}

function explained(rows: readonly Record<string, unknown>[]): Answer {
  const lines = rows.map((row) => row["QUERY PLAN"]);
  const body = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
  return { total: null, rows: 1, body, headers: null, status: null, updated: 0, location: null };
}

/** `planned` is the planner's number. `estimated` uses it only where there are more rows than fit on a page. */
async function estimate(
  tx: Executor,
  plan: ExecutablePlan,
  { preferences }: ApiRequest,
  { total }: Answer,
  maxRows: number | undefined,
): Promise<number | null> {
  const exact = preferences.count === "estimated" ? total : null;
  if (exact !== null && maxRows !== undefined && exact <= maxRows) return exact;
  const { rows } = await tx.run(toStatement(estimateSql(plan)));
  const planned = rows[0]?.["QUERY PLAN"]?.[0]?.Plan?.["Plan Rows"];
  return Math.max(Number(planned ?? 0), exact ?? 0);
}
