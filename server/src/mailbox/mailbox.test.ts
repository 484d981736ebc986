import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createLog } from "../platform/log.ts";
import { createMailer } from "../platform/mail.ts";
import { createMailbox, type Mailbox, type Message } from "./index.ts";

const log = createLog("silent");
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

let directory: string;
let mailbox: Mailbox;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "mailbox-test-"));
  mailbox = await createMailbox({ directory, log });
});

afterEach(async () => {
  await mailbox.close();
  rmSync(directory, { recursive: true, force: true });
});

async function send(to: string, more: object = {}) {
  const writer = createTransport({ streamTransport: true, buffer: true });
  const { message, envelope } = await writer.sendMail({
    from: "Festival <tickets@example.com>",
    to,
    subject: "Hello",
    text: "Howdy",
    ...more,
  });
  await mailbox.keepMail({ source: String(message), sender: "", recipients: envelope.to });
}

const call = (path: string, init?: RequestInit) =>
  mailbox.fetch(new Request(`http://localhost:3000${path}`, init));
const messages = async (query = ""): Promise<Message[]> =>
  ((await (await call(`/mailbox/api/messages${query}`)).json()) as { messages: Message[] }).messages;

const withPicture = {
  html: '<h1 onclick="x()">Tickets</h1><img src="cid:qr-1"><script>alert(1)</script>',
  attachments: [{ filename: "Señor 'Q'.png", content: PIXEL, contentType: "image/png", cid: "qr-1" }],
};

describe("keeping mail", () => {
  test("stores what the server's mailer sends and returns it as JSON, newest first", async () => {
    const mailer = createMailer(
      async () => mailbox.keepMail,
      '"Houston Culture Festival" <tickets@example.com>',
    );
    await mailer.send({ to: "Ana@Example.com", subject: "Ünïcode", html: "<b>hi</b>", text: "hi" });
    await mailer.send({ to: "ben@example.com", subject: "Second", html: "<i>yo</i>", text: "yo" });
    mailer.close();

    const all = await messages();
    expect(all.map(({ subject }) => subject)).toEqual(["Second", "Ünïcode"]);
    const [ana] = await messages("?to=ana@example.com&limit=1");
    expect(ana).toEqual({
      id: expect.any(String),
      kind: "mail",
      receivedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      from: { name: "Houston Culture Festival", address: "tickets@example.com" },
      to: [{ name: "", address: "Ana@example.com" }],
      recipients: ["ana@example.com"],
      subject: "Ünïcode",
      text: expect.stringMatching(/^hi\s*$/),
      html: expect.stringContaining("<b>hi</b>"),
      attachments: [],
      url: `/mailbox/${ana!.id}`,
    });
    expect(await messages("?to=nobody@example.com")).toEqual([]);
  });

  test("receives nothing for a second address injected into the first", async () => {
    const mailer = createMailer(async () => mailbox.keepMail, "tickets@example.com");
    const mail = { subject: "A code", html: "<b>hi</b>", text: "hi" };
    for (const to of ["a@example.com, evil@example.com", "a@example.com\r\nBcc: evil@example.com"])
      await mailer.send({ to, ...mail }).catch(() => {});
    mailer.close();
    expect(await messages("?to=evil@example.com")).toEqual([]);
  });

  test("stores text messages among the mails", async () => {
    await mailbox.keepText("17135550100", "Your code is 012345. Señor");
    const [text] = await messages("?to=%2B17135550100");
    expect(text).toMatchObject({
      kind: "text",
      from: null,
      recipients: ["+17135550100"],
      subject: "Text message",
      text: expect.stringMatching(/^Your code is 012345\. Señor\s*$/),
    });
    expect(await (await call("/mailbox")).text()).toContain("To +17135550100: Your code is 012345");
  });

  test("finds mails by hidden recipients", async () => {
    await send("ana@example.com", { bcc: "secret@example.com" });
    expect(await messages("?to=secret@example.com")).toHaveLength(1);
  });

  test("survives a restart", async () => {
    await send("ana@example.com", withPicture);
    const before = await messages();
    await mailbox.close();
    mailbox = await createMailbox({ directory, log });
    expect(await messages()).toEqual(before);
  });

  test("keeps the newest 500", async () => {
    const folder = directory;
    for (let count = 0; count < 505; count++) {
      writeFileSync(
        join(folder, `1700000000${String(count).padStart(3, "0")}-000000-00000000.eml`),
        "Subject: old\n\nx",
      );
    }
    await send("ana@example.com");
    const kept = readdirSync(folder).toSorted();
    expect(kept).toHaveLength(500);
    expect(kept[0]).toBe("1700000000006-000000-00000000.eml");
    expect((await messages("?limit=1"))[0]!.subject).toBe("Hello");
  });

  test("deletes one mail, one recipient's, or all", async () => {
    for (const to of ["a@x.com", "b@x.com", "b@x.com", "c@x.com"]) await send(to);
    const [newest] = await messages();
    expect((await call(`/mailbox/api/messages/${newest!.id}`, { method: "DELETE" })).status).toBe(200);
    expect((await call(`/mailbox/api/messages/${newest!.id}`)).status).toBe(404);
    await call("/mailbox/api/messages?to=b@x.com", { method: "DELETE" });
    expect((await messages()).map(({ recipients }) => recipients[0])).toEqual(["a@x.com"]);
    expect(await (await call("/mailbox/api/messages", { method: "DELETE" })).json()).toEqual({ deleted: 1 });
    expect(await messages()).toEqual([]);
  });
});

describe("showing mail", () => {
  test("lists mails page by page and says when there are none", async () => {
    expect(await (await call("/mailbox")).text()).toContain("No email here yet");
    for (let count = 1; count <= 26; count++) await send("a@x.com", { subject: `<Mail ${count}>` });
    const first = await (await call("/mailbox")).text();
    expect(first).toContain("&lt;Mail 26&gt;");
    expect(first).not.toContain("&lt;Mail 1&gt;");
    expect(await (await call("/mailbox?page=2")).text()).toContain("&lt;Mail 1&gt;");
  });

  test("shows a mail's HTML in a frame where nothing runs, with its own pictures", async () => {
    await send("a@x.com", withPicture);
    const [mail] = await messages();
    const page = await call(mail!.url);
    const text = await page.text();
    expect(text).toMatch(/<iframe\s+sandbox="allow-popups allow-popups-to-escape-sandbox"/);
    expect(text).not.toContain("<script>");
    expect(page.headers.get("content-security-policy")).toMatch(/default-src 'none'.*frame-ancestors 'none'/);

    const frame = await call(`${mail!.url}/html`);
    expect(await frame.text()).toContain(`src="data:image/png;base64,${PIXEL.toString("base64")}"`);
    const policy = frame.headers.get("content-security-policy")!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/sandbox allow-popups allow-popups-to-escape-sandbox$/);
    expect(policy).not.toContain("script");

    expect(mail!.attachments).toEqual([
      {
        filename: "Señor 'Q'.png",
        mimeType: "image/png",
        size: PIXEL.length,
        contentId: "qr-1",
        url: `${mail!.url}/attachments/0`,
      },
    ]);
    const picture = await call(mail!.attachments[0]!.url);
    expect(picture.headers.get("content-type")).toBe("image/png");
    expect(Buffer.from(await picture.arrayBuffer())).toEqual(PIXEL);
    expect(await (await call(`${mail!.url}/raw`)).text()).toContain("Subject: Hello");
  });

  test("never serves an attachment as a page", async () => {
    await send("a@x.com", {
      attachments: [{ filename: "x.html", content: "<script>1</script>", contentType: "text/html" }],
    });
    const [mail] = await messages();
    const saved = await call(mail!.attachments[0]!.url);
    expect(saved.headers.get("content-type")).toBe("application/octet-stream");
    expect(saved.headers.get("content-disposition")).toMatch(/^attachment/);
  });

  test.each([
    "/mailbox/none",
    "/mailbox/..%2F..%2Fetc%2Fpasswd/raw",
    "/mailbox/none/html",
    "/mailbox/none/attachments/0",
  ])("answers 404 to %s", async (path) => {
    expect((await call(path)).status).toBe(404);
  });

  test("refuses pages of other sites, but allows links from them", async () => {
    const crossSite = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" };
    expect((await call("/mailbox/api/messages", { headers: crossSite })).status).toBe(403);
    const post = { method: "POST", headers: { ...crossSite, "sec-fetch-mode": "navigate" } };
    expect((await call("/mailbox/delete", post)).status).toBe(403);
    expect((await call("/mailbox", { headers: { ...crossSite, "sec-fetch-mode": "navigate" } })).status).toBe(
      200,
    );
  });
});
