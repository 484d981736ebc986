// The one stage that is not pure: runs a plan's statement under the caller's role. One round trip, or a transaction where
// the answer must be looked at before it may stand.
import type { Database } from "../postgres/database.ts";
import type { Executor } from "../postgres/executor.ts";
import type { RequestScope } from "../postgres/request-scope.ts";
import { notSingular, tooManyAffected } from "./errors.ts";
import type { ApiRequest } from "./parse/request.ts";
import { toStatement, type Sql } from "./sql/fragment.ts";
import {
  type AnswerLimits,
  explainSql,
  requestSql,
  type Answer,
  type ExecutablePlan,
} from "./sql/statement.ts";
import type { StatementNames } from "./statement-names.ts";

export interface Execution {
  readonly database: Database;
  readonly names: StatementNames;
  readonly limits: AnswerLimits;
}

/** Rejects with PGRST116 or PGRST124 (nothing is kept then), or with what PostgreSQL says. */
export async function execute(
  { database, names, limits }: Execution,
  plan: ExecutablePlan,
  request: ApiRequest,
  caller: RequestScope,
): Promise<Answer> {
  const statement = toNamed(requestSql(plan, request, limits), names);
  const scope = { ...caller, readOnly: isReadOnly(plan, request) };
  const counted = plan.kind === "read" && ["planned", "estimated"].includes(request.preferences.count ?? "");
  if (!counted && (scope.readOnly || !mayBeRefused(request))) {
    const { rows } = await database.run<Answer & object>(scope, statement);
    return checked(rows[0]!, request);
  }
  return database.transaction(scope, async (tx) => {
    const { rows } = await tx.run<Answer & object>(statement);
    const answer = checked(rows[0]!, request);
    return counted ? { ...answer, total: await estimate(tx, plan, request, answer, limits.maxRows) } : answer;
  });
}

function toNamed(text: Sql, names: StatementNames) {
  const statement = toStatement(text);
  const name = names.nameFor(statement.text);
  return name === undefined ? statement : { ...statement, name };
}

/** As PostgREST does: what is asked by GET, or of a function that promises not to write, cannot write. */
function isReadOnly(plan: ExecutablePlan, { action }: ApiRequest): boolean {
  if (plan.kind === "call") {
    return (action.kind === "call" && action.byGet) || plan.call.routine.volatility !== "volatile";
  }
  return plan.kind === "read";
}

const affectedLimit = ({ preferences, action }: ApiRequest): number | undefined =>
  preferences.handling === "strict" && action.kind !== "read" ? preferences.maxAffected : undefined;

const mayBeRefused = (request: ApiRequest): boolean =>
  request.media.format === "object" || affectedLimit(request) !== undefined;

function checked(answer: Answer, request: ApiRequest): Answer {
  if (request.media.format === "object" && answer.rows !== 1) throw notSingular(answer.rows);
  const limit = affectedLimit(request);
  if (limit !== undefined && answer.rows > limit) throw tooManyAffected(answer.rows);
  return answer;
}

/** `planned` is the planner's number; `estimated` takes it only where there are more rows than a page can have. */
async function estimate(
  tx: Executor,
  plan: ExecutablePlan,
  { preferences }: ApiRequest,
  { total }: Answer,
  maxRows: number | undefined,
): Promise<number | null> {
  const exact = preferences.count === "estimated" ? total : null;
  if (exact !== null && maxRows !== undefined && exact <= maxRows) return exact;
  const { rows } = await tx.run(toStatement(explainSql(plan)));
  const planned = rows[0]?.["QUERY PLAN"]?.[0]?.Plan?.["Plan Rows"];
  return Math.max(Number(planned ?? 0), exact ?? 0);
}
