// The addresses of the mailbox: pages for people, JSON for tests and tools. Mails hold sign-in links, so no other site's page
// may read or delete them, whatever the gateway's CORS headers say.
import { Hono } from "hono";
import type { Log } from "../platform/log.ts";
import { listPage, PAGE_SIZE } from "./list-page.ts";
import { mailHtml } from "./mail-html.ts";
import type { Content, Reader } from "./message.ts";
import { messagePage, missingPage, PICTURES } from "./message-page.ts";
import type { ShowTime } from "./page.ts";
import type { Store } from "./store.ts";

export interface RouteDeps {
  readonly store: Store;
  readonly reader: Reader;
  readonly time: ShowTime;
  readonly log: Log;
}

export function createRoutes(deps: RouteDeps): Hono {
  const app = new Hono();

  app.use(async (c, next) => {
    const site = c.req.header("sec-fetch-site");
    const ours = site === undefined || site === "same-origin" || site === "none";
    const visit = c.req.method === "GET" && c.req.header("sec-fetch-mode") === "navigate";
    if (!ours && !visit) return c.json({ message: "The mailbox does not answer other sites" }, 403);
    await next();
  });

  addApi(app, deps);
  addPages(app, deps);

  app.notFound(() => missingPage());
  app.onError((error, c) => {
    deps.log.error({ err: error }, "mailbox: request failed");
    return c.text("The mailbox could not answer.", 500);
  });
  return app;
}

function addApi(app: Hono, { store, reader }: RouteDeps): void {
  app.get("/mailbox/api/messages", async (c) => {
    const limit = wholeNumber(c.req.query("limit"), 1, 500) ?? 50;
    return c.json({ messages: await reader.messages({ to: c.req.query("to"), limit }) });
  });
  app.delete("/mailbox/api/messages", async (c) => {
    const messages = await reader.messages({ to: c.req.query("to"), limit: Infinity });
    const removed = await Promise.all(messages.map(({ id }) => store.remove(id)));
    return c.json({ deleted: removed.filter(Boolean).length });
  });
  app.get("/mailbox/api/messages/:id", async (c) => {
    const message = await reader.message(c.req.param("id"));
    return message ? c.json(message) : c.json({ message: "No such mail" }, 404);
  });
  app.delete("/mailbox/api/messages/:id", async (c) => {
    const removed = await store.remove(c.req.param("id"));
    return removed ? c.json({ deleted: 1 }) : c.json({ message: "No such mail" }, 404);
  });
}

function addPages(app: Hono, { store, reader, time }: RouteDeps): void {
  app.get("/mailbox", async (c) => {
    const page = wholeNumber(c.req.query("page"), 1, 1000) ?? 1;
    const [messages, ids] = await Promise.all([
      reader.messages({ offset: (page - 1) * PAGE_SIZE, limit: PAGE_SIZE }),
      store.ids(),
    ]);
    return listPage({ messages, page, total: ids.length, time });
  });
  app.post("/mailbox/delete", async (c) => {
    const id = new URLSearchParams(await c.req.text()).get("id");
    await Promise.all((id === null ? await store.ids() : [id]).map((each) => store.remove(each)));
    return c.redirect("/mailbox", 303);
  });
  app.get("/mailbox/:id", async (c) => {
    const message = await reader.message(c.req.param("id"));
    return message ? messagePage(message, time) : missingPage();
  });
  app.get("/mailbox/:id/html", async (c) => {
    const id = c.req.param("id");
    const [message, contents] = await Promise.all([reader.message(id), reader.contents(id)]);
    if (!message || !contents || message.html === null) return missingPage();
    return mailHtml(message, contents, new URL(c.req.url).origin);
  });
  app.get("/mailbox/:id/raw", async (c) => {
    const content = await store.read(c.req.param("id"));
    return content
      ? download({ mimeType: "text/plain; charset=utf-8", bytes: new Uint8Array(content) })
      : missingPage();
  });
  app.get("/mailbox/:id/attachments/:index{[0-9]+}", async (c) => {
    const content = (await reader.contents(c.req.param("id")))?.[Number(c.req.param("index"))];
    return content ? download(content) : missingPage();
  });
}

/** Untrusted bytes: displayed only as a picture or plain text, otherwise downloaded. */
function download({
  mimeType,
  bytes,
  filename,
}: Pick<Content, "mimeType" | "bytes"> & { filename?: string }): Response {
  const shown = PICTURES.includes(mimeType) || mimeType.startsWith("text/plain");
  const name = encodeURIComponent(filename ?? "mail.txt").replaceAll("'", "%27");
  return new Response(bytes, {
    headers: {
      "content-type": shown ? mimeType : "application/octet-stream",
      "content-disposition": `${shown ? "inline" : "attachment"}; filename*=UTF-8''${name}`,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox",
    },
  });
}

function wholeNumber(text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined || !/^\d{1,6}$/.test(text)) return undefined;
  return Math.min(most, Math.max(least, Number(text)));
}
