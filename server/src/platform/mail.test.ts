import { randomBytes } from "node:crypto";
import { refusedAddress } from "contract/mail";
import PostalMime from "postal-mime";
import { afterAll, beforeEach, expect, test } from "vitest";
import { openSmtpSink } from "../../testing/smtp-sink.ts";
import { createMailer } from "./mail.ts";

const sink = await openSmtpSink({ refused: "nobody@people.test" });
const mailer = createMailer(
  async () => sink.url,
  "Fête <tickets@festival.example>",
  async () => "hello@festival.example",
);
afterAll(async () => {
  mailer.close();
  await sink.close();
});

const mail = { to: "ada@people.test", subject: "Hello", html: "<p>Hello</p>", text: "Hello" };
let before: number;
beforeEach(() => (before = sink.sources.length));
const arrived = () => sink.sources.slice(before);

test("a mail arrives as it was written", async () => {
  const text = "Señor ਗੁਰਪ੍ਰੀਤ,\n\n.\n..dots\ntrailing space \n= and =3D\n";
  const html = `<p title="${"long ".repeat(400)}">${"ਗ".repeat(300)}</p>\n<p>${"x".repeat(2000)}</p>`;
  const picture = randomBytes(1500);
  await mailer.send({
    ...mail,
    subject: "Your tickets for the Fête of everybody who has ever lived in Houston, ਗੁਰਪ੍ਰੀਤ",
    text,
    html,
    unsubscribe: "https://festival.example/out",
    attachments: [
      { filename: "ticket.png", content: picture, contentType: "image/png", cid: "ticket-1" },
      { filename: "señor.txt", content: picture, contentType: "text/plain" },
    ],
  });
  const [source] = arrived();
  for (const line of source!.split("\r\n")) expect(line.length).toBeLessThan(100);
  expect(source).not.toMatch(/[^\r]\n|[^\x00-\x7f]/);

  const read = await PostalMime.parse(source!, { attachmentEncoding: "arraybuffer" });
  expect(read).toMatchObject({
    from: { name: "Fête", address: "tickets@festival.example" },
    to: [{ address: "ada@people.test" }],
    replyTo: [{ address: "hello@festival.example" }],
    subject: "Your tickets for the Fête of everybody who has ever lived in Houston, ਗੁਰਪ੍ਰੀਤ",
  });
  expect(read.text?.trimEnd().replaceAll("\r\n", "\n")).toBe(text.trimEnd());
  expect(read.html?.trim()).toBe(html);
  expect(read.headers).toContainEqual(
    expect.objectContaining({ key: "list-unsubscribe", value: "<https://festival.example/out>" }),
  );
  expect(
    read.attachments.map(({ filename, contentId, disposition }) => [filename, contentId, disposition]),
  ).toEqual([
    ["ticket.png", "<ticket-1>", "inline"],
    ["señor.txt", undefined, "attachment"],
  ]);
  for (const { content } of read.attachments) {
    expect(Buffer.from(content as ArrayBuffer).equals(picture)).toBe(true);
  }
});

test("a mail goes to its one address, whatever that is", async () => {
  const first = sink.recipients.length;
  for (const to of ["1,victim@people.test", "ada@people.test, eve@people.test"]) {
    await mailer.send({ ...mail, to }).catch(() => {});
  }
  await expect(mailer.send({ ...mail, to: "ada@people.test\r\nBcc: eve@people.test" })).rejects.toThrow();
  expect(sink.recipients.slice(first)).not.toContain("victim@people.test");
  expect(sink.recipients.slice(first)).not.toContain("eve@people.test");
});

test("an address that the server refuses, or that is none, is named", async () => {
  for (const to of ["nobody@people.test", ""]) {
    const failure: unknown = await mailer.send({ ...mail, to }).catch((error: unknown) => error);
    expect(refusedAddress(failure), to).toBeTypeOf("string");
  }
  expect(arrived()).toEqual([]);
});
