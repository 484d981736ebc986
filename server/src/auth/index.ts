// Authentication, compatible with GoTrue: sign-up with mail confirmation, sessions with rotating refresh tokens, password
// recovery, the signed-in user's account and the users as an administrator sees them.
import type { AtRest } from "../platform/keys/at-rest.ts";
import type { Brand } from "../platform/brand.ts";
import type { Clock } from "../platform/clock.ts";
import type { Service } from "../platform/http/context.ts";
import type { Tokens } from "../platform/keys/jwt.ts";
import type { Log } from "../platform/log.ts";
import { createRefusals } from "../platform/refusals.ts";
import type { Mailer } from "../platform/mail.ts";
import type { Database } from "../postgres/database.ts";
import { isReachable, reachAnything, reachPublic } from "./federation/outward.ts";
import { CAPTCHA_MAKERS } from "./captcha/captcha.ts";
import { createAddressLimits } from "./limits/address-limits.ts";
import { createDatabaseTurns } from "./limits/database-turns.ts";
import { createEvenAnswers, type EvenAnswers } from "./limits/even-answers.ts";
import { createGuessesUnderWay } from "./limits/guesses-under-way.ts";
import { renderGatewayError } from "./errors.ts";
import { MailOutbox } from "./mails/mail-outbox.ts";
import { createHashingThreads, type HashingThreads } from "./passwords/hashing-threads.ts";
import type { AuthParts } from "./parts.ts";
import type { SendSms } from "./texts/send-sms.ts";
import { createPasswords } from "./passwords/passwords.ts";
import { type AuthPolicy, defaultPolicy } from "./policy.ts";
import { FORGETS_EVERY_MS, forgetOldRows } from "./retention.ts";
import { createRoutes } from "./http/routes.ts";
import { addressLimits, type AuthSettings } from "./settings/settings.ts";

export interface AuthDeps {
  readonly database: Database;
  readonly tokens: Tokens;
  readonly mailer: Pick<Mailer, "send">;
  /** Sends text messages. */
  readonly sendSms?: SendSms | undefined;
  /** In place of the captcha providers' own addresses, for tests. */
  readonly captchaMakers?: AuthParts["captchaMakers"];
  readonly clock: Clock;
  readonly log: Log;
  /** Canonical address of the site, without a trailing slash. */
  readonly siteUrl: string;
  readonly settings: AuthSettings;
  /** How mails and passkeys name the project. */
  readonly brand: Brand;
  readonly atRest: AtRest;
  /** Every caller can read every mail. A sign-up's password then counts without proof, as on the platform. */
  readonly mailsAreOpen?: boolean;
  /** Identity providers that administrators add may be on this machine and unencrypted: for a developer's server and tests. */
  readonly reachesAnything?: boolean;
  /** While false, mails and text messages wait. Asked each time; always true by default. */
  readonly maySend?: () => boolean;
  readonly policy?: Partial<AuthPolicy>;
  /** Whether limits also apply to this machine's own addresses: true where a trusted proxy names the visitors. */
  readonly limitsThisMachine?: boolean;
  /** In place of the policy's wait and of real threads, for tests that check what an answer waits for. */
  readonly evenly?: EvenAnswers;
  readonly threads?: HashingThreads;
}

export interface Auth extends Service {
  /** Starts sending mails left by an earlier start or another process, and cleaning up. */
  startJobs(): void;
  /** Resolves when no mail is being sent. */
  mailsSent(): Promise<void>;
  close(): Promise<void>;
}

export function createAuth(deps: AuthDeps): Auth {
  const policy = { ...defaultPolicy, ...deps.policy };
  const { clock, log, mailer, settings } = deps;
  const requests = addressLimits(settings, policy.requestsPerAddress);
  const limits = createAddressLimits(requests, clock, deps.limitsThisMachine, settings);
  const database = deps.database.asService("auth keeps its own tables, which no request role may read");
  const { sendSms, maySend = () => true } = deps;
  const outbox = new MailOutbox({ database, mailer, sendSms, maySend, clock, log });
  const threads = deps.threads ?? createHashingThreads({ isGuessing: limits.isGuessing });
  const passwords = createPasswords(policy.passwordCost, threads);
  const turns = createDatabaseTurns(database);
  const routes = createRoutes({
    database: turns.database,
    tokens: deps.tokens,
    outbox,
    sendSms,
    captchaMakers: deps.captchaMakers ?? CAPTCHA_MAKERS,
    clock,
    log,
    refusals: createRefusals(log),
    passwords,
    policy,
    limits,
    guesses: createGuessesUnderWay(),
    evenly: deps.evenly ?? createEvenAnswers(policy.evenAnswerMs),
    siteUrl: deps.siteUrl,
    settings,
    brand: deps.brand,
    atRest: deps.atRest,
    mailsAreOpen: deps.mailsAreOpen ?? false,
    reachProvided: deps.reachesAnything ? reachAnything : reachPublic,
    mayReach: deps.reachesAnything ? () => true : isReachable,
  });
  let forgetting: NodeJS.Timeout | undefined;
  let isClosed = false;
  const forget = async () => {
    while (!isClosed && (await forgetOldRows(database, settings, clock.now())));
  };
  return {
    async fetch(request, context) {
      // Hono would answer HEAD by running GET. Mail scanners send HEAD for every link, which would use the link up.
      if (request.method === "HEAD")
        return new Response(null, { status: 405, headers: { allow: "GET, POST" } });
      return turns.asked(context, async () => routes.fetch(request, context));
    },
    renderError: renderGatewayError,
    startJobs() {
      outbox.start();
      forgetting = setInterval(() => {
        forget().catch((error: unknown) => log.error({ err: error }, "auth could not forget old rows"));
      }, FORGETS_EVERY_MS).unref();
    },
    mailsSent: () => outbox.settled(),
    async close() {
      isClosed = true;
      clearInterval(forgetting);
      await Promise.all([outbox.close(), passwords.close()]);
    },
  };
}
