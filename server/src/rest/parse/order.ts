// The grammar of `order=`: `column.desc.nullslast`, and `embedded(column).asc` for a to-one resource.
import { read, type Cursor } from "./cursor.ts";
import { field, fieldName, treePath, type Field } from "./names.ts";
import type { Located } from "./filter.ts";

export interface OrderTerm {
  /** Name or alias of an embedded to-one resource whose column orders the parent. */
  readonly relation: string | undefined;
  readonly field: Field;
  readonly direction: "asc" | "desc" | undefined;
  readonly nulls: "first" | "last" | undefined;
}

export function parseOrder(key: string, value: string): Located<OrderTerm[]> {
  const { embed } = read("tree path", key, treePath);
  return { embed, part: read("order", value, (cursor) => cursor.separated(",", () => term(cursor))) };
}

function term(cursor: Cursor): OrderTerm {
  cursor.skipBlanks();
  const related = cursor.attempt(() => {
    const relation = fieldName(cursor);
    cursor.expect("(");
    const inner = field(cursor);
    cursor.expect(")");
    return { relation, field: inner };
  });
  const target = related ?? { relation: undefined, field: field(cursor) };
  const direction = cursor.take(/\.(?:asc|desc)/y)?.slice(1) as OrderTerm["direction"];
  const nulls = cursor.take(/\.nulls(?:first|last)/y)?.slice(6) as OrderTerm["nulls"];
  cursor.skipBlanks();
  if (!cursor.done && !cursor.startsWith(",")) {
    if (nulls === undefined) cursor.accept(".");
    cursor.fail(
      direction
        ? 'expecting "nullsfirst" or "nullslast"'
        : 'expecting "asc", "desc", "nullsfirst" or "nullslast"',
    );
  }
  return { ...target, direction, nulls };
}
