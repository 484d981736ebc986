// Mails to a person whose second steps an administrator removed, or whose account was deleted. The auth service's own mails are in
// server/src/auth/mails.
import type { Festival } from "contract/festival/facts";
import type { Mail } from "contract/mail";
import { button, paragraph } from "./blocks.ts";
import { compose } from "./compose.ts";

export function secondStepsRemovedMail(festival: Festival, email: string, siteUrl: string): Promise<Mail> {
  return compose(festival, {
    to: email,
    subject: "Two-step verification was turned off",
    preheader: "Sign in with your password and set it up again.",
    title: "Two-step verification is off",
    blocks: [
      paragraph(
        `An administrator of ${festival.title} turned off two-step verification for your account ${email}, removed its recovery codes and signed it out everywhere.`,
      ),
      paragraph("Sign in with your password. You won't be asked for a code until you set it up again."),
      button("Sign in", `${siteUrl}/auth`),
      paragraph(`If you didn't ask for this, set a new password now and write to ${festival.contact.email}.`),
    ],
  });
}

/** The account is gone by the time this is sent: only the address is left of it. */
export function accountDeletedMail(festival: Festival, email: string): Promise<Mail> {
  return compose(festival, {
    to: email,
    subject: "Your account was deleted",
    preheader: "You can no longer sign in. Your tickets stay valid.",
    title: "Goodbye for now",
    blocks: [
      paragraph(
        `Your account ${email} for ${festival.title} was deleted, as you asked. It can't be restored.`,
      ),
      paragraph(
        "Your tickets stay valid in the emails and printouts you have. Paid orders stay in our records, as the law requires.",
      ),
      paragraph(`If this wasn't you, please write to ${festival.contact.email}.`),
    ],
  });
}
