// What this service's rules work with: their environment (AuthParts, created once) and the caller (AuthCaller, one per request).
import { isIP } from "node:net";
import type { Brand } from "../platform/brand.ts";
import type { Clock } from "../platform/clock.ts";
import type { ServiceContext } from "../platform/http/context.ts";
import type { Claims, Tokens } from "../platform/keys/jwt.ts";
import type { Log } from "../platform/log.ts";
import type { Refusals } from "../platform/refusals.ts";
import type { ServiceDatabase } from "../postgres/executor.ts";
import type { AtRest } from "../platform/keys/at-rest.ts";
import type { OutwardFetch } from "./federation/outward.ts";
import type { AddressLimits } from "./limits/address-limits.ts";
import type { EvenAnswers } from "./limits/even-answers.ts";
import type { GuessesUnderWay } from "./limits/guesses-under-way.ts";
import type { MailOutbox } from "./mails/mail-outbox.ts";
import type { Passwords } from "./passwords/passwords.ts";
import type { AuthPolicy } from "./policy.ts";
import type { AuthSettings } from "./settings/settings.ts";
import type { SendSms } from "./texts/send-sms.ts";
import { allowedRedirect } from "./http/redirects.ts";

export interface AuthParts {
  readonly database: ServiceDatabase;
  readonly tokens: Tokens;
  readonly outbox: MailOutbox;
  /** Undefined where nothing delivers text messages. */
  readonly sendSms: SendSms | undefined;
  /** Where each captcha provider verifies a token. */
  readonly captchaMakers: Readonly<Record<"hcaptcha" | "turnstile", string>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly refusals: Refusals;
  readonly passwords: Passwords;
  readonly policy: AuthPolicy;
  readonly settings: AuthSettings;
  readonly brand: Brand;
  /** Turns a secret into the form that the database keeps. */
  readonly atRest: AtRest;
  /** Contacts an address that came through the API; `mayReach` decides which addresses are allowed. */
  readonly reachProvided: OutwardFetch;
  readonly mayReach: (address: URL) => boolean;
  readonly limits: AddressLimits;
  readonly guesses: GuessesUnderWay;
  readonly evenly: EvenAnswers;
  /** Canonical address of the site, where every link ends unless an allowed `redirect_to` says otherwise. */
  readonly siteUrl: string;
  /** Every caller can read every mail, as with the development mailbox. Opening a link then proves nothing. */
  readonly mailsAreOpen: boolean;
}

export interface AuthCaller {
  readonly claims: Claims;
  /** Whether the request has an Authorization header. An API key alone belongs to no user. */
  readonly hasBearer: boolean;
  readonly requestId: string;
  /** An IPv4 address or an IPv6 network, from gateway/requests/client-address.ts. Undefined when it could not be determined. */
  readonly ip: string | undefined;
  readonly userAgent: string | undefined;
  readonly apiUrl: string;
  /** Already checked against the allow list. */
  readonly redirectTo: string;
}

export function callerOf(parts: AuthParts, request: Request, context: ServiceContext): AuthCaller {
  const wanted = new URL(request.url).searchParams.get("redirect_to") ?? request.headers.get("redirect_to");
  return {
    claims: context.claims,
    hasBearer: /^Bearer\s+\S+$/i.test(request.headers.get("authorization") ?? ""),
    requestId: context.requestId,
    ip: isIP(context.ip) === 0 ? undefined : context.ip,
    userAgent: request.headers.get("user-agent")?.slice(0, 512),
    apiUrl: context.apiUrl,
    redirectTo: allowedRedirect(wanted, parts.siteUrl, parts.settings.URI_ALLOW_LIST),
  };
}
