// Which function a call refers to: overloads are told apart by the names of the arguments.
import { RestError } from "../errors.ts";
import type { Routine, SchemaCache } from "../schema/model.ts";
import { NEAR, nearestName, SIMILAR } from "./near-name.ts";

/** Media types of a body that a function with one unnamed parameter takes whole, by the parameter's type. */
const BODY_TYPES: Readonly<Record<string, readonly string[]>> = {
  "application/json": ["json", "jsonb"],
  "text/plain": ["text"],
  "text/xml": ["xml"],
  "application/octet-stream": ["bytea"],
};
/** Bodies without keys, which only such a function can take. */
const RAW = ["text/plain", "text/xml", "application/octet-stream"];

/** `bodyType` is undefined for a call by GET. Throws PGRST202 (404) and PGRST203 (300). */
export function findRoutine(
  cache: SchemaCache,
  name: string,
  args: readonly string[],
  bodyType: string | undefined,
): Routine {
  const overloads = cache.routines.get(name) ?? [];
  const takesRawBody = bodyType !== undefined && RAW.includes(bodyType);
  const byName = takesRawBody ? [] : overloads.filter((routine) => acceptsNames(routine, args));
  const found = byName.length > 0 ? byName : overloads.filter((routine) => acceptsBody(routine, bodyType));
  if (found.length === 0) throw unknownRoutine(cache, name, args, bodyType);
  if (found.length > 1) throw ambiguous(found);
  return found[0]!;
}

function acceptsNames({ parameters }: Routine, args: readonly string[]): boolean {
  return (
    args.every((name) => parameters.some((parameter) => parameter.name === name)) &&
    parameters.every((parameter) => !parameter.required || args.includes(parameter.name))
  );
}

const acceptsBody = ({ parameters }: Routine, bodyType: string | undefined): boolean =>
  bodyType !== undefined &&
  parameters.length === 1 &&
  parameters[0]!.name === "" &&
  (BODY_TYPES[bodyType]?.includes(parameters[0]!.type) ?? false);

function unknownRoutine(
  cache: SchemaCache,
  name: string,
  args: readonly string[],
  bodyType: string | undefined,
): RestError {
  const called = `${cache.schema}.${name}`;
  const raw = bodyType !== undefined && RAW.includes(bodyType) ? BODY_TYPES[bodyType]![0] : undefined;
  const list = args.join(", ");
  const message = raw ? called : args.length > 0 ? `${called}(${list})` : `${called} without parameters`;
  const named =
    args.length > 0 ? ` with parameter${args.length > 1 ? "s" : ""} ${list}` : " without parameters";
  const searched = raw
    ? ` with a single unnamed ${raw} parameter`
    : bodyType === "application/json"
      ? `${named} or with a single unnamed json/jsonb parameter`
      : named;
  return new RestError(404, "PGRST202", `Could not find the function ${message} in the schema cache`, {
    details: `Searched for the function ${called}${searched}, but no matches were found in the schema cache.`,
    hint: raw ? null : perhaps(cache, name, args),
  });
}

/** Suggests another function, or other parameters of this one. */
function perhaps({ schema, routines }: SchemaCache, name: string, args: readonly string[]): string | null {
  const overloads = routines.get(name);
  const inText = (names: readonly string[]) => `(${names.toSorted().join(", ")})`;
  const near = overloads
    ? nearestName(
        inText(args),
        overloads.map(({ parameters }) => inText(parameters.map((one) => one.name))),
        SIMILAR,
      )
    : nearestName(name, routines.keys(), NEAR);
  if (near === undefined) return null;
  return `Perhaps you meant to call the function ${schema}.${overloads ? name : ""}${near.name}`;
}

function ambiguous(found: readonly Routine[]): RestError {
  const signatures = found.map(
    ({ schema, name, parameters }) =>
      `${schema}.${name}(${parameters.map((one) => `${one.name} => ${one.type}`).join(", ")})`,
  );
  return new RestError(
    300,
    "PGRST203",
    `Could not choose the best candidate function between: ${signatures.join(", ")}`,
    {
      hint:
        "Try renaming the parameters or the function itself in the database " +
        "so function overloading can be resolved",
    },
  );
}
