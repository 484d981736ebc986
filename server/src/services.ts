// Creates every service. Only REST is loaded immediately, because the first page queries it for what is on sale; the others
// load on first use.
import { join } from "node:path";
import { exposedBy } from "./exposure.ts";
import { FIRST_ADMIN_EMAIL } from "../../shop/src/first-admin.ts";
import type { AuthSettings } from "./auth/settings/settings.ts";
import type { Dependencies } from "./dependencies.ts";
import { createAtRest } from "./platform/keys/at-rest.ts";
import { createMailer } from "./platform/mail.ts";
import { onFirstUse, type OnFirstUse } from "./platform/on-first-use.ts";
import { createRest } from "./rest/index.ts";

export type Services = ReturnType<typeof createServices>;

/**
 * `apiFetch` sends the server's own requests through the gateway. A request made for a visitor uses the visitors'
 * connections.
 */
export function createServices(deps: Dependencies, apiFetch: FunctionNeeds["apiFetch"]) {
  const mailbox = deps.config.smtpUrl === undefined ? mailboxOf(deps) : undefined;
  const smtpUrl = async () => deps.config.smtpUrl ?? (await mailbox!.get()).smtpUrl;
  const sandbox = deps.config.stripe === undefined ? sandboxOf(deps) : undefined;
  return {
    mailbox,
    sandbox,
    auth: authOf(deps, smtpUrl, mailbox),
    rest: restOf(deps),
    storage: storageOf(deps),
    realtime: realtimeOf(deps),
    functions: functionsOf(deps, { smtpUrl, sandbox, apiFetch }),
  };
}

const mailboxOf = (deps: Dependencies) =>
  closing(deps, "mailbox", async () => {
    const { createMailbox } = await import("./mailbox/index.ts");
    return createMailbox({ directory: join(deps.config.dataDir, "mailbox"), log: deps.log });
  });

const sandboxOf = (deps: Dependencies) =>
  closing(deps, "payments sandbox", async () => {
    const { createPaymentsSandbox } = await import("../../sandbox/src/index.ts");
    const { database, log, clock, localUrl, siteUrl, secrets } = deps;
    const sandbox = createPaymentsSandbox({
      ...secrets.sandbox,
      ...{ database, log, clock, publicUrl: siteUrl },
      webhook: { url: `${localUrl}/functions/v1/stripe-webhook`, secret: secrets.sandbox.webhookSecret },
    });
    sandbox.start();
    return sandbox;
  });

function authOf(
  deps: Dependencies,
  smtpUrl: () => Promise<string>,
  mailbox: ReturnType<typeof mailboxOf> | undefined,
) {
  // Separate SMTP connections: a sign-up must not wait behind a thousand order mails.
  const mailer = mailerOf(deps, smtpUrl, "auth", () => contactOf(deps));
  return closing(deps, "auth", async () => {
    const [{ createAuth }, { parseSettings }] = await Promise.all([
      import("./auth/index.ts"),
      import("./auth/settings/settings.ts"),
    ]);
    const { config, secrets, database, tokens, clock, log, siteUrl } = deps;
    const settings = deps.authSettings ?? parseSettings({});
    const auth = createAuth({
      ...{ database, tokens, mailer, clock, log, siteUrl, settings },
      sendSms: await smsOf(settings, mailbox),
      atRest: createAtRest(config.authKey ?? secrets.authKey),
      limitsThisMachine: config.trustedProxies.length > 0,
      mailsAreOpen: config.smtpUrl === undefined && exposedBy(config) === undefined,
      reachesAnything: exposedBy(config) === undefined,
    });
    auth.startJobs();
    return auth;
  });
}

/** Twilio, or the mailbox of this machine; undefined where mail is real and nothing sends texts. */
async function smsOf(settings: AuthSettings, mailbox: ReturnType<typeof mailboxOf> | undefined) {
  if (settings.SMS_PROVIDER === "twilio") {
    const { createTwilio } = await import("./auth/texts/twilio.ts");
    return createTwilio(settings);
  }
  return mailbox && (async (to: string, text: string) => (await mailbox.get()).keepText(to, text));
}

function restOf({ config, database, logins, clock, log, closers }: Dependencies) {
  const maxBytes = config.limits.answerBytes;
  const rest = createRest({
    ...{ database, databaseUrl: logins.services, clock, log, maxBytes },
    settings: config.rest,
  });
  closers.push({ part: "rest", close: () => rest.close() });
  return rest;
}

const storageOf = (deps: Dependencies) =>
  closing(deps, "storage", async () => {
    const { config, database, jwtSecret, clock, log } = deps;
    const { createDiskStore, createStorage } = await import("./storage/index.ts");
    const folder = (name: string) => join(config.dataDir, name);
    const [renders, uploads] = [folder("storage-renders"), folder("storage-uploads")];
    const objectStore = config.s3
      ? await s3Store(config.s3, { staging: folder("storage-staging"), idFile: folder("storage-owner") })
      : createDiskStore(folder("storage"));
    return createStorage({ database, objectStore, renders, uploads, secret: jwtSecret, clock, log });
  });

/** The SDK is a hundred modules, loaded only where S3 is used. */
async function s3Store(
  settings: NonNullable<Dependencies["config"]["s3"]>,
  places: { staging: string; idFile: string },
) {
  const { S3Store } = await import("./storage/bytes/s3-store.ts");
  return new S3Store(settings, places);
}

const realtimeOf = (deps: Dependencies) =>
  closing(deps, "realtime", async () => {
    const { createRealtime } = await import("./realtime/index.ts");
    const { config, database, databaseUrl, tokens, clock, log } = deps;
    const { socketsPerAddress, subscriptionsPerAddress: joinedPerAddress, joinsPerAddress } = config.limits;
    return createRealtime({
      ...{ database, replicationUrl: databaseUrl, tokens, clock, log },
      anonymousBroadcast: config.anonymousBroadcast,
      limits: {
        ...(socketsPerAddress && { socketsPerAddress }),
        ...(joinedPerAddress && { joinedPerAddress }),
        ...(joinsPerAddress && { joinsPerSecondOfAddress: joinsPerAddress }),
      },
    });
  });

interface FunctionNeeds {
  readonly smtpUrl: () => Promise<string>;
  readonly sandbox: ReturnType<typeof sandboxOf> | undefined;
  readonly apiFetch: (request: Request, visitor?: string) => Promise<Response>;
}

function functionsOf(deps: Dependencies, { smtpUrl, sandbox, apiFetch }: FunctionNeeds) {
  const mailer = mailerOf(deps, smtpUrl, "functions");
  return closing(deps, "functions", async () => {
    const [{ createFunctions }, { parseSettings }] = await Promise.all([
      import("./functions/index.ts"),
      import("./auth/settings/settings.ts"),
    ]);
    const settings = deps.authSettings ?? parseSettings({});
    const { config, secrets, database, keys, siteUrl, localUrl, clock, log } = deps;
    return createFunctions({
      ...{ database, apiFetch, mailer, clock, log },
      serviceKey: keys.service,
      anonKey: keys.anon,
      workers: { folder: join(config.dataDir, "functions"), apiUrl: localUrl },
      payments: {
        ...(config.stripe ?? secrets.sandbox),
        ...(sandbox ? { sandbox: async (request: Request) => (await sandbox.get()).fetch(request) } : {}),
      },
      mailedLinkMinutes: settings.MAILER_OTP_EXP / 60,
      alertsTo: config.alertEmail ?? FIRST_ADMIN_EMAIL,
      bounceSecret: config.bounceSecret,
      ticketKey: secrets.ticketKey,
      wallets: config.wallets,
      siteUrl: () => siteUrl,
    });
  });
}

/** The published contact: people answer mails about their account too. */
async function contactOf({ database }: Dependencies): Promise<string | undefined> {
  const { rows } = await database
    .asService("the festival's facts are public")
    .query("select content->>'email' as email from public.festival_sections where id = 'facts'");
  return rows[0]?.email as string | undefined;
}

function mailerOf(
  { config, closers }: Dependencies,
  smtpUrl: () => Promise<string>,
  of: string,
  replyTo?: () => Promise<string | undefined>,
) {
  const mailer = createMailer(smtpUrl, config.mailFrom, replyTo);
  closers.push({ part: `mailer of ${of}`, close: () => mailer.close() });
  return mailer;
}

/** Loaded on first use, and closed if it was used. */
function closing<T extends { close(): unknown }>(
  { closers }: Dependencies,
  part: string,
  make: () => Promise<T>,
): OnFirstUse<T> {
  const made = onFirstUse(make);
  closers.push({ part, close: async () => (await made.loaded())?.close() });
  return made;
}
