// Wires the parts together: what each needs it is given here, and is loaded with its first use unless the first answer
// needs it. Undoes everything when starting fails half-way.
import { rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { exposedBy } from "./exposure.ts";
import { ensureFirstAdmin, FIRST_ADMIN_EMAIL } from "./first-admin.ts";
import { createClientAddress } from "./gateway/client-address.ts";
import { createGateway } from "./gateway/index.ts";
import { readOffers } from "./gateway/offers.ts";
import { listen } from "./listener.ts";
import { asService, pageOf } from "./parts.ts";
import { onFirstUse } from "./platform/on-first-use.ts";
import { systemClock } from "./platform/clock.ts";
import type { Config } from "./platform/config.ts";
import { createTokens } from "./platform/jwt.ts";
import { createLog, type Log } from "./platform/log.ts";
import { createMailer } from "./platform/mail.ts";
import { forgetAdminPassword, loadSecrets } from "./platform/secrets.ts";
import type { KeptCluster } from "./postgres/cluster-keeper.ts";
import { type DatabaseOptions, openDatabase } from "./postgres/database.ts";
import { loginPassword, type Logins, loginsOf, openLogins, signsIn } from "./postgres/logins.ts";
import { migrate } from "./postgres/migrate.ts";
import { requireRights } from "./postgres/outside-rights.ts";
import { createRest } from "./rest/index.ts";
import { forAdministrators, forThisMachine, type Page } from "./private-pages.ts";

const JOBS_START_MS = 500;
const JOBS_RETRY_MS = 5_000;

const root = resolve(import.meta.dirname, "../..");

/** `starting` is the embedded cluster on its way up, or undefined when config.databaseUrl names another. */
export async function startFestival(
  config: Config,
  starting: Promise<KeptCluster> | undefined,
): Promise<{ stop(): Promise<void> }> {
  const closers: (() => unknown)[] = [async () => (await starting?.catch(() => undefined))?.stop()];
  /** Undoes in the reverse order of doing. */
  const stop = async () => {
    for (const close of closers.toReversed()) await close();
  };
  try {
    const log = createLog(config.logLevel);
    const clock = systemClock;

    const secrets = loadSecrets(config.dataDir);
    const jwtSecret = config.jwtSecret ?? secrets.jwtSecret;
    const tokens = createTokens(jwtSecret, clock);
    const keys = {
      anon: tokens.sign({ iss: "supabase", role: "anon" }),
      service: tokens.sign({ iss: "supabase", role: "service_role" }),
    };

    const cluster = await starting;
    void cluster?.givenUp.then(async () => {
      await stop();
      process.exit(1);
    });
    const databaseUrl = cluster?.url ?? config.databaseUrl!;
    const logins = await prepareDatabase(databaseUrl, cluster ? undefined : loginPassword(jwtSecret), log);
    const database = openDatabase(logins, databaseOptions(config));
    closers.push(() => database.close());

    const server = await listen(config);
    const { port } = server;
    const mailbox =
      config.smtpUrl === undefined
        ? onFirstUse(async () => {
            const { createMailbox } = await import("./mailbox/index.ts");
            return createMailbox({ directory: join(config.dataDir, "mailbox"), log });
          })
        : undefined;
    if (mailbox) closers.push(async () => (await mailbox.loaded())?.close());

    const localUrl = () => `http://localhost:${port}`;
    const siteUrl = () => config.siteUrl ?? localUrl();
    const newMailer = () => {
      const mailer = createMailer(
        async () => config.smtpUrl ?? (await mailbox!.get()).smtpUrl,
        config.mailFrom,
      );
      closers.push(() => mailer.close());
      return mailer;
    };

    const sandbox =
      config.stripe === undefined
        ? onFirstUse(async () => {
            const { createPaymentsSandbox } = await import("./payments-sandbox/index.ts");
            const made = createPaymentsSandbox({
              ...secrets.sandbox,
              database,
              log,
              clock,
              publicUrl: siteUrl(),
              webhook: {
                url: `${localUrl()}/functions/v1/stripe-webhook`,
                secret: secrets.sandbox.webhookSecret,
              },
            });
            made.start();
            return made;
          })
        : undefined;
    if (sandbox) closers.push(async () => (await sandbox.loaded())?.close());
    const auth = onFirstUse(async () => {
      const { createAuth } = await import("./auth/index.ts");
      const made = createAuth({
        database,
        tokens,
        // Connections of its own: who signs up does not wait behind a thousand order mails.
        mailer: newMailer(),
        clock,
        log,
        siteUrl: siteUrl(),
        requestsPerAddress: config.authRequests,
        policy: config.sessionIdleDays ? { sessionIdleSeconds: config.sessionIdleDays * 86_400 } : {},
        limitsThisMachine: config.trustedProxies.length > 0,
        mailsAreOpen: config.smtpUrl === undefined && exposedBy(config) === undefined,
      });
      made.startJobs();
      return made;
    });
    closers.push(async () => (await auth.loaded())?.close());
    const rest = createRest({
      database,
      databaseUrl: logins.services,
      clock,
      log,
      maxBytes: config.limits.answerBytes,
    });
    closers.push(() => rest.close());
    const storage = onFirstUse(async () => {
      const { createDiskStore, createStorage } = await import("./storage/index.ts");
      const objectStore = createDiskStore(join(config.dataDir, "storage"));
      return createStorage({ database, objectStore, secret: jwtSecret, clock, log });
    });
    const realtime = onFirstUse(async () => {
      const { createRealtime } = await import("./realtime/index.ts");
      const { socketsPerAddress, subscriptionsPerAddress: joinedPerAddress } = config.limits;
      return createRealtime({
        ...{ database, replicationUrl: databaseUrl, tokens, clock, log },
        anonymousBroadcast: config.anonymousBroadcast,
        limits: {
          ...(socketsPerAddress && { socketsPerAddress }),
          ...(joinedPerAddress && { joinedPerAddress }),
        },
      });
    });
    closers.push(async () => (await realtime.loaded())?.close());
    const functions = onFirstUse(async () => {
      const { createFunctions } = await import("./functions/index.ts");
      return createFunctions({
        database,
        apiFetch: (request) => gateway.fetch(request, "127.0.0.1"),
        serviceKey: keys.service,
        payments: {
          ...(config.stripe ?? secrets.sandbox),
          ...(sandbox ? { sandbox: async (request: Request) => (await sandbox.get()).fetch(request) } : {}),
        },
        mailer: newMailer(),
        alertsTo: config.alertEmail ?? FIRST_ADMIN_EMAIL,
        ticketKey: secrets.ticketKey,
        siteUrl,
        clock,
        log,
      });
    });
    closers.push(async () => (await functions.loaded())?.close());

    const mailboxDoor = (page: Page): Page =>
      exposedBy(config) === undefined
        ? forThisMachine(page)
        : forAdministrators(page, {
            api: (request, { ip }) => gateway.fetch(request, ip),
            apiUrl: siteUrl(),
            anonKey: keys.anon,
            now: () => clock.now(),
          });
    const gateway = createGateway({
      services: {
        auth: asService(auth),
        rest,
        storage: asService(storage),
        functions: asService(functions),
        realtime: {
          ...asService(realtime),
          handleUpgrade: (...upgrade) => {
            realtime.get().then(
              (service) => service.handleUpgrade(...upgrade),
              (error: unknown) => {
                log.error({ err: error }, "realtime could not be loaded");
                upgrade[1].destroy();
              },
            );
          },
        },
      },
      pages: {
        ...(sandbox ? { "/v1": pageOf(sandbox), "/payments-sandbox": pageOf(sandbox) } : {}),
        ...(mailbox ? { "/mailbox": mailboxDoor(pageOf(mailbox)) } : {}),
      },
      tokens,
      keys,
      apiUrl: siteUrl(),
      site: {
        directory: join(root, "site/build/client"),
        meta: {
          // The page asks the origin it came from, so that localhost, an address and a proxy all work.
          "supabase-anon-key": keys.anon,
          "canonical-url": config.siteUrl ?? "",
          "alternate-hosts": config.alternateHosts.join(","),
        },
        siteUrl,
        offers: () =>
          readOffers((path) =>
            gateway.fetch(
              new Request(`${siteUrl()}${path}`, { headers: { apikey: keys.anon } }),
              "127.0.0.1",
            ),
          ),
        trustedOrigins: config.stripe
          ? ["https://js.stripe.com", "https://api.stripe.com", "https://hooks.stripe.com"]
          : [],
      },
      bodyBytes: config.limits.bodyBytes,
      clientAddress: createClientAddress(config.trustedProxies, strangerOnce(log)),
      log,
    });
    server.serve(gateway);
    closers.push(() => server.close());
    // Holds to expire, mail to send, webhooks to deliver: the work a stopped server left waits a moment longer.
    const startJobs = async (): Promise<void> => {
      try {
        await sandbox?.get();
        await auth.get();
        (await functions.get()).startJobs();
      } catch (error) {
        log.error({ err: error }, "the jobs could not be started; they are tried again");
        jobs = setTimeout(startJobs, JOBS_RETRY_MS);
      }
    };
    let jobs = setTimeout(startJobs, JOBS_START_MS);
    closers.push(() => clearTimeout(jobs));

    const admin = await ensureFirstAdmin({
      database,
      // Where money is real, or the world may come, no generated password may be lying about.
      password: sandbox && !config.production ? secrets.adminPassword : undefined,
      api: (request) => gateway.fetch(request, "127.0.0.1"),
      serviceKey: keys.service,
      apiUrl: siteUrl(),
    });

    if (admin.password === undefined) forgetAdminPassword(config.dataDir);

    const mailUrl = mailbox ? `${localUrl()}/mailbox` : undefined;
    const statusFile = join(config.dataDir, "status.json");
    const values = {
      API_URL: siteUrl(),
      ANON_KEY: keys.anon,
      SERVICE_ROLE_KEY: keys.service,
      DB_URL: databaseUrl,
      ...(mailUrl ? { MAIL_URL: mailUrl } : {}),
      ADMIN_EMAIL: admin.email,
      ...(admin.password ? { ADMIN_PASSWORD: admin.password } : {}),
    };
    writeFileSync(statusFile, JSON.stringify({ pid: process.pid, values }, null, 2), { mode: 0o600 });
    closers.push(() => rmSync(statusFile, { force: true }));

    say(
      "",
      "  Houston Culture Festival",
      "",
      `  Site      ${siteUrl()}`,
      ...(mailUrl ? [`  Mailbox   ${mailUrl}  (every mail sent; set SMTP_URL to send for real)`] : []),
      ...(admin.password ? [`  Admin     ${admin.email}  ${admin.password}`] : []),
      ...(admin.needsPassword
        ? [`  Admin     ${admin.email}  set its password: npm run admin -- link ${admin.email}`]
        : []),
      ...(sandbox ? ["  Payments  are a sandbox: no money moves. Test card 4242 4242 4242 4242."] : []),
      "",
      "  Ctrl-C stops everything.",
      "",
    );
    return { stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Behind a proxy that is not named, all visitors are one address and share one visitor's limits. */
function strangerOnce(log: Log): (address: string) => void {
  let told = false;
  return (address) => {
    if (told) return;
    told = true;
    log.warn(
      { address },
      "a proxy passes on addresses that are not believed: name it in TRUSTED_PROXIES if it is yours",
    );
  };
}

/** As the database's owner, for the last time but for replication: whoever asks afterwards owns nothing. */
async function prepareDatabase(databaseUrl: string, password: string | undefined, log: Log): Promise<Logins> {
  const logins = loginsOf(databaseUrl, password);
  const owned = openDatabase(databaseUrl, { sizes: { requests: 1, service: 1 } });
  try {
    const owner = owned.asService("migrations own the schema");
    if (password !== undefined) {
      const forLiveChanges = await requireRights(owner, password, (role) => signsIn(logins, role));
      if (forLiveChanges) log.warn({}, forLiveChanges);
    }
    await migrate(owner, { server: join(root, "server/migrations"), supabase: join(root, "supabase") });
    if (password !== undefined) await openLogins(owner, logins, password);
  } finally {
    await owned.close();
  }
  return logins;
}

function databaseOptions({ limits }: Config): DatabaseOptions {
  const { connections, connectionsPerAddress, connectionsPerAccount, connectionWaitSeconds } = limits;
  return {
    ...(connections ? { sizes: { requests: connections, service: 6 } } : {}),
    perAddress: connectionsPerAddress,
    perAccount: connectionsPerAccount,
    waitMs: connectionWaitSeconds && connectionWaitSeconds * 1000,
  };
}

function say(...lines: string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}
