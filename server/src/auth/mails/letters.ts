// The mails of this service as HTML and text, in the festival's look. Tables and inline styles, because mail programs
// know nothing else.
import { html } from "hono/html";

export type MailKind =
  | "confirmation"
  | "invite"
  | "magiclink"
  | "recovery"
  | "email_change_current"
  | "email_change_new";
/** Mails without a token: somebody entered an address that has an account. */
export type NoticeKind = "already_registered" | "address_taken";

export interface Letter {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

interface Wording {
  readonly subject: string;
  readonly title: string;
  readonly body: string;
  readonly action: string;
  readonly ignore: string;
}

const FESTIVAL = "Houston Culture Festival";
const TAGLINE = "That's So Houston";

const wording = (kind: MailKind, address: { email: string; newEmail: string }): Wording => {
  switch (kind) {
    case "confirmation":
      return {
        subject: `Confirm your email for ${FESTIVAL}`,
        title: "You're almost in",
        body: `Confirm that ${address.email} is your address and your account is ready for tickets.`,
        action: "Confirm my email",
        ignore: "If you did not create an account, ignore this mail and nothing happens.",
      };
    case "invite":
      return {
        subject: `You are invited to ${FESTIVAL}`,
        title: "You're invited",
        body: `There is an account for ${address.email} waiting for you. Open the link to make it yours.`,
        action: "Accept the invitation",
        ignore: "If you do not want an account, ignore this mail and nothing happens.",
      };
    case "magiclink":
      return {
        subject: `Sign in to ${FESTIVAL}`,
        title: "Your way in",
        body: `Open the link to sign in as ${address.email}.`,
        action: "Sign in",
        ignore: "If you did not ask for this, ignore this mail and nothing happens.",
      };
    case "recovery":
      return {
        subject: "Choose a new password",
        title: "Forgot your password?",
        body: `Someone, hopefully you, asked for a new password for ${address.email}.`,
        action: "Choose a new password",
        ignore: "If it was not you, ignore this mail. Your password stays as it is.",
      };
    case "email_change_current":
    case "email_change_new":
      return {
        subject: "Confirm your new email address",
        title: "New address, same account",
        body:
          `Confirm the change of your account's address from ${address.email} to ${address.newEmail}. ` +
          "Both addresses get a mail, and the change is made when both have confirmed.",
        action: "Confirm the change",
        ignore: "If you did not ask for this, ignore this mail. Your address stays as it is.",
      };
  }
};

const noticeWording = (kind: NoticeKind, email: string): Wording => {
  switch (kind) {
    case "already_registered":
      return {
        subject: `You already have an account for ${FESTIVAL}`,
        title: "You're already in",
        body:
          `Someone, hopefully you, tried to create an account for ${email}. There is one already: sign in with ` +
          'its password, or choose "Forgot your password?" there to set a new one.',
        action: "Sign in",
        ignore: "If it was not you, ignore this mail. Nothing about your account has changed.",
      };
    case "address_taken":
      return {
        subject: "Someone wanted to use your email address",
        title: "Your address stays yours",
        body:
          `Someone asked to move another account to ${email}. You have an account with this address already, so ` +
          "that is not possible.",
        action: "Sign in",
        ignore: "If it was not you, ignore this mail. Nothing about your account has changed.",
      };
  }
};

/** `link` works for `minutes`; the mail says so. */
export async function composeLetter(
  kind: MailKind,
  address: { email: string; newEmail: string },
  link: string,
  minutes: number,
): Promise<Letter> {
  return compose(wording(kind, address), link, `The link works once, for ${minutes} minutes. `);
}

/** `link` is the page to sign in on. */
export function composeNotice(kind: NoticeKind, email: string, link: string): Promise<Letter> {
  return compose(noticeWording(kind, email), link, "");
}

/** `lifetime`: a sentence about the link with a trailing space; empty when the link never expires. */
async function compose(words: Wording, link: string, lifetime: string): Promise<Letter> {
  return {
    subject: words.subject,
    text: [
      `${FESTIVAL}\n${TAGLINE}`,
      words.title,
      words.body,
      `${words.action}:\n${link}`,
      `${lifetime}${words.ignore}`,
    ].join("\n\n"),
    html: String(await layout(words, link, lifetime)),
  };
}

const display =
  "font-family:Impact,'Arial Narrow Bold','Arial Black',sans-serif;font-weight:700;text-transform:uppercase";
const body = "font-family:'Segoe UI',Helvetica,Arial,sans-serif;font-size:16px;line-height:1.5";

const layout = (words: Wording, link: string, lifetime: string) =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${words.subject}</title>
      </head>
      <body style="margin:0;padding:0;background:#17130F">
        <table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="background:#17130F">
          <tr>
            <td align="center" style="padding:32px 16px">
              <table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px">
                <tr>
                  <td style="padding:0 28px 20px;color:#FFF6E6">
                    <div style="${display};font-size:30px;line-height:1.05;letter-spacing:.5px">
                      ${FESTIVAL}
                    </div>
                    <div style="${body};font-weight:700;color:#F2A541">${TAGLINE}</div>
                  </td>
                </tr>
                <tr>
                  <td style="height:12px;background:#D7263D;font-size:0;line-height:0">&nbsp;</td>
                </tr>
                <tr>
                  <td style="padding:32px 28px;background:#FFF6E6;color:#17130F;${body}">
                    <h1 style="margin:0 0 16px;${display};font-size:26px;line-height:1.15">${words.title}</h1>
                    <p style="margin:0 0 24px;overflow-wrap:anywhere">${words.body}</p>
                    <table role="presentation" cellpadding="0" cellspacing="0">
                      <tr>
                        <td style="background:#D7263D">
                          <a
                            href="${link}"
                            style="display:inline-block;padding:14px 26px;color:#FFFFFF;font-weight:700;text-decoration:none;${body}"
                            >${words.action}</a
                          >
                        </td>
                      </tr>
                    </table>
                    <p style="margin:24px 0 0;font-size:14px">${lifetime}${words.ignore}</p>
                    <p style="margin:16px 0 0;font-size:13px;overflow-wrap:anywhere">
                      Button not working? Open this address:<br /><a href="${link}" style="color:#5B2A86"
                        >${link}</a
                      >
                    </p>
                  </td>
                </tr>
              </table>
            </td>
          </tr>
        </table>
      </body>
    </html>`;
