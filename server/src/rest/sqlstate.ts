// Turns a PostgreSQL error into a response: its SQLSTATE, message, detail and hint, under the HTTP status that PostgREST
// gives it. Also reads the two RAISE conventions, SQLSTATE 'PTxyz' and 'PGRST', by which SQL chooses a status.
import { RestError } from "./errors.ts";

/** The fields of pg's DatabaseError that clients may see. */
export interface PostgresError {
  readonly code: string;
  readonly message: string;
  readonly detail?: string;
  readonly hint?: string;
}

export function isPostgresError(error: unknown): error is PostgresError {
  return error instanceof Error && /^[0-9A-Z]{5}$/.test(String((error as { code?: unknown }).code));
}

/** By SQLSTATE, or by its first two characters (the class). Anything else is the client's mistake: 400. */
const STATUS: Readonly<Record<string, number>> = {
  "08": 503,
  "09": 500,
  "0L": 403,
  "0P": 403,
  "21000": 500,
  "23503": 409,
  "23505": 409,
  "25": 500,
  "25006": 405,
  "28": 403,
  "2D": 500,
  "38": 500,
  "39": 500,
  "3B": 500,
  "40": 500,
  "40001": 503, // PostgREST: 500. The client may retry
  "40P01": 503,
  "42883": 404,
  "42P01": 404,
  "42P17": 500,
  "53": 503,
  "53400": 500,
  "54": 500,
  "55": 500,
  "55P03": 422, // PostgREST: 500. Another transaction held the lock too long; the server did not fail
  "57": 500,
  "57014": 422, // PostgREST: 500. The request ran too long, and anybody may send such a request
  "57P01": 503,
  "58": 500,
  F0: 500,
  HV: 500,
  P0: 500,
  P0001: 400,
  XX: 500,
};

/** States whose message says whose mistake it was. */
const BY_MESSAGE: readonly { code: string; message: RegExp; status: number }[] = [
  { code: "21000", message: /requires a WHERE clause$/, status: 400 },
  { code: "22023", message: /^role .* does not exist$/, status: 401 },
  { code: "42883", message: /^function xmlagg\(/, status: 406 },
  // server/migrations/080_answer_limit.sql
  { code: "54000", message: /^The answer is too large$/, status: 413 },
];

/** `anonymous` decides whether a missing privilege is 401 (sign in) or 403 (may not). */
export function fromPostgres(error: PostgresError, anonymous: boolean): RestError {
  if (error.code === "PGRST") return fromRaise(error);
  return new RestError(statusOf(error, anonymous), error.code, error.message, {
    details: error.detail ?? null,
    hint: error.hint ?? null,
    cause: error,
  });
}

function statusOf(error: PostgresError, anonymous: boolean): number {
  if (error.code === "42501") return anonymous ? 401 : 403;
  if (error.code.startsWith("PT")) {
    const status = Number(error.code.slice(2));
    return status >= 200 && status <= 599 ? status : 500;
  }
  const special = BY_MESSAGE.find(({ code, message }) => code === error.code && message.test(error.message));
  if (special) return special.status;
  return STATUS[error.code] ?? STATUS[error.code.slice(0, 2)] ?? 400;
}

/** RAISE sqlstate 'PGRST' carries the whole answer: the body in MESSAGE, status and headers in DETAIL, both JSON. */
function fromRaise(error: PostgresError): RestError {
  if (error.detail === undefined) {
    return badRaise("DETAIL is missing in the RAISE statement", DETAIL_HINT);
  }
  const body = raisedMessage(parseJson(error.message));
  if (!body) return badRaise(`Invalid JSON value for MESSAGE: '${error.message}'`, MESSAGE_HINT);
  const answer = raisedDetail(parseJson(error.detail));
  if (!answer) return badRaise(`Invalid JSON value for DETAIL: '${error.detail}'`, DETAIL_HINT);
  const { code, message, ...rest } = body;
  return new RestError(answer.status, code, message, { ...rest, headers: answer.headers });
}

function raisedMessage(value: unknown) {
  if (!isRecord(value)) return undefined;
  const { code, message } = value;
  const details = value.details ?? null;
  const hint = value.hint ?? null;
  const fits = isText(code) && isText(message) && isTextOrNull(details) && isTextOrNull(hint);
  return fits ? { code, message, details, hint } : undefined;
}

function raisedDetail(value: unknown) {
  if (!isRecord(value)) return undefined;
  const { status, headers } = value;
  const fits =
    Number.isInteger(status) &&
    (status as number) >= 200 &&
    (status as number) <= 599 &&
    isTextOrNull(value.status_text ?? null) &&
    isRecord(headers) &&
    Object.values(headers).every(isText);
  return fits ? { status: status as number, headers: headers as Record<string, string> } : undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === "string";
const isTextOrNull = (value: unknown): value is string | null => value === null || isText(value);

const MESSAGE_HINT =
  "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'.";
const DETAIL_HINT =
  "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'.";

const badRaise = (details: string, hint: string) =>
  new RestError(500, "PGRST121", `Could not parse JSON in the "RAISE SQLSTATE 'PGRST'" error`, {
    details,
    hint,
  });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
