// The mail that invites a person to work at the festival.
import type { Festival } from "contract/festival/facts";
import type { Mail } from "contract/mail";
import { button, paragraph } from "./blocks.ts";
import { compose } from "./compose.ts";
import { moment } from "./moment.ts";

export interface StaffInvitation {
  readonly email: string;
  readonly role: "admin" | "finance" | "gate";
  /** ISO time. */
  readonly expires_at: string;
}

/** What the role does, to follow the word "to". */
const works = {
  admin: "run the festival as an administrator",
  finance: "manage the festival's money",
  gate: "scan guests in at the gate",
} satisfies Record<StaffInvitation["role"], string>;

/** `link` works for `minutes` and opens the account, once. A mail scanner may fetch it: nothing happens until a password is submitted. */
export function staffInvitationMail(
  festival: Festival,
  { email, role, expires_at }: StaffInvitation,
  { link, minutes }: { link: string; minutes: number },
  siteUrl: string,
): Promise<Mail> {
  const until = moment(expires_at);
  return compose(festival, {
    to: email,
    subject: `You're invited to work at ${festival.title}`,
    preheader: `Accept by ${until}.`,
    title: "Come on in",
    blocks: [
      paragraph(`You're invited to ${works[role]}, with an account for ${email}.`),
      button("Choose a password", link),
      paragraph(
        `The button works once, for ${Math.round(minutes)} minutes. Until ${until}, you can also sign in with this address and a code sent by email: ${siteUrl}/auth?mode=code`,
      ),
      paragraph("If you weren't expecting an invitation, you can ignore this email."),
    ],
  });
}
