// From request and schema cache to a plan: what to read, what to write, which function to call. Nothing here touches the
// database. Every name in a plan was found in the schema cache or will be quoted.
import {
  badPreferences,
  badPutFilters,
  maxAffectedOnScalar,
  mayNotRollBack,
  unknownColumn,
  unknownTable,
} from "../errors.ts";
import type { Condition } from "../parse/filter.ts";
import { negotiate, negotiateDocument, type Media } from "../parse/media.ts";
import type { Payload } from "../parse/payload.ts";
import type { ApiRequest, Mutation } from "../parse/request.ts";
import {
  type Column,
  type Parameter,
  type Routine,
  returnsColumns,
  type SchemaCache,
  type Table,
} from "../schema/model.ts";
import type { RestSettings } from "../settings.ts";
import { NEAR, nearestName } from "./near-name.ts";
import { namesComputed, planRead, type Parts, type ReadNode, type Root } from "./read.ts";
import { findRoutine } from "./routine.ts";

export interface MutationPlan {
  readonly kind: Mutation;
  readonly table: Table;
  readonly payload: Payload;
  /** The columns of the table that the payload's keys name. */
  readonly columns: readonly Column[];
  /** Columns missing from a row of the payload get their default instead of null. */
  readonly applyDefaults: boolean;
  readonly conflict: { readonly action: "merge" | "ignore"; readonly columns: readonly string[] } | undefined;
  readonly where: readonly Condition[];
  /** Columns the answer needs; `*` for all, none where nothing is returned. */
  readonly returning: readonly string[];
}

export interface CallPlan {
  readonly routine: Routine;
  /** The rows keep their type, by which SQL chooses among computed columns of the same name. */
  readonly typed: boolean;
  /** Passed one by one, from a query string or a form, as a JSON object, or as the raw body. */
  readonly arguments:
    | {
        readonly kind: "values";
        readonly values: readonly { parameter: Parameter; values: readonly string[] }[];
      }
    | { readonly kind: "object"; readonly parameters: readonly Parameter[]; readonly payload: Payload }
    | { readonly kind: "body"; readonly parameter: Parameter; readonly text: string };
}

interface Readable {
  readonly read: ReadNode;
  readonly media: Media;
}

export type Plan =
  | (Readable & { readonly kind: "read" })
  | (Readable & { readonly kind: "mutate"; readonly mutation: MutationPlan })
  | (Readable & { readonly kind: "call"; readonly call: CallPlan })
  | { readonly kind: "inspect" }
  | { readonly kind: "describe"; readonly allow: readonly string[] };

export function makePlan(request: ApiRequest, cache: SchemaCache, settings: RestSettings): Plan {
  const { preferences } = request;
  const plan = planAction(request, cache, settings);
  if (plan.kind !== "describe" && preferences.handling === "strict" && preferences.unknown.length > 0) {
    throw badPreferences(preferences.unknown);
  }
  const wantsRollback = preferences.unknown.includes("tx=rollback");
  if (wantsRollback && settings.txEnd === "commit" && !isReadOnly(plan, request)) throw mayNotRollBack();
  return plan;
}

/** As in PostgREST, a GET and a call of a function declared not to write cannot write. */
export function isReadOnly(plan: Plan, { action }: ApiRequest): boolean {
  if (plan.kind === "call") {
    return (action.kind === "call" && action.byGet) || plan.call.routine.volatility !== "volatile";
  }
  return plan.kind !== "mutate";
}

function planAction(request: ApiRequest, cache: SchemaCache, settings: RestSettings): Plan {
  const { action, target, query } = request;
  if (target.kind === "root") {
    if (action.kind === "describe") return { kind: "describe", allow: ["OPTIONS", "GET", "HEAD"] };
    negotiateDocument(request.accepted);
    return { kind: "inspect" };
  }
  if (target.kind === "function") return planFunction(request, cache, settings);
  const table = cache.tables.get(target.name);
  if (table === undefined) {
    throw unknownTable(cache.schema, target.name, nearestName(target.name, cache.tables.keys(), NEAR)?.name);
  }
  const { aggregates } = settings;
  const producible = { plan: settings.plan, raw: undefined };
  switch (action.kind) {
    case "describe":
      return { kind: "describe", allow: allowedMethods(table) };
    case "mutate": {
      const read = planRead(
        { cache, maxRows: undefined, aggregates },
        { name: table.name, qualifier: { alias: table.name } },
        query.select,
        partsOfAnswer(request),
      );
      const mutation = planMutation(request, action, table, read);
      return { kind: "mutate", read, mutation, media: negotiate(request.accepted, producible) };
    }
    default: {
      const read = planRead(
        { cache, maxRows: settings.maxRows, aggregates },
        { name: table.name, qualifier: { schema: table.schema, table: table.name } },
        query.select,
        allParts(request),
      );
      return { kind: "read", read, media: negotiate(request.accepted, producible) };
    }
  }
}

function allowedMethods({ insertable, updatable, deletable, primaryKey }: Table): string[] {
  return [
    ...["OPTIONS", "GET", "HEAD"],
    ...(insertable ? ["POST"] : []),
    ...(insertable && updatable && primaryKey.length > 0 ? ["PUT"] : []),
    ...(updatable ? ["PATCH"] : []),
    ...(deletable ? ["DELETE"] : []),
  ];
}

function allParts({ query, range }: ApiRequest): Parts {
  const embedded = query.ranges.filter(({ embed }) => embed.length > 0);
  return {
    conditions: [...query.logic, ...query.filters],
    orders: query.orders,
    ranges: [...embedded, { embed: [], part: range }],
  };
}

/** Filters of the resource itself choose the rows to write. Its limit does not, and its order applies to the answer. */
function partsOfAnswer({ query }: ApiRequest): Parts {
  const embedded = <T extends { embed: readonly string[] }>(located: readonly T[]) =>
    located.filter(({ embed }) => embed.length > 0);
  return {
    conditions: embedded([...query.logic, ...query.filters]),
    orders: query.orders,
    ranges: embedded(query.ranges),
  };
}

function planMutation(
  { query, preferences }: ApiRequest,
  { mutation, payload }: Extract<ApiRequest["action"], { kind: "mutate" }>,
  table: Table,
  read: ReadNode,
): MutationPlan {
  const own = <T>(located: readonly { embed: readonly string[]; part: T }[]) =>
    located.filter(({ embed }) => embed.length === 0).map(({ part }) => part);
  const where = mutation === "insert" ? [] : own([...query.logic, ...query.filters]);
  if (mutation === "upsert") checkKey(where, table);
  return {
    kind: mutation,
    table,
    payload,
    columns: payload.keys.map((key) => {
      const column = table.columns.get(key);
      if (column === undefined) throw unknownColumn(table.name, key);
      return column;
    }),
    applyDefaults: preferences.missing === "default" && mutation !== "upsert",
    conflict: conflictOf(mutation, preferences.resolution, query.onConflict, table),
    where,
    returning:
      preferences.return === undefined || preferences.return === "minimal" ? [] : returning(read, table),
  };
}

/** PUT must name exactly one row, by its whole primary key. */
function checkKey(where: readonly Condition[], { primaryKey }: Table): void {
  const names = where.map((condition) =>
    condition.kind === "filter" &&
    condition.operation.kind === "compare" &&
    condition.operation.operator === "=" &&
    condition.operation.quantifier === undefined &&
    !condition.negated &&
    condition.field.path.length === 0
      ? condition.field.name
      : undefined,
  );
  const named = new Set(names);
  const matches = named.size === primaryKey.length && primaryKey.every((name) => named.has(name));
  if (primaryKey.length === 0 || !matches) throw badPutFilters();
}

function conflictOf(
  mutation: Mutation,
  resolution: ApiRequest["preferences"]["resolution"],
  onConflict: readonly string[] | undefined,
  { primaryKey }: Table,
): MutationPlan["conflict"] {
  if (mutation === "upsert") return { action: "merge", columns: primaryKey };
  if (resolution === undefined) return undefined;
  const action = resolution === "merge-duplicates" ? "merge" : "ignore";
  return { action, columns: onConflict ?? primaryKey };
}

/** The selected columns, those used to order and join, and the primary key for the Location header. */
function returning(read: ReadNode, table: Table | undefined): string[] {
  const selected = read.columns.map(({ field }) => field.name);
  if (selected.includes("*")) return ["*"];
  const joining = read.children.flatMap(({ relationship }) => {
    if (relationship.kind === "computed") return ["*"];
    const pairs = relationship.kind === "key" ? relationship.columns : relationship.source;
    return pairs.map(([here]) => here);
  });
  if (joining.includes("*")) return ["*"];
  const ordering = read.order.filter(({ of }) => of === undefined).map(({ field }) => field.name);
  return [...new Set([...selected, ...ordering, ...joining, ...(table?.primaryKey ?? [])])];
}

function planFunction(request: ApiRequest, cache: SchemaCache, settings: RestSettings): Plan {
  const { action, target, query, preferences } = request;
  const payload = action.kind === "call" ? action.payload : undefined;
  const names = payload ? payload.keys : [...new Set(query.args.map(([name]) => name))].sort();
  const routine = findRoutine(cache, target.name, names, payload?.mediaType);
  if (action.kind === "describe") {
    const byGet = routine.volatility === "volatile" ? [] : ["GET", "HEAD"];
    return { kind: "describe", allow: ["OPTIONS", ...byGet, "POST"] };
  }
  if (preferences.handling === "strict" && preferences.maxAffected !== undefined && !routine.returnsSet) {
    throw maxAffectedOnScalar();
  }
  const name = returnsColumns(routine) ? routine.returnType : routine.name;
  const root: Root = { name, qualifier: { alias: name } };
  const { maxRows, aggregates } = settings;
  const read = planRead({ cache, maxRows, aggregates }, root, query.select, allParts(request));
  const raw = isWhole(read) && !routine.returnsSet ? routine.mediaType : undefined;
  return {
    kind: "call",
    read,
    call: {
      routine,
      typed: routine.returns === "row" && namesComputed(read),
      arguments: planArguments(routine, payload, query.args, names),
    },
    media: negotiate(request.accepted, { plan: settings.plan, raw }),
  };
}

const isWhole = ({ columns, children }: ReadNode): boolean =>
  children.length === 0 && columns.length === 1 && columns[0]!.field.name === "*";

function planArguments(
  { parameters }: Routine,
  payload: Payload | undefined,
  args: ApiRequest["query"]["args"],
  names: readonly string[],
): CallPlan["arguments"] {
  const given = parameters.filter(({ name }) => names.includes(name));
  const single = payload?.fields ?? (payload === undefined ? args : undefined);
  if (single !== undefined) {
    const valuesOf = ({ name }: Parameter) =>
      single.filter(([key]) => key === name).map(([, value]) => value);
    return { kind: "values", values: given.map((parameter) => ({ parameter, values: valuesOf(parameter) })) };
  }
  const [only] = parameters;
  if (only?.name === "") return { kind: "body", parameter: only, text: payload!.text };
  return { kind: "object", parameters: given, payload: payload! };
}
