// The built site and the server's own pages.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { securityHeaders } from "../../../server/src/gateway/security-headers.ts";
import { openSiteGateway } from "../../testing/site-gateway.ts";

const { directory, keys, origin, ask } = await openSiteGateway();

describe("the site", () => {
  it("serves a page with the key filled in and a policy that allows only its own inline script", async () => {
    const answer = await ask("/about");
    const html = await answer.text();
    expect(html).toContain("<title>About</title>");
    expect(html).toContain(`<meta name="supabase-anon-key" content="${keys.anon}"/>`);
    const policy = answer.headers.get("content-security-policy")!;
    expect(policy).toMatch(/script-src 'self' 'sha256-[A-Za-z0-9+/=]+'/);
    expect(policy).not.toMatch(/script-src[^;]*unsafe-inline/);
  });

  it("answers 304 to a browser that has the page, and caches hashed files forever", async () => {
    const first = await ask("/");
    const again = await ask("/", { headers: { "if-none-match": first.headers.get("etag")! } });
    expect(again.status).toBe(304);
    expect((await ask("/assets/app-abc.js")).headers.get("cache-control")).toContain("immutable");
  });

  it("serves the app's own pages from the fallback and answers 404 for any other path", async () => {
    expect((await ask("/checkout")).status).toBe(200);
    expect((await ask("/admin/orders")).status).toBe(200);
    const missing = await ask("/no-such-page");
    expect(missing.status).toBe(404);
    expect(await missing.text()).toContain("Fallback");
    expect((await ask("/assets/missing.js")).status).toBe(404);
  });

  it("finds a page by its address, with or without trailing slashes", async () => {
    const titleAt = async (path: string) => /<title>(.*)<\/title>/.exec(await (await ask(path)).text())?.[1];
    for (const path of ["/about", "/about/", "/about//", "/%61bout", "/about?a=1"]) {
      expect([path, await titleAt(path)]).toEqual([path, "About"]);
    }
    expect(await titleAt("/")).toBe("Home");
  });

  it("redirects another spelling of a page's address to it, and no other path", async () => {
    const leadsTo = async (path: string) => (await ask(path, { redirect: "manual" })).headers.get("location");
    for (const path of [
      "/ABOUT",
      "/about.",
      "//about",
      "/about%20",
      "/About),",
      "/about%E2%80%9D",
      "//ABOUT//.",
    ]) {
      expect([path, await leadsTo(path)]).toEqual([path, "/about"]);
    }
    const { headers } = await ask("/ABOUT", { redirect: "manual" });
    expect(Object.fromEntries(headers)).toMatchObject(securityHeaders("https://festival.example"));
    expect(await leadsTo("/ABOUT?source=POSTER")).toBe("/about?source=POSTER");
    expect(await leadsTo("/MY-TICKETS")).toBe("/my-tickets");
    expect(await leadsTo("/%20")).toBe("/");
    expect(await leadsTo("/index.html")).toBe("/");
    expect(await leadsTo("/about/index.html?source=mail")).toBe("/about?source=mail");
    for (const path of [
      "/about",
      "/nowhere.",
      "/nowhere/index.html",
      "//evil.test",
      "//evil.test/about",
      "/%5Cevil.test",
    ]) {
      expect([path, await leadsTo(path)]).toEqual([path, null]);
    }
  });

  it("serves a page of the app from the fallback when it is requested with a query", async () => {
    expect(await (await ask("/auth")).text()).toContain("Sign in");
    expect(await (await ask("/auth?type=recovery")).text()).toContain("Fallback");
  });

  it("writes its own address and the offers into the pages", async () => {
    expect(await (await ask("/sitemap.xml")).text()).toBe("<loc>https://festival.example/tickets</loc>");
    const page = async () => (await ask("/tickets", { headers: { "accept-encoding": "br" } })).text();
    await expect.poll(page).toContain('<ul class="list"><li>VIP &lt;gold>: $150.00</li></ul>');
    expect(await page()).toContain(
      '"offers":[{"@type":"Offer","name":"VIP \\u003cgold>","price":"150.00","priceCurrency":"USD",' +
        '"availability":"https://schema.org/InStock","url":"https://festival.example/tickets"}]',
    );
  });

  it("does not leave the site's folder", async () => {
    for (const path of [
      "/..%2f..%2fetc%2fpasswd",
      "/%2e%2e/%2e%2e/etc/passwd",
      "/assets/..%5c..%5cindex.html",
      "/.git/config",
      "/assets/",
      "/assets",
      "/%",
    ]) {
      const answer = await ask(path);
      expect([400, 404]).toContain(answer.status);
      expect(await answer.text()).not.toContain("root:");
    }
  });

  it("answers 404 for a file that was deleted while the server runs", async () => {
    rmSync(join(directory, "assets/gone-abc.js"));
    expect((await ask("/assets/gone-abc.js")).status).toBe(404);
    expect((await ask("/")).status).toBe(200);
  });

  it("passes its own pages their whole path", async () => {
    expect(await (await ask("/mailbox/1")).text()).toBe("/mailbox/1");
  });

  it("leads a page on an alternate host to the canonical one, at once and saying so", async () => {
    const at = (host: string, path: string, method = "GET") => askAs(origin, host, path, method);
    const { status, headers, body } = await at("www.festival.example", "/About?a=1&b=%22x");
    expect([status, headers["cache-control"]]).toEqual([200, "no-store"]);
    expect(body).toContain("Redirecting to festival.example...");
    expect(body).toContain('<a href="https://festival.example/About?a=1&amp;b=%22x">');
    const [, script] = /<script>(.*)<\/script>/.exec(body)!;
    expect(script).toContain("location.replace(");
    const hash = createHash("sha256").update(script!).digest("base64");
    expect(headers["content-security-policy"]).toContain(`script-src 'self' 'sha256-${hash}'`);
    const same = (path: string) => `<a href="https://festival.example${path}">`;
    expect((await at("OLD.example:8080", "//evil.test/about")).body).toContain(same("//evil.test/about"));
    expect((await at("www.festival.example", "/no-such-page")).body).toContain(same("/no-such-page"));
    expect((await at("www.festival.example", "/", "HEAD")).body).toBe("");
  });

  it("serves every other host, the back office, the gate and files as they are", async () => {
    for (const [host, path, part] of [
      ["festival.example", "/about", "<title>About"],
      ["old.example", "/about", "<title>About"],
      ["www.festival.example", "/admin/orders", "<title>Fallback"],
      ["www.festival.example", "/gate", "<title>Gate"],
      ["www.festival.example", "/assets/app-abc.js", "start();"],
    ] as const) {
      expect((await askAs(origin, host, path)).body, `${host}${path}`).toContain(part);
    }
  });
});

/** fetch does not let a caller choose the host. */
async function askAs(origin: string, host: string, path: string, method = "GET") {
  const asked = request(origin, { path, method, headers: { host } }).end();
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

it("requires https where that is the site's address, and of subdomains where the operator says so", async () => {
  for (const path of ["/", "/assets/app-abc.js"])
    expect((await ask(path)).headers.get("strict-transport-security"), path).toBe("max-age=31536000");
  const withSubdomains = await openSiteGateway(true);
  for (const path of ["/", "/assets/app-abc.js"]) {
    const { headers } = await withSubdomains.ask(path);
    expect(headers.get("strict-transport-security"), path).toBe("max-age=31536000; includeSubDomains");
  }
});

it("connects to its own address alone, and no other site frames a page or file", async () => {
  const policyOf = async (path: string) => (await ask(path)).headers.get("content-security-policy");
  expect(await policyOf("/")).toContain("connect-src 'self' wss://festival.example;");
  expect(await policyOf("/")).toContain("frame-ancestors 'self'; base-uri 'none';");
  expect(await policyOf("/assets/app-abc.js")).toBe("base-uri 'none'; frame-ancestors 'self'");
});
