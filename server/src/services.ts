// Creates every service. Only REST is loaded immediately, because a site usually queries it for its first page; the others
// load on first use.
import { join } from "node:path";
import { isRestoredCopy } from "./data-folder.ts";
import { exposedBy } from "./exposure.ts";
import type { AuthSettings } from "./auth/settings/settings.ts";
import type { Dependencies } from "./dependencies.ts";
import { createAtRest } from "./platform/keys/at-rest.ts";
import { createMailer } from "./platform/mail.ts";
import { onFirstUse, type OnFirstUse } from "./platform/on-first-use.ts";
import { createRest } from "./rest/index.ts";
import type { ProgramParts } from "./program.ts";

export type Services = ReturnType<typeof createServices>;

export type Mail = ReturnType<typeof createMail>;

/** SMTP as configured, or a mailbox on this machine. */
export function createMail(deps: Dependencies) {
  const { config, closers } = deps;
  const mailbox = config.smtpUrl === undefined ? mailboxOf(deps) : undefined;
  const route = async () => config.smtpUrl ?? (await mailbox!.get()).keepMail;
  return {
    mailbox,
    /** Each has SMTP connections of its own: a sign-up must not wait behind a thousand other mails. */
    mailer(of: string, replyTo?: () => Promise<string | undefined>) {
      const mailer = createMailer(route, config.mailFrom, replyTo);
      closers.push({ part: `mailer of ${of}`, close: () => mailer.close() });
      return mailer;
    },
  };
}

export function createServices(deps: Dependencies, mail: Mail, parts: ProgramParts) {
  return {
    mailbox: mail.mailbox,
    auth: authOf(deps, mail, parts),
    rest: restOf(deps),
    storage: storageOf(deps),
    realtime: realtimeOf(deps),
    functions: functionsOf(deps, parts),
  };
}

const mailboxOf = (deps: Dependencies) =>
  closing(deps, "mailbox", async () => {
    const { createMailbox } = await import("./mailbox/index.ts");
    const { config, brand, log } = deps;
    return createMailbox({ directory: join(config.dataDir, "mailbox"), timeZone: brand.timeZone, log });
  });

function authOf(deps: Dependencies, { mailbox, mailer: mailerOf }: Mail, { replyTo }: ProgramParts) {
  const mailer = mailerOf("auth", replyTo);
  return closing(deps, "auth", async () => {
    const [{ createAuth }, { parseSettings }] = await Promise.all([
      import("./auth/index.ts"),
      import("./auth/settings/settings.ts"),
    ]);
    const { config, brand, secrets, database, tokens, clock, log, siteUrl } = deps;
    const settings = deps.authSettings ?? parseSettings({});
    return createAuth({
      ...{ database, tokens, mailer, clock, log, siteUrl, settings, brand },
      sendSms: await smsOf(settings, mailbox),
      atRest: createAtRest(config.authKey ?? secrets.authKey),
      maySend: () => !isRestoredCopy(config.dataDir),
      limitsThisMachine: config.trustedProxies.length > 0,
      mailsAreOpen: config.smtpUrl === undefined && exposedBy(config) === undefined,
      reachesAnything: exposedBy(config) === undefined,
    });
  });
}

/** Twilio, or the mailbox of this machine; undefined where mail is real and nothing sends texts. */
async function smsOf(settings: AuthSettings, mailbox: Mail["mailbox"]) {
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

const functionsOf = (deps: Dependencies, { functions }: ProgramParts) =>
  closing(deps, "functions", async () => {
    const { config, project, keys, siteUrl, localUrl, log } = deps;
    const base = {
      project: project.supabase,
      serviceKey: keys.service,
      anonKey: keys.anon,
      workers: { folder: join(config.dataDir, "functions"), apiUrl: localUrl },
      siteUrl: () => siteUrl,
      log,
    };
    if (functions) return functions(base);
    const { createFunctions } = await import("./functions/index.ts");
    return createFunctions(base);
  });

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
