// The gateway with the festival's services and pages behind it.
import { resolve } from "node:path";
import { createWriteProbe } from "./data-folder.ts";
import { exposedBy } from "./exposure.ts";
import { createClientAddress } from "./gateway/requests/client-address.ts";
import { createGateway } from "./gateway/index.ts";
import { readOffers } from "../../shop/src/site/offers.ts";
import { readPublished } from "../../shop/src/site/published.ts";
import { renderSite } from "../../shop/src/site/render-site.ts";
import { trustedOrigins } from "../../shop/src/site/trusted-origins.ts";
import type { Dependencies } from "./dependencies.ts";
import type { Service, ServiceContext } from "./platform/http/context.ts";
import type { Log } from "./platform/log.ts";
import type { OnFirstUse } from "./platform/on-first-use.ts";
import { listenTo } from "./postgres/connections/listen.ts";
import { createDatabaseProbe } from "./postgres/write-probe.ts";
import { forAdministrators, forThisMachine, type Page } from "./private-pages.ts";
import type { Services } from "./services.ts";

const SITE = resolve(import.meta.dirname, "../../site/build/client");
const RENDERER = resolve(SITE, "../server/index.js");

type Gateway = ReturnType<typeof createGateway>;

export function createFestivalGateway(deps: Dependencies, services: Services): Gateway {
  const { config, authSettings, tokens, keys, logins, siteUrl, closers, log } = deps;
  const { auth, rest, storage, functions, realtime, sandbox, mailbox } = services;
  const asAnybody = (path: string): Promise<Response> =>
    gateway.fetch(new Request(`${siteUrl}${path}`, { headers: { apikey: keys.anon } }));
  const gateway: Gateway = createGateway({
    services: {
      auth: whenLoaded(auth),
      rest,
      storage: whenLoaded(storage),
      functions: whenLoaded(functions),
      realtime: { ...whenLoaded(realtime), handleUpgrade: upgradeWhenLoaded(realtime, log) },
    },
    pages: {
      ...(sandbox ? { "/v1": pageWhenLoaded(sandbox), "/payments-sandbox": pageWhenLoaded(sandbox) } : {}),
      ...(mailbox ? { "/mailbox": mailboxPage(deps, pageWhenLoaded(mailbox), () => gateway) } : {}),
    },
    tokens,
    keys,
    apiUrl: siteUrl,
    site: {
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
    },
    bodyBytes: config.limits.bodyBytes,
    writable: writableOf(deps),
    clientAddress: createClientAddress(config.trustedProxies, config.proxyHeader, warnOfUnknownProxy(log)),
    log,
  });
  return gateway;
}

function writableOf({ config, database, log }: Dependencies): () => Promise<boolean> {
  const probes = [createWriteProbe(config.dataDir), createDatabaseProbe(database, log)];
  return async () => (await Promise.all(probes.map((probe) => probe()))).every(Boolean);
}

const whenLoaded = (service: OnFirstUse<Service>) => ({
  fetch: async (request: Request, context: ServiceContext) => (await service.get()).fetch(request, context),
  takesUnread: async (path: string) => (await (await service.get()).takesUnread?.(path)) ?? false,
  renderError: async (...error: Parameters<Service["renderError"]>) =>
    (await service.get()).renderError(...error),
});

const pageWhenLoaded = (page: OnFirstUse<{ fetch(request: Request): Promise<Response> }>) => ({
  fetch: async (request: Request) => (await page.get()).fetch(request),
});

const upgradeWhenLoaded =
  (realtime: Services["realtime"], log: Log) =>
  (...upgrade: Parameters<Awaited<ReturnType<typeof realtime.get>>["handleUpgrade"]>): void => {
    realtime.get().then(
      (service) => service.handleUpgrade(...upgrade),
      (error: unknown) => {
        log.error({ err: error }, "realtime could not be loaded");
        upgrade[1].destroy();
      },
    );
  };

function mailboxPage(
  { config, siteUrl, keys, clock }: Dependencies,
  page: Page,
  gateway: () => Gateway,
): Page {
  if (exposedBy(config) === undefined) return forThisMachine(page);
  return forAdministrators(page, {
    api: (request, { ip }) => gateway().fetch(request, ip),
    apiUrl: siteUrl,
    anonKey: keys.anon,
    now: () => clock.now(),
  });
}

/** Warns once: behind a proxy that is not configured, all visitors are one address and share one visitor's limits. */
function warnOfUnknownProxy(log: Log): (address: string) => void {
  let warned = false;
  return (address) => {
    if (warned) return;
    warned = true;
    log.warn(
      { address },
      "requests carry a proxy's headers: if the proxy is yours, name it in TRUSTED_PROXIES",
    );
  };
}
