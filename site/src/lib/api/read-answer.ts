// Reads the API's responses. A failure or an unexpected shape is logged and thrown, so a screen that shows "nothing yet" has
// really read that there is nothing.
import { logError } from "../browser/error-log.ts";

interface Answer {
  data: unknown;
  error: { message: string } | null;
}

/** Returns the result of `parse`, which throws when the shape is wrong. @throws Error, after logging it */
export function readAnswer<T>(operation: string, { data, error }: Answer, parse: (data: unknown) => T): T {
  try {
    if (error) throw new Error(error.message);
    return parse(data);
  } catch (failure) {
    logError(operation, failure);
    throw failure;
  }
}

/** A parser for a list of rows that all have these fields. */
export function rowsWith<Row extends object>(...fields: (keyof Row & string)[]): (data: unknown) => Row[] {
  const isRow = isObjectWith<Row>(...fields);
  return (data) => {
    if (!Array.isArray(data) || !data.every(isRow)) throw new Error("The answer is not a list of such rows");
    return data;
  };
}

/** A parser for one row with these fields, or null when there is none. */
export function rowWith<Row extends object>(
  ...fields: (keyof Row & string)[]
): (data: unknown) => Row | null {
  const isRow = isObjectWith<Row>(...fields);
  return (data) => {
    if (data !== null && !isRow(data)) throw new Error("The answer is not such a row");
    return data;
  };
}

function isObjectWith<Row extends object>(...fields: (keyof Row & string)[]) {
  return (value: unknown): value is Row =>
    typeof value === "object" &&
    value !== null &&
    fields.every((field) => (value as Partial<Row>)[field] !== undefined);
}
