// The one error class of the server. Each service renders it in its own wire format; the message is safe to send, the
// cause is for the log only.

export class ServiceError extends Error {
  readonly status: number;
  readonly code: string;
  /** Extra members of the wire format (PostgREST's `details` and `hint`, GoTrue's `weak_password`, what is left in stock). */
  readonly extra: Readonly<Record<string, unknown>>;
  /** Seconds until the request may be repeated; undefined when waiting does not help. */
  readonly retryAfter: number | undefined;

  constructor(
    status: number,
    code: string,
    message: string,
    options: { cause?: unknown; extra?: Readonly<Record<string, unknown>>; retryAfter?: number } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "ServiceError";
    this.status = status;
    this.code = code;
    this.extra = options.extra ?? {};
    this.retryAfter = options.retryAfter;
  }
}
