// The gateway with the services, and the program's pages and site, behind it.
import { createWriteProbe } from "./data-folder.ts";
import { exposedBy } from "./exposure.ts";
import { createClientAddress } from "./gateway/requests/client-address.ts";
import { createGateway } from "./gateway/index.ts";
import type { Dependencies } from "./dependencies.ts";
import type { Service, ServiceContext } from "./platform/http/context.ts";
import type { Log } from "./platform/log.ts";
import type { OnFirstUse } from "./platform/on-first-use.ts";
import { createDatabaseProbe } from "./postgres/write-probe.ts";
import { forThisMachine, type Page, refusePage } from "./private-pages.ts";
import type { ProgramParts } from "./program.ts";
import type { Services } from "./services.ts";

type Gateway = ReturnType<typeof createGateway>;

export function createServerGateway(deps: Dependencies, services: Services, parts: ProgramParts): Gateway {
  const { config, tokens, keys, siteUrl, log } = deps;
  const { auth, rest, storage, functions, realtime, mailbox } = services;
  return createGateway({
    services: {
      auth: whenLoaded(auth),
      rest,
      storage: whenLoaded(storage),
      functions: whenLoaded(functions),
      realtime: { ...whenLoaded(realtime), handleUpgrade: upgradeWhenLoaded(realtime, log) },
    },
    pages: {
      ...parts.pages,
      ...(mailbox ? { "/mailbox": mailboxPage(deps, pageWhenLoaded(mailbox), parts) } : {}),
    },
    ...{ tokens, keys, apiUrl: siteUrl, hstsSubdomains: config.hstsSubdomains, log },
    site: parts.site,
    probe: parts.probe,
    eventPaths: parts.eventPaths,
    bodyBytes: config.limits.bodyBytes,
    writable: writableOf(deps),
    clientAddress: createClientAddress(config.trustedProxies, config.proxyHeader, warnOfUnknownProxy(log)),
  });
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

function mailboxPage({ config }: Dependencies, page: Page, { mailboxDoor }: ProgramParts): Page {
  if (exposedBy(config) === undefined) return forThisMachine(page);
  return mailboxDoor?.(page) ?? { fetch: async () => refusePage(403, "The mailbox is closed.") };
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
