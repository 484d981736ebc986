// What the gateway has established about a request before a service sees it.
import type { Departure } from "./departure.ts";
import type { ServiceError } from "../errors.ts";
import type { Claims } from "../keys/jwt.ts";

export interface ServiceContext {
  readonly requestId: string;
  /** From the bearer token, or from the API key (role anon or service_role) when there is none. */
  readonly claims: Claims;
  /** The raw bearer token of a user, if any. */
  readonly token: string | undefined;
  /** Why key or token were not accepted, where the service decides what that means; `claims` are then a visitor's. */
  readonly refused?: ServiceError | undefined;
  readonly ip: string;
  /** How long the gateway took to identify the caller, in milliseconds. */
  readonly identifiedMs?: number | undefined;
  /** Left out where no client can leave: the server is the caller. */
  readonly departure?: Departure | undefined;
  /** For the server's own requests: true must not wait behind visitors', false is made for a visitor and waits among them. */
  readonly reserved?: boolean | undefined;
  /** Origin the API answers on, without a trailing slash. */
  readonly apiUrl: string;
}

export interface Service {
  /** Whether the service itself reads the request body for this path as it arrives; never when left out. */
  takesUnread?(path: string): Promise<boolean>;
  /**
   * `request.url` has the service's prefix removed, unless the service takes requests unchanged. Never rejects: errors are
   * answers in the service's wire format.
   */
  fetch(request: Request, context: ServiceContext): Promise<Response>;
  /** The gateway's own refusals (keys, tokens, size, rate) in this service's wire format. */
  renderError(error: ServiceError): Response;
}
