// The operations of each path: reading and writing a table, calling a function.
import type { Parameter, Routine, Table } from "../schema/model.ts";
import { simpleType, typeOf } from "./definitions.ts";
import { splitText } from "./texts.ts";

export const rootPath = {
  get: {
    tags: ["Introspection"],
    summary: "OpenAPI description (this document)",
    produces: ["application/openapi+json", "application/json"],
    responses: { "200": { description: "OK" } },
  },
};

const refer = (...names: string[]) => names.map((name) => ({ $ref: `#/parameters/${name}` }));
const answer = (status: string, description: string) => ({ [status]: { description } });

export function tablePath(table: Table): object {
  const { name, columns, insertable, updatable, deletable } = table;
  const about = { tags: [name], ...texts(table.description) };
  const filters = [...columns.keys()].map((column) => `rowFilter.${name}.${column}`);
  const rows = { description: "OK", schema: { type: "array", items: { $ref: `#/definitions/${name}` } } };
  const paging = ["select", "order", "range", "rangeUnit", "offset", "limit", "preferCount"];
  const get = {
    ...about,
    parameters: refer(...filters, ...paging),
    responses: { "200": rows, ...answer("206", "Partial Content") },
  };
  if (!insertable && !updatable && !deletable) return { get };
  return {
    get,
    post: {
      ...about,
      parameters: refer(`body.${name}`, "select", "preferPost"),
      responses: answer("201", "Created"),
    },
    patch: {
      ...about,
      parameters: refer(...filters, `body.${name}`, "preferReturn"),
      responses: answer("204", "No Content"),
    },
    delete: {
      ...about,
      parameters: refer(...filters, "preferReturn"),
      responses: answer("204", "No Content"),
    },
  };
}

export function functionPath(declared: Routine): object {
  const routine = {
    ...declared,
    parameters: declared.parameters.map((one) => unqualified(one, declared.schema)),
  };
  const about = {
    tags: [`(rpc) ${routine.name}`],
    ...texts(routine.description),
    produces: [
      "application/json",
      "application/vnd.pgrst.object+json;nulls=stripped",
      "application/vnd.pgrst.object+json",
    ],
    responses: answer("200", "OK"),
  };
  const post = { ...about, parameters: [bodyOf(routine), ...refer("preferParams")] };
  if (routine.volatility === "volatile") return { post };
  const parameters = routine.parameters.map(queryParameter);
  return { get: { ...about, parameters: parameters.length > 0 ? parameters : undefined }, post };
}

/** A type of the schema itself is written without the schema's name. */
function unqualified(parameter: Parameter, schema: string): Parameter {
  const prefix = [`${schema}.`, `"${schema}".`].find((one) => parameter.type.startsWith(one)) ?? "";
  return { ...parameter, type: parameter.type.slice(prefix.length) };
}

function texts(comment: string | null): { summary?: string; description?: string } {
  const [summary, description] = splitText(comment);
  return { ...(summary === undefined ? {} : { summary }), ...(description ? { description } : {}) };
}

const property = ({ name, type }: Parameter) => [name, { ...typeOf(type), format: type }] as const;

function bodyOf({ parameters, description }: Routine): object {
  const required = parameters.filter((one) => one.required).map(({ name }) => name);
  const schema = {
    type: "object",
    description: description ?? undefined,
    required: required.length > 0 ? required : undefined,
    properties: parameters.length > 0 ? Object.fromEntries(parameters.map(property)) : undefined,
  };
  return { name: "args", required: true, in: "body", schema };
}

/** In a query string JSON is text, and an array is its literal. A variadic parameter may be repeated. */
function queryParameter({ name, type, required, variadic }: Parameter): object {
  const simple = simpleType(type) ?? "string";
  if (!variadic) {
    return { name, required, in: "query", type: simple === "array" ? "string" : simple, format: type };
  }
  const item = type.slice(0, -2);
  const items = { type: simpleType(item), format: item };
  return { name, required, in: "query", type: simple, collectionFormat: "multi", items };
}
