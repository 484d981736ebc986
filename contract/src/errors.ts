// The error codes of the edge functions, their HTTP statuses, and the shape of an error response. Site, functions and
// SQL share these codes. The message beside a code is written for people.

/** Every error code a function can return. */
export const functionErrorStatus = {
  invalid_request: 400,
  invalid_signature: 400,
  amount_too_small: 400,
  unauthorized: 401,
  forbidden: 403,
  invalid_place: 403,
  not_found: 404,
  order_not_found: 404,
  ticket_not_found: 404,
  method_not_allowed: 405,
  insufficient_stock: 409,
  price_changed: 409,
  promo_code_refused: 409,
  idempotency_conflict: 409,
  concurrent_request: 409,
  parking_limit: 409,
  too_many_units: 409,
  unknown_item: 409,
  sales_closed: 409,
  no_tickets: 409,
  order_cancelled: 409,
  ticket_refunded: 409,
  payment_not_completed: 409,
  place_gone: 410,
  body_too_large: 413,
  rate_limited: 429,
  waiting_room: 429,
  internal_error: 500,
  payment_provider_unavailable: 502,
  too_busy: 503,
  unavailable: 503,
} as const satisfies Record<string, number>;

export type FunctionErrorCode = keyof typeof functionErrorStatus;

/** Every code with which `reserve_in_turn` refuses a cart, and no others. */
export const cartRefusals = [
  "concurrent_request",
  "idempotency_conflict",
  "insufficient_stock",
  "invalid_request",
  "no_tickets",
  "order_cancelled",
  "parking_limit",
  "price_changed",
  "promo_code_refused",
  "rate_limited",
  "sales_closed",
  "too_many_units",
  "unknown_item",
  "waiting_room",
] as const satisfies readonly FunctionErrorCode[];

/** The SQLSTATEs our SQL raises with a message for people, and the HTTP status the REST API returns for each. */
export const raisedStates = {
  "22023": 400,
  "23505": 409,
  "23514": 400,
  "42501": 403,
  PT404: 404,
  PT409: 409,
  PT429: 429,
} as const satisfies Record<string, number>;

/** The hints our SQL raises for programs, where a state says too little. The gate's are in contract/gate (`gateAccessRefusals`). */
export const raisedHints = [
  "insufficient_aal",
  "issued_before",
  "reauthentication_needed",
  "tickets_to_come",
] as const;

/** Of an error of the database. */
export const hasHint = (
  error: { readonly hint?: string | undefined } | undefined,
  hint: (typeof raisedHints)[number],
): boolean => error?.hint === hint;

/** The body of every response that is not 2xx. */
export interface FunctionErrorBody {
  readonly error: {
    readonly code: FunctionErrorCode;
    readonly message: string;
    readonly details?: Readonly<Record<string, unknown>>;
  };
}

/** `details.items` of `insufficient_stock`: what is left of each item that ran short. */
export interface StockShortage {
  readonly id: string;
  readonly available: number;
  readonly requested: number;
}

/** The error in a response body, or undefined when the body is something else (a proxy's page, an empty response). */
export function readFunctionError(body: unknown): FunctionErrorBody["error"] | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  // The relay sends its own body for a token it refuses before the function runs.
  if ("code" in body && typeof body.code === "string" && body.code.startsWith("UNAUTHORIZED_")) {
    return { code: "unauthorized", message: "Please sign in again." };
  }
  if (!("error" in body)) return undefined;
  const { error } = body;
  if (typeof error !== "object" || error === null || !("code" in error) || !("message" in error))
    return undefined;
  if (typeof error.code !== "string" || !(error.code in functionErrorStatus)) return undefined;
  return typeof error.message === "string" ? (error as FunctionErrorBody["error"]) : undefined;
}

/** The stock left when the error is a shortage; an empty list for every other error. */
export function stockShortages(error: FunctionErrorBody["error"]): readonly StockShortage[] {
  if (error.code !== "insufficient_stock" || !Array.isArray(error.details?.items)) return [];
  return error.details.items as readonly StockShortage[];
}
