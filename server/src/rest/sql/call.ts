// A function call. Its result is a table: of the function's own columns, or of one column of scalars.
import type { CallPlan } from "../plan/plan.ts";
import { type Parameter, returnsColumns } from "../schema/model.ts";
import { arrayLiteral, tableSql } from "./condition.ts";
import { bind, EMPTY, identifier, list, raw, sql, type Sql } from "./fragment.ts";
import { rowsSql } from "./mutate.ts";

/** The column of scalar results. */
export const SCALAR = raw("pgrst_scalar");

/** The column of rows that keep their type. */
export const ROW = raw("pgrst_row");

export function callSql(plan: CallPlan): Sql {
  const { routine, arguments: given } = plan;
  const name = tableSql(routine.schema, routine.name);
  switch (given.kind) {
    case "body":
      return resultSql(plan, sql`${name}(${bind(given.text)}::${raw(given.parameter.type)})`, EMPTY);
    case "values": {
      const args = given.values.map(({ parameter, values }) => {
        const value = parameter.variadic ? arrayLiteral(values) : values.at(-1)!;
        return argument(parameter, sql`${bind(value)}::${raw(unboundedType(parameter.type))}`);
      });
      return resultSql(plan, sql`${name}(${list(args)})`, EMPTY);
    }
    case "object": {
      if (given.parameters.length === 0) return resultSql(plan, sql`${name}()`, EMPTY);
      const columns = given.parameters.map((parameter) => ({
        name: parameter.name,
        type: unboundedType(parameter.type),
        default: null,
      }));
      const body = sql`(select * from ${rowsSql(given.payload, columns, false)} limit 1) pgrst_body, lateral `;
      const args = given.parameters.map((parameter) =>
        argument(parameter, sql`pgrst_body.${identifier(parameter.name)}`),
      );
      return resultSql(plan, sql`${name}(${list(args)})`, body);
    }
  }
}

const argument = ({ name, variadic }: Parameter, value: Sql): Sql =>
  sql`${raw(variadic ? "variadic " : "")}${identifier(name)} => ${value}`;

function resultSql({ routine, typed }: CallPlan, call: Sql, before: Sql): Sql {
  if (typed) return sql`select pgrst_call as ${ROW} from ${before}${call} pgrst_call`;
  return returnsColumns(routine)
    ? sql`select pgrst_call.* from ${before}${call} pgrst_call`
    : sql`select pgrst_call.${SCALAR} from ${before}(select ${call} as ${SCALAR}) pgrst_call`;
}

/** A parameter ignores a type's length, which a record's column would enforce: `character` there is a single letter. */
const unboundedType = (type: string): string =>
  ({
    bit: "bit varying",
    "bit[]": "bit varying[]",
    character: "character varying",
    "character[]": "character varying[]",
  })[type] ?? type;
