// The request's body: rows to write or arguments of a function. It stays text and is bound as one parameter; only its
// keys are read here, to choose columns and to find the function.
import { badBody } from "../errors.ts";

export interface Payload {
  /** JSON, or the raw body for a function with one unnamed parameter. */
  readonly text: string;
  /** The keys of every object in it, sorted; of `columns=` where that was given. */
  readonly keys: readonly string[];
  /** One object rather than an array of them. */
  readonly isObject: boolean;
  readonly mediaType: string;
}

/** `isCall`: for a function, where an empty body means no arguments. Throws PGRST102. */
export function parsePayload(
  text: string,
  contentType: string | null,
  columns: readonly string[] | undefined,
  isCall: boolean,
): Payload {
  const mediaType = (contentType ?? "application/json").split(";")[0]!.trim().toLowerCase();
  switch (mediaType) {
    case "application/json":
      return parseJson(text, mediaType, columns, isCall);
    case "application/x-www-form-urlencoded": {
      const fields = Object.fromEntries(new URLSearchParams(text));
      return objectOf(JSON.stringify(fields), [fields], mediaType);
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
  if (isCall && text === "") return { text: "{}", keys: [], isObject: true, mediaType };
  const value = decode(text);
  if (Array.isArray(value)) return value.length === 0 ? empty(mediaType) : objectOf(text, value, mediaType);
  return isObject(value) ? objectOf(text, [value], mediaType) : empty(mediaType);
}

/** Anything that is neither an object nor an array of them holds no rows. */
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
