// From request and schema cache to a plan: what to read, what to write, which function to call. Nothing here touches the
// database; every name in a plan was found in the schema cache or will be quoted.
import { badPreferences, maxAffectedOnScalar, unknownColumn, unknownTable } from "../errors.ts";
import type { Condition } from "../parse/filter.ts";
import type { Payload } from "../parse/payload.ts";
import type { Range } from "../parse/range.ts";
import type { OrderTerm } from "../parse/order.ts";
import { SCHEMA, type ApiRequest } from "../parse/request.ts";
import type { Column, Parameter, Routine, SchemaCache, Table } from "../schema/model.ts";
import { planRead, type Parts, type ReadNode, type Root } from "./read.ts";
import { findRoutine } from "./routine.ts";

export interface MutationPlan {
  readonly kind: "insert" | "update" | "delete";
  readonly table: Table;
  readonly payload: Payload;
  /** The payload's keys, in the table. */
  readonly columns: readonly Column[];
  /** Columns missing in a row of the payload get their default instead of null. */
  readonly applyDefaults: boolean;
  readonly conflict: { readonly action: "merge" | "ignore"; readonly columns: readonly string[] } | undefined;
  readonly where: readonly Condition[];
  readonly order: readonly OrderTerm[];
  readonly range: Range;
  /** Columns the answer needs; `*` for all, none where nothing is returned. */
  readonly returning: readonly string[];
}

export interface CallPlan {
  readonly routine: Routine;
  /** By GET the arguments come one by one, by POST as a JSON object or as the raw body. */
  readonly arguments:
    | {
        readonly kind: "values";
        readonly values: readonly { parameter: Parameter; values: readonly string[] }[];
      }
    | { readonly kind: "object"; readonly parameters: readonly Parameter[]; readonly payload: Payload }
    | { readonly kind: "body"; readonly parameter: Parameter; readonly text: string };
}

export type Plan =
  | { readonly kind: "read"; readonly read: ReadNode }
  | { readonly kind: "mutate"; readonly read: ReadNode; readonly mutation: MutationPlan }
  | { readonly kind: "call"; readonly read: ReadNode; readonly call: CallPlan }
  | { readonly kind: "describe"; readonly allow: readonly string[] };

/** In SQL the rows written or returned by a function are a common table expression, under the resource's name. */
export interface PlanOptions {
  readonly maxRows: number | undefined;
}

export function makePlan(request: ApiRequest, cache: SchemaCache, options: PlanOptions): Plan {
  const { preferences } = request;
  const plan = planAction(request, cache, options);
  if (preferences.handling === "strict" && preferences.unknown.length > 0) {
    throw badPreferences(preferences.unknown);
  }
  return plan;
}

function planAction(request: ApiRequest, cache: SchemaCache, options: PlanOptions): Plan {
  const { action, target, query } = request;
  if (target.kind === "function") return planFunction(request, cache, options);
  const table = cache.tables.get(target.name);
  if (table === undefined) throw unknownTable(SCHEMA, target.name);
  switch (action.kind) {
    case "describe":
      return { kind: "describe", allow: allowedMethods(table) };
    case "mutate": {
      const read = planRead(
        { cache, maxRows: undefined },
        { name: table.name, qualifier: { alias: table.name } },
        query.select,
        embeddedParts(request),
      );
      return { kind: "mutate", read, mutation: planMutation(request, action, table, read) };
    }
    default:
      return {
        kind: "read",
        read: planRead(
          { cache, ...options },
          { name: table.name, qualifier: { table: table.name } },
          query.select,
          allParts(request),
        ),
      };
  }
}

function allowedMethods({ insertable, updatable, deletable }: Table): string[] {
  return [
    ...["OPTIONS", "GET", "HEAD"],
    ...(insertable ? ["POST"] : []),
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

/** What is said of the resource itself chooses the rows to write, not those of the answer. */
function embeddedParts({ query }: ApiRequest): Parts {
  const embedded = <T extends { embed: readonly string[] }>(located: readonly T[]) =>
    located.filter(({ embed }) => embed.length > 0);
  return {
    conditions: embedded([...query.logic, ...query.filters]),
    orders: embedded(query.orders),
    ranges: embedded(query.ranges),
  };
}

function planMutation(
  { query, range, preferences }: ApiRequest,
  { mutation, payload }: Extract<ApiRequest["action"], { kind: "mutate" }>,
  table: Table,
  read: ReadNode,
): MutationPlan {
  const own = <T>(located: readonly { embed: readonly string[]; part: T }[]) =>
    located.filter(({ embed }) => embed.length === 0).map(({ part }) => part);
  const { resolution } = preferences;
  return {
    kind: mutation,
    table,
    payload,
    columns: payload.keys.map((key) => {
      const column = table.columns.get(key);
      if (column === undefined) throw unknownColumn(table.name, key);
      return column;
    }),
    applyDefaults: preferences.missing === "default",
    conflict:
      resolution === undefined
        ? undefined
        : {
            action: resolution === "merge-duplicates" ? "merge" : "ignore",
            columns: query.onConflict ?? table.primaryKey,
          },
    where: mutation === "insert" ? [] : own([...query.logic, ...query.filters]),
    order: own(query.orders).flat(),
    range,
    returning:
      preferences.return === undefined || preferences.return === "minimal" ? [] : returning(read, table),
  };
}

/** The selected columns, those that join the embedded resources, and the primary key for the Location header. */
function returning(read: ReadNode, table: Table | undefined): string[] {
  const selected = read.columns.map(({ field }) => field.name);
  if (selected.includes("*")) return ["*"];
  const joining = read.children.flatMap(({ relationship }) => {
    if (relationship.kind === "computed") return ["*"];
    const pairs = relationship.kind === "key" ? relationship.columns : relationship.source;
    return pairs.map(([here]) => here);
  });
  if (joining.includes("*")) return ["*"];
  return [...new Set([...selected, ...joining, ...(table?.primaryKey ?? [])])];
}

function planFunction(request: ApiRequest, cache: SchemaCache, options: PlanOptions): Plan {
  const { action, target, query, preferences } = request;
  const payload = action.kind === "call" ? action.payload : undefined;
  const names = payload ? payload.keys : [...new Set(query.args.map(([name]) => name))].sort();
  const routine =
    action.kind === "describe"
      ? findAny(cache, target.name, names)
      : findRoutine(cache, target.name, names, payload?.mediaType);
  if (action.kind === "describe") {
    const byGet = routine.volatility === "volatile" ? [] : ["GET", "HEAD"];
    return { kind: "describe", allow: ["OPTIONS", ...byGet, "POST"] };
  }
  if (preferences.handling === "strict" && preferences.maxAffected !== undefined && !routine.returnsSet) {
    throw maxAffectedOnScalar();
  }
  const root: Root = {
    name: routine.returns === "composite" ? routine.returnType : routine.name,
    qualifier: { alias: routine.returns === "composite" ? routine.returnType : routine.name },
  };
  const read = planRead({ cache, ...options }, root, query.select, allParts(request));
  return {
    kind: "call",
    read,
    call: { routine, arguments: planArguments(routine, payload, query.args, names) },
  };
}

/** OPTIONS names no arguments: any overload will do. */
const findAny = (cache: SchemaCache, name: string, names: readonly string[]): Routine =>
  cache.routines.get(name)?.[0] ?? findRoutine(cache, name, names, undefined);

function planArguments(
  { parameters }: Routine,
  payload: Payload | undefined,
  args: ApiRequest["query"]["args"],
  names: readonly string[],
): CallPlan["arguments"] {
  const given = parameters.filter(({ name }) => names.includes(name));
  if (payload === undefined) {
    const valuesOf = ({ name }: Parameter) => args.filter(([key]) => key === name).map(([, value]) => value);
    return { kind: "values", values: given.map((parameter) => ({ parameter, values: valuesOf(parameter) })) };
  }
  const [only] = parameters;
  if (only?.name === "") return { kind: "body", parameter: only, text: payload.text };
  return { kind: "object", parameters: given, payload };
}
