import { expect, it } from "vitest";
import { composeLetter, composeNotice } from "./letters.ts";
import { BRAND } from "../../../testing/auth.ts";
import type { MailKind, NoticeKind } from "./words.ts";

const link = "https://festival.example/auth/v1/verify?token=abc&type=signup";
const facts = { email: "a@example.com", newEmail: "b@example.com", link, code: "012345", minutes: 60 };

const kinds: MailKind[] = [
  ...(["confirmation", "sign_up_code", "recovery", "magiclink"] as const),
  ...(["email_change_current", "email_change_new"] as const),
];

it.each(kinds)("the %s mail carries link and code in both forms and names the project", async (kind) => {
  const letter = await composeLetter(kind, BRAND, facts);
  expect(letter.text).toContain(link);
  expect(letter.html).toContain(`href="${link.replace("&", "&amp;")}"`);
  for (const form of [letter.text, letter.html]) {
    expect(form).toContain("Lake Street Library");
    expect(form).toContain("60 minutes");
    expect(form).toContain("012345");
  }
  expect(letter.html).toContain("Read &amp; wander");
  expect(letter.html).toContain('<meta name="color-scheme" content="light" />');
  expect(letter.subject).not.toContain("012345"); // subjects are logged
});

it.each(["recovery", "magiclink", "sign_up_code"] as const)(
  "the %s mail says that its button works only in the browser that requested it",
  async (kind) => {
    const { text, html } = await composeLetter(kind, BRAND, facts);
    for (const form of [text, html])
      expect(form).toContain("The button works only in the browser you requested it from");
  },
);

it("the confirmation mail says where the chosen password counts, and offers its code beside the link", async () => {
  const { text, html } = await composeLetter("confirmation", BRAND, facts);
  for (const form of [text, html]) expect(form).toContain("Use the browser you signed up in");
  expect(html).toContain("Or enter this code:");
});

it("the invitation mail carries a link and no code, because there is no field for one", async () => {
  const { text, html } = await composeLetter("invite", BRAND, facts);
  for (const form of [text, html]) {
    expect(form).toContain("60 minutes");
    expect(form).not.toContain("012345");
    expect(form.toLowerCase()).not.toContain("code");
  }
  expect(text).toContain(link);
});

it("the reauthentication mail carries a code and no button", async () => {
  const { text, html } = await composeLetter("reauthentication", BRAND, facts);
  for (const form of [text, html]) {
    expect(form).toContain("012345");
    expect(form).not.toContain("verify?token");
  }
});

it("each mail of an address change says which of the two it is, names both, and shows its code first", async () => {
  const [current, next] = await Promise.all(
    (["email_change_current", "email_change_new"] as const).map((kind) => composeLetter(kind, BRAND, facts)),
  );
  expect(current!.subject).toBe("Confirm your email address change");
  expect(next!.subject).toBe("Confirm your new email address");
  for (const { html, text } of [current!, next!]) {
    expect(text).toMatch(/a@example\.com.*b@example\.com|b@example\.com.*a@example\.com/);
    expect(html.indexOf("012345")).toBeLessThan(html.indexOf(">Confirm the change<"));
  }
});

it("sends the same mail whether or not the address has an account", async () => {
  expect(await composeLetter("sign_up_code", BRAND, facts)).toEqual(
    await composeLetter("magiclink", BRAND, facts),
  );
});

const notices: NoticeKind[] = [
  ...([
    "already_registered",
    "address_taken",
    "password_changed",
    "email_changed",
    "identity_linked",
  ] as const),
  ...(["phone_changed", "passkey_created", "passkey_deleted"] as const),
];

it.each(notices)("the notice %s leads to the site and carries no token", async (kind) => {
  const site = "https://festival.example/auth";
  const { text, html } = await composeNotice(
    kind,
    BRAND,
    { email: "a@example.com", newAddress: "new" },
    site,
  );
  expect(text).toContain(site);
  expect(html).toContain(`href="${site}"`);
  expect(text).not.toMatch(/code|token/);
});

it("escapes HTML in a mail", async () => {
  const evil = { ...facts, email: "a'<b>@example.com", newEmail: "", link: 'https://x.example/"><script>' };
  const letter = await composeLetter("confirmation", BRAND, evil);
  expect(letter.html).not.toContain("a'<b>");
  expect(letter.html).not.toContain("<script>");
});
