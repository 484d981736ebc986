// A small built site behind the gateway: `const { ask } = await openSiteGateway()` at the top of a test file.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import { BUILT_ORIGIN } from "contract/built-origin";
import { openGateway } from "../../server/testing/gateway.ts";
import { StaticSite } from "../src/site/static-site.ts";
import { trustedOrigins } from "../src/site/trusted-origins.ts";

const page = (title: string) =>
  `<html><head><title>${title}</title></head><body><script>start()</script></body></html>`;

const SITE = {
  "index.html": page("Home"),
  "about/index.html": page("About"),
  "auth/index.html": page("Sign in"),
  "gate/index.html": page("Gate"),
  "tickets/index.html": `<html><head></head><body><script type="application/ld+json">{"offers":[]}</script><ul data-offers="" class="list"></ul></body></html>`,
  "sitemap.xml": `<loc>${BUILT_ORIGIN}/tickets</loc>`,
  "__spa-fallback.html": page("Fallback"),
  "assets/app-abc.js": "start();".repeat(200),
  "assets/gone-abc.js": "gone()",
};

/** Closed after the file's last test. */
export async function openSiteGateway(hstsSubdomains = false) {
  const directory = mkdtempSync(join(tmpdir(), "shop-site-"));
  afterAll(() => rmSync(directory, { recursive: true }));
  for (const [file, text] of Object.entries(SITE)) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), text);
  }
  const gateway = await openGateway(
    ({ keys, log }) =>
      new StaticSite({
        directory,
        meta: {
          "supabase-anon-key": keys.anon,
          "canonical-url": "https://festival.example",
          "alternate-hosts": "www.festival.example,old.example:8080",
        },
        siteUrl: () => "https://festival.example",
        offers: async () => [
          { name: "VIP <gold>", price: { cents: 150_00, withFee: 150_00 }, state: "open", isTicket: true },
        ],
        published: { read: async () => ({}), listen: () => {}, render: async () => new Map(), log },
        trustedOrigins: trustedOrigins({}),
        hstsSubdomains,
      }),
  );
  return { ...gateway, directory };
}
