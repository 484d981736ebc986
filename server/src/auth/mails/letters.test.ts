import { expect, it } from "vitest";
import { composeLetter, type MailKind } from "./letters.ts";

const kinds: MailKind[] = ["confirmation", "recovery", "email_change_current", "email_change_new"];
const link = "https://festival.example/auth/v1/verify?token=abc&type=signup";

it.each(kinds)("the %s mail carries its link in both forms and names the festival", async (kind) => {
  const letter = await composeLetter(kind, { email: "a@example.com", newEmail: "b@example.com" }, link, 60);
  expect(letter.text).toContain(link);
  expect(letter.html).toContain(`href="${link.replace("&", "&amp;")}"`);
  for (const form of [letter.text, letter.html]) {
    expect(form).toContain("Houston Culture Festival");
    expect(form).toContain("60 minutes");
  }
  expect(letter.html).toContain("That&#39;s So Houston");
});

it("lets nobody write HTML into a mail", async () => {
  const evil = { email: "a'<b>@example.com", newEmail: "" };
  const letter = await composeLetter("confirmation", evil, 'https://x.example/"><script>', 60);
  expect(letter.html).not.toContain("<b>");
  expect(letter.html).not.toContain("<script>");
});
