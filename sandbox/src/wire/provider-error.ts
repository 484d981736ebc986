// Refusals in Stripe's error format. Owns the status of each and the wording; hides the wire shape.

export interface ErrorBody {
  readonly type: "api_error" | "card_error" | "idempotency_error" | "invalid_request_error";
  readonly message: string;
  readonly code?: string;
  readonly decline_code?: string;
  readonly param?: string;
  readonly charge?: string;
  readonly payment_intent?: unknown;
  readonly payment_method?: unknown;
}

export class ProviderError extends Error {
  readonly status: number;
  readonly body: ErrorBody;

  constructor(status: number, body: ErrorBody) {
    super(body.message);
    this.status = status;
    this.body = body;
  }
}

/** The JSON of an error response. */
export function errorAnswer(body: ErrorBody): { error: ErrorBody & { doc_url?: string } } {
  if (body.code === undefined) return { error: body };
  return {
    error: { ...body, doc_url: `https://docs.stripe.com/error-codes/${body.code.replaceAll("_", "-")}` },
  };
}

/** 400 invalid_request_error. */
export function invalidRequest(
  message: string,
  more: { code?: string; param?: string; payment_intent?: unknown } = {},
) {
  return new ProviderError(400, { type: "invalid_request_error", message, ...more });
}

export const missingParameter = (param: string) =>
  invalidRequest(`Missing required param: ${param}.`, { code: "parameter_missing", param });

export function noSuch(kind: string, id: string, param = "id"): ProviderError {
  const message = `No such ${kind}: '${id}'`;
  return new ProviderError(404, { type: "invalid_request_error", code: "resource_missing", message, param });
}

export const keyInUse = () =>
  new ProviderError(409, {
    type: "idempotency_error",
    code: "idempotency_key_in_use",
    message:
      "There is currently another in-progress request using this Idempotent Key. Please try again later.",
  });

export const keyReused = (key: string) =>
  new ProviderError(400, {
    type: "idempotency_error",
    message:
      "Keys for idempotent requests can only be used with the same parameters they were first used with. " +
      `Try using a key other than '${key}' if you meant to execute a different request.`,
  });
