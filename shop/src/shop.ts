// The festival's program on the server: its functions and jobs, the payments sandbox, the site with what is for sale and
// published, the mailbox's door and the first administrator.
import { resolve } from "node:path";
import { isRestoredCopy } from "../../server/src/data-folder.ts";
import type { FunctionsServiceDeps } from "../../server/src/functions/index.ts";
import { onFirstUse, type OnFirstUse } from "../../server/src/platform/on-first-use.ts";
import { listenTo } from "../../server/src/postgres/connections/listen.ts";
import type { OpenServer, Program, ProgramParts } from "../../server/src/program.ts";
import { announce } from "./announcement.ts";
import { BRAND } from "./brand.ts";
import type { Config } from "./config.ts";
import { ensureFirstAdmin, FIRST_ADMIN_EMAIL } from "./first-admin.ts";
import { hideOnceChanged } from "./first-password.ts";
import { forAdministrators } from "./mailbox-door.ts";
import { PROJECT } from "./project.ts";
import { forgetAdminPassword, loadShopSecrets, type ShopSecrets } from "./secrets.ts";
import { readOffers } from "./site/offers.ts";
import { readPublished } from "./site/published.ts";
import { renderSite } from "./site/render-site.ts";
import { StaticSite } from "./site/static-site.ts";
import { trustedOrigins } from "./site/trusted-origins.ts";

const SITE = resolve(import.meta.dirname, "../../site/build/client");
const RENDERER = resolve(SITE, "../server/index.js");

export function createShop(config: Config): Program {
  return {
    project: PROJECT,
    brand: BRAND,
    open(server) {
      const secrets = loadShopSecrets(config.dataDir);
      const sandbox = config.stripe === undefined ? sandboxOf(server, secrets) : undefined;
      const page = sandbox && { fetch: async (request: Request) => (await sandbox.get()).fetch(request) };
      return {
        functions: (base) => functionsOf(config, server, secrets, sandbox, base),
        // Not on its first use: a restored copy, which has no jobs, neither settles late payments nor reports any.
        beforeJobs: async () => (await sandbox?.get())?.start(),
        ...(page && { pages: { "/v1": page, "/payments-sandbox": page } }),
        site: siteOf(config, server),
        eventPaths: ["/functions/v1/stripe-webhook"],
        probe: "/rest/v1/ticket_types?select=id&limit=1",
        mailboxDoor: (mailbox) =>
          forAdministrators(mailbox, {
            api: (request, { ip }) => server.apiFetch(request, ip),
            apiUrl: server.siteUrl,
            anonKey: server.keys.anon,
            now: () => server.clock.now(),
          }),
        replyTo: () => contactOf(server),
        started: () => start(config, server, secrets),
      } satisfies ProgramParts;
    },
  };
}

type Sandbox = Awaited<ReturnType<(typeof import("../../sandbox/src/index.ts"))["createPaymentsSandbox"]>>;

function sandboxOf(server: OpenServer, { sandbox: keys }: ShopSecrets): OnFirstUse<Sandbox> {
  const { database, log, clock, localUrl, siteUrl } = server;
  const made = onFirstUse(async () => {
    const { createPaymentsSandbox } = await import("../../sandbox/src/index.ts");
    return createPaymentsSandbox({
      ...keys,
      ...{ database, log, clock, publicUrl: siteUrl },
      webhook: {
        url: `${localUrl}/functions/v1/stripe-webhook`,
        secret: keys.webhookSecret,
        fetch: (request) => server.apiFetch(request),
      },
    });
  });
  server.closers.push({ part: "payments sandbox", close: async () => (await made.loaded())?.close() });
  return made;
}

async function functionsOf(
  config: Config,
  server: OpenServer,
  secrets: ShopSecrets,
  sandbox: OnFirstUse<Sandbox> | undefined,
  base: FunctionsServiceDeps,
) {
  const [{ createShopFunctions }, { parseSettings }] = await Promise.all([
    import("./functions/index.ts"),
    import("../../server/src/auth/settings/settings.ts"),
  ]);
  const settings = server.authSettings ?? parseSettings({});
  const { database, apiFetch, mailer, clock } = server;
  return createShopFunctions({
    ...base,
    ...{ database, apiFetch, mailer, clock },
    isCopy: () => isRestoredCopy(config.dataDir),
    payments: {
      ...(config.stripe ?? secrets.sandbox),
      ...(sandbox ? { sandbox: async (request: Request) => (await sandbox.get()).fetch(request) } : {}),
    },
    mailedLinkMinutes: settings.MAILER_OTP_EXP / 60,
    alertsTo: config.alertEmail ?? FIRST_ADMIN_EMAIL,
    bounceSecret: config.bounceSecret,
    ticketKey: secrets.ticketKey,
    wallets: config.wallets,
  });
}

function siteOf(config: Config, server: OpenServer): StaticSite {
  const { keys, siteUrl, authSettings, logins, closers, log } = server;
  const asAnybody = (path: string): Promise<Response> =>
    server.apiFetch(new Request(`${siteUrl}${path}`, { headers: { apikey: keys.anon } }));
  return new StaticSite({
    directory: SITE,
    meta: {
      // The page sends its requests to its own origin, so that localhost, an IP address and a proxy all work.
      "supabase-anon-key": keys.anon,
      "canonical-url": config.siteUrl ?? "",
      "alternate-hosts": config.alternateHosts.join(","),
    },
    siteUrl: () => siteUrl,
    offers: () => readOffers(asAnybody),
    published: {
      read: () => readPublished(asAnybody),
      listen: (onPublication) => {
        const ear = { onNotice: onPublication, onConnected: onPublication };
        const listener = listenTo("festival_published", logins.services, ear, log);
        closers.push({ part: "publications", close: () => listener.close() });
      },
      render: (content) => renderSite(RENDERER, content),
      log,
    },
    trustedOrigins: trustedOrigins({
      stripe: config.stripe !== undefined,
      captcha: authSettings?.SECURITY_CAPTCHA_ENABLED ? authSettings.SECURITY_CAPTCHA_PROVIDER : undefined,
    }),
    hstsSubdomains: config.hstsSubdomains,
  });
}

/** The published contact: people answer mails about their account too. */
async function contactOf({ database }: OpenServer): Promise<string | undefined> {
  const { rows } = await database
    .asService("the festival's facts are public")
    .query("select content->>'email' as email from public.festival_sections where id = 'facts'");
  return rows[0]?.email as string | undefined;
}

/** Shows the first administrator's sign-in, and the lines that say the shop is open. */
async function start(config: Config, server: OpenServer, secrets: ShopSecrets): Promise<void> {
  const admin = await ensureFirstAdmin({
    database: server.database,
    // No generated password where money is real or strangers can reach the server.
    password: config.stripe || config.production ? undefined : (secrets.adminPassword ?? undefined),
    api: (request) => server.apiFetch(request),
    serviceKey: server.keys.service,
    apiUrl: server.siteUrl,
  });
  if (admin.password === undefined) forgetAdminPassword(config.dataDir);
  announce(config, server, admin);
  if (admin.password !== undefined) hideOnceChanged(server, admin);
}
