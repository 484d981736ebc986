// The request's body: rows to write or a function's arguments. JSON stays text and is bound as one parameter. Only its
// keys are read here, to choose columns and to find the function.
import { mediaTypeOf } from "contract/media-types";
import { badBody } from "../errors.ts";
import { parseCsv } from "./csv.ts";

export interface Payload {
  /** JSON, or the raw body for a function with one unnamed parameter. */
  readonly text: string;
  /** The sorted keys of all its objects, or `columns=` where that was given. */
  readonly keys: readonly string[];
  /** One object, not an array of them. */
  readonly isObject: boolean;
  readonly mediaType: string;
  /** A form's fields, which may be repeated. */
  readonly fields?: readonly (readonly [name: string, value: string])[];
}

/** `isCall`: for a function, where an empty body means no arguments. Throws PGRST102. */
export async function readPayload(
  request: Request,
  columns: readonly string[] | undefined,
  isCall: boolean,
): Promise<Payload> {
  const mediaType = mediaTypeOf(request) ?? "application/json";
  if (mediaType === "application/octet-stream" && isCall) {
    const bytes = Buffer.from(await request.arrayBuffer());
    return { text: `\\x${bytes.toString("hex")}`, keys: [], isObject: false, mediaType };
  }
  const text = await request.text();
  switch (mediaType) {
    case "application/json":
      return parseJson(text, mediaType, columns, isCall);
    case "application/x-www-form-urlencoded": {
      const fields = [...new URLSearchParams(text)];
      const object = Object.fromEntries(fields);
      const keys = Object.keys(object).sort();
      return { text: JSON.stringify(object), keys, isObject: true, mediaType, fields };
    }
    case "text/csv": {
      const rows = parseCsv(text);
      return {
        text: JSON.stringify(rows),
        keys: Object.keys(rows[0] ?? {}).sort(),
        isObject: false,
        mediaType,
      };
    }
    case "text/plain":
    case "text/xml":
      if (isCall) return { text, keys: [], isObject: false, mediaType };
  }
  throw badBody(`Content-Type not acceptable: ${mediaType}`);
}

function parseJson(
  text: string,
  mediaType: string,
  columns: readonly string[] | undefined,
  isCall: boolean,
): Payload {
  if (columns) return { text, keys: [...new Set(columns)].sort(), isObject: startsObject(text), mediaType };
  // A function that takes the whole body gets it as received, even if it is not JSON.
  if (isCall && text === "") return { text, keys: [], isObject: true, mediaType };
  const value = decode(text);
  if (Array.isArray(value)) return value.length === 0 ? empty(mediaType) : objectOf(text, value, mediaType);
  return isObject(value) ? objectOf(text, [value], mediaType) : empty(mediaType);
}

/** Anything that is neither an object nor an array of objects holds no rows. */
const empty = (mediaType: string): Payload => ({ text: "[]", keys: [], isObject: false, mediaType });

function objectOf(text: string, rows: readonly unknown[], mediaType: string): Payload {
  const keySets = rows.map((row) => (isObject(row) ? JSON.stringify(Object.keys(row).sort()) : undefined));
  const [first] = keySets;
  if (first === undefined || keySets.some((keys) => keys !== first))
    throw badBody("All object keys must match");
  return { text, keys: JSON.parse(first) as string[], isObject: startsObject(text), mediaType };
}

function decode(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badBody("Empty or invalid json");
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const startsObject = (text: string) => /^\s*\{/.test(text);
