// Starts everything in one process: the only place that reads the environment and wires the parts together.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ensureFirstAdmin, FIRST_ADMIN_EMAIL } from "./first-admin.ts";
import { systemClock } from "./platform/clock.ts";
import { type Config, ConfigError, parseConfig } from "./platform/config.ts";
import { createTokens } from "./platform/jwt.ts";
import { createLog } from "./platform/log.ts";
import { createMailer } from "./platform/mail.ts";
import { loadSecrets } from "./platform/secrets.ts";
import { asService, onFirstUse, pageOf } from "./on-first-use.ts";
import { ClusterError, startCluster } from "./postgres/cluster.ts";
import { openDatabase } from "./postgres/database.ts";
import { migrate, MigrationError } from "./postgres/migrate.ts";

/** A reason not to start that the person at the terminal can act on. */
class StartError extends Error {}

const root = resolve(import.meta.dirname, "../..");

let stopping = false;

async function start(config: Config): Promise<{ stop(): Promise<void> }> {
  const closers: (() => unknown)[] = [];
  /** Undoes in the reverse order of doing. */
  const stop = async () => {
    stopping = true;
    for (const close of closers.toReversed()) await close();
  };
  try {
    claimDataFolder(config.dataDir);
    const log = createLog(config.logLevel);
    const clock = systemClock;

    // The database starts first, and what the first answer needs is loaded meanwhile; every other service with its first call.
    const starting =
      config.databaseUrl === undefined ? startCluster(join(config.dataDir, "postgres")) : undefined;
    starting?.catch(() => {});
    const loading = Promise.all([import("./gateway/index.ts"), import("./rest/index.ts")]);
    loading.catch(() => {});
    const secrets = loadSecrets(config.dataDir);
    const jwtSecret = config.jwtSecret ?? secrets.jwtSecret;
    const tokens = createTokens(jwtSecret, clock);
    const [anon, service] = await Promise.all(
      ["anon", "service_role"].map((role) => tokens.sign({ iss: "supabase", role })),
    );
    const keys = { anon: anon!, service: service! };

    const cluster = await starting;
    if (cluster) {
      closers.push(() => cluster.stop());
      void cluster.exited.then(() => die("PostgreSQL stopped unexpectedly.", stop));
    }
    const databaseUrl = cluster?.url ?? config.databaseUrl!;
    const database = openDatabase(databaseUrl);
    closers.push(() => database.close());
    await migrate(database.asService("migrations own the schema"), {
      server: join(root, "server/migrations"),
      supabase: join(root, "supabase"),
    });

    const [{ createGateway }, { createRest }] = await loading;
    const mailbox =
      config.smtpUrl === undefined
        ? onFirstUse(async () => {
            const { createMailbox } = await import("./mailbox/index.ts");
            return createMailbox({ directory: join(config.dataDir, "mailbox"), log });
          })
        : undefined;
    if (mailbox) closers.push(async () => (await mailbox.loaded())?.close());

    let port = config.port;
    const localUrl = () => `http://localhost:${port}`;
    const siteUrl = () => config.siteUrl ?? localUrl();
    const mailer = createMailer(
      async () => config.smtpUrl ?? (await mailbox!.get()).smtpUrl,
      "Houston Culture Festival <tickets@festival.example>",
    );
    closers.push(() => mailer.close());

    const server = await listen(config, (assigned) => {
      port = assigned;
    });
    closers.push(() => server.close());

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
    if (sandbox && config.production && !config.sandboxAllowedInProduction) {
      throw new StartError(
        "NODE_ENV is production but payments are a sandbox. Set STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY and " +
          "STRIPE_WEBHOOK_SECRET, or PAYMENTS_SANDBOX=true to sell nothing for real.",
      );
    }

    const auth = onFirstUse(async () => {
      const { createAuth } = await import("./auth/index.ts");
      return createAuth({ database, tokens, mailer, clock, log, siteUrl: siteUrl() });
    });
    const rest = createRest({ database, databaseUrl, clock, log });
    closers.push(() => rest.close());
    const storage = onFirstUse(async () => {
      const { createDiskStore, createStorage } = await import("./storage/index.ts");
      const objectStore = createDiskStore(join(config.dataDir, "storage"));
      return createStorage({ database, objectStore, secret: jwtSecret, clock, log });
    });
    const realtime = onFirstUse(async () => {
      const { createRealtime } = await import("./realtime/index.ts");
      return createRealtime({ database, replicationUrl: databaseUrl, tokens, clock, log });
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
        mailer,
        alertsTo: FIRST_ADMIN_EMAIL,
        ticketKey: secrets.ticketKey,
        siteUrl,
        clock,
        log,
      });
    });
    closers.push(async () => (await functions.loaded())?.close());

    const gateway = createGateway({
      services: {
        auth: asService(auth),
        rest,
        storage: asService(storage),
        functions: asService(functions),
        realtime: {
          ...asService(realtime),
          handleUpgrade: (...upgrade) => {
            void realtime.get().then((service) => service.handleUpgrade(...upgrade));
          },
        },
      },
      pages: {
        ...(sandbox ? { "/v1": pageOf(sandbox), "/payments-sandbox": pageOf(sandbox) } : {}),
        ...(mailbox ? { "/mailbox": pageOf(mailbox) } : {}),
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
        trustedOrigins: config.stripe
          ? ["https://js.stripe.com", "https://api.stripe.com", "https://hooks.stripe.com"]
          : [],
      },
      log,
    });
    server.serve(gateway);
    // Holds to expire, mail to send, webhooks to deliver: the work a stopped server left waits a moment longer.
    const jobs = setTimeout(() => {
      void sandbox?.get();
      void functions.get().then((service) => service.startJobs());
    }, 500);
    closers.push(() => clearTimeout(jobs));

    const admin = await ensureFirstAdmin({
      database,
      password: secrets.adminPassword,
      api: (request) => gateway.fetch(request, "127.0.0.1"),
      serviceKey: keys.service,
      apiUrl: siteUrl(),
    });

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

/** Two servers on one folder would fight over its cluster. A file left by kill -9 names a process that is gone. */
function claimDataFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const probe = join(dataDir, ".writable");
    writeFileSync(probe, "");
    rmSync(probe);
  } catch (error) {
    throw new StartError(
      `The data folder ${dataDir} cannot be written (${(error as NodeJS.ErrnoException).code}). ` +
        "Set DATA_DIR to a folder that can.",
    );
  }
  const lock = join(dataDir, "server.pid");
  const holder = Number(readIfThere(lock));
  if (holder > 0 && holder !== process.pid && readIfThere(`/proc/${holder}/cmdline`)?.includes("node")) {
    throw new StartError(
      `A server (process ${holder}) already runs on the data folder ${dataDir}. Stop it first, or set DATA_DIR and PORT.`,
    );
  }
  writeFileSync(lock, String(process.pid));
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Opens the port before anything answers on it, so that a busy port is known at once and nothing is refused at the end. */
async function listen(config: Config, onPort: (port: number) => void) {
  const { createServer } = await import("node:http");
  let inner: import("node:http").Server | undefined;
  const outer = createServer((request, response) => {
    if (inner) inner.emit("request", request, response);
    else response.writeHead(503, { "retry-after": "1" }).end("Starting");
  });
  outer.on("upgrade", (request, socket, head) => {
    if (inner) inner.emit("upgrade", request, socket, head);
    else socket.destroy();
  });
  await new Promise<void>((ready, fail) => {
    outer.once("error", (error: NodeJS.ErrnoException) =>
      fail(
        new StartError(
          error.code === "EADDRINUSE"
            ? `Port ${config.port} is in use by another program. Stop it, or choose another: PORT=3001 npm start`
            : `Cannot listen on ${config.host}:${config.port}: ${error.message}`,
        ),
      ),
    );
    outer.listen(config.port, config.host, ready);
  });
  const address = outer.address();
  if (address && typeof address === "object") onPort(address.port);
  return {
    serve(gateway: { server: import("node:http").Server }) {
      inner = gateway.server;
    },
    close: () =>
      new Promise<void>((done) => {
        outer.close(() => done());
        outer.closeAllConnections();
      }),
  };
}

function say(...lines: string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}

async function die(message: string, stop: () => Promise<void>): Promise<void> {
  if (stopping) return;
  process.stderr.write(`${message}\n`);
  await stop();
  process.exit(1);
}

try {
  const running = await start(parseConfig(process.env));
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1); // a second Ctrl-C does not wait
      void running.stop().then(() => process.exit(0));
    });
  }
} catch (error) {
  const expected = [StartError, ConfigError, ClusterError, MigrationError].some(
    (known) => error instanceof known,
  );
  process.stderr.write(
    `\nCould not start. ${expected ? (error as Error).message : (error as Error).stack}\n`,
  );
  process.exit(1);
}
