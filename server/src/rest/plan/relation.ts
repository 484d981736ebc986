// Which relationship an embedded resource refers to: by the table's name, a constraint, a column, or with a
// hint.
import { RestError } from "../errors.ts";
import type { ColumnPairs, Relationship, SchemaCache } from "../schema/model.ts";
import { nearestName, SIMILAR } from "./near-name.ts";

/** Throws PGRST200 when there is none, PGRST201 (300) when there are several. */
export function findRelationship(
  cache: SchemaCache,
  origin: string,
  target: string,
  hint: string | undefined,
): Relationship {
  const found = (cache.relationships.get(origin) ?? []).filter((one) => matches(one, target, hint));
  if (found.length === 0) throw unrelated(cache, origin, target, hint);
  if (found.length > 1) throw ambiguous(origin, target, found);
  return found[0]!;
}

function matches(one: Relationship, target: string, hint: string | undefined): boolean {
  if (one.kind === "computed") return one.function === target;
  const byName = one.foreignTable === target;
  // A key within one table gives two relationships: the table's name means to-many, the column's name means
  // to-one.
  if (one.table === one.foreignTable) {
    if (hint !== undefined)
      return byName && one.cardinality === "one-to-many" && isOnly(one.columns, 1, hint);
    if (one.kind === "junction") return false;
    return one.cardinality === "one-to-many"
      ? byName
      : one.cardinality === "many-to-one" && isOnly(one.columns, 0, target);
  }
  if (one.kind === "junction") return byName && (hint === undefined || one.junction === hint);
  if (hint !== undefined) {
    return (
      byName && (one.constraint === hint || isOnly(one.columns, 0, hint) || isOnly(one.columns, 1, hint))
    );
  }
  return byName || (!one.foreignIsView && (one.constraint === target || isOnly(one.columns, 0, target)));
}

const isOnly = (columns: ColumnPairs, side: 0 | 1, name: string): boolean =>
  columns.length === 1 && columns[0]![side] === name;

function unrelated(cache: SchemaCache, origin: string, target: string, hint: string | undefined): RestError {
  const using = hint === undefined ? "" : ` using the hint '${hint}'`;
  return new RestError(
    400,
    "PGRST200",
    `Could not find a relationship between '${origin}' and '${target}' in the schema cache`,
    {
      details:
        `Searched for a foreign key relationship between '${origin}' and '${target}'${using} ` +
        `in the schema '${cache.schema}', but no matches were found.`,
      hint: perhaps(cache, origin, target),
    },
  );
}

/**
 * Suggests a parent with a similar name that has relationships, or a similar name among the parent's
 * relationships.
 */
function perhaps({ relationships }: SchemaCache, origin: string, target: string): string | null {
  const known = relationships.get(origin);
  const [wrong, near] = known
    ? [
        target,
        nearestName(
          target,
          known.map(({ foreignTable }) => foreignTable),
          SIMILAR,
        ),
      ]
    : [origin, nearestName(origin, relationships.keys(), SIMILAR)];
  // The name itself exists, so it is the hint that does not fit.
  return near === undefined || near.score === 1
    ? null
    : `Perhaps you meant '${near.name}' instead of '${wrong}'.`;
}

function ambiguous(origin: string, target: string, found: readonly Relationship[]): RestError {
  const hints = found.map((one) => `'${one.foreignTable}!${hintFor(one)}'`).join(", ");
  return new RestError(
    300,
    "PGRST201",
    `Could not embed because more than one relationship was found for '${origin}' and '${target}'`,
    {
      details: found.map(describe),
      hint:
        `Try changing '${target}' to one of the following: ${hints}. ` +
        "Find the desired relationship in the 'details' key.",
    },
  );
}

const hintFor = (one: Relationship): string =>
  one.kind === "key" ? one.constraint : one.kind === "junction" ? one.junction : one.function;

function describe(one: Relationship) {
  const list = (columns: ColumnPairs, side: 0 | 1) => `(${columns.map((pair) => pair[side]).join(", ")})`;
  const relationship =
    one.kind === "key"
      ? `${one.constraint} using ${one.table}${list(one.columns, 0)} and ${one.foreignTable}${list(one.columns, 1)}`
      : one.kind === "junction"
        ? `${one.junction} using ${one.constraints[0]}${list(one.source, 1)} and ${one.constraints[1]}${list(one.target, 1)}`
        : one.function;
  return { cardinality: one.cardinality, embedding: `${one.table} with ${one.foreignTable}`, relationship };
}
