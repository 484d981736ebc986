// The mails of this service as HTML and text. Tables and inline styles, because mail programs support
// nothing else.
import { html } from "hono/html";
import type { Brand } from "../../platform/brand.ts";
import { type MailKind, type NoticeKind, noticeWording, type Wording, wording } from "./words.ts";

export interface Letter {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

/** `link` and `code` work for `minutes`, and the mail says so. The invitation mail has no code. */
export async function composeLetter(
  kind: MailKind,
  brand: Brand,
  facts: { email: string; newEmail: string; link: string; code: string; minutes: number },
): Promise<Letter> {
  const words = wording(kind, brand.name, facts);
  // An invited person has not requested the mail, so no field waits for its code.
  const code = kind === "invite" ? undefined : facts.code;
  const both =
    code === undefined ? "The link works" : words.action ? "The code and the link work" : "The code works";
  return compose(words, brand, {
    link: facts.link,
    code,
    lifetime: `${both} once, for ${facts.minutes} minutes. `,
  });
}

/** `link` leads to the sign-in page. */
export function composeNotice(
  kind: NoticeKind,
  brand: Brand,
  address: { email: string; newAddress: string },
  link: string,
): Promise<Letter> {
  return compose(noticeWording(kind, brand.name, address), brand, { link, code: undefined, lifetime: "" });
}

interface Carried {
  readonly link: string;
  readonly code: string | undefined;
  /** A sentence about both with a trailing space; empty when nothing expires. */
  readonly lifetime: string;
}

async function compose(words: Wording, brand: Brand, carried: Carried): Promise<Letter> {
  const { link, code, lifetime } = carried;
  const button = words.action ? [`${words.action}:\n${link}`] : [];
  // Phones recognize this phrase and offer the code to the waiting field.
  const typed = code === undefined ? [] : [`Your code is ${code}`];
  return {
    subject: words.subject,
    text: [
      `${brand.name}\n${brand.tagline}`,
      words.title,
      words.body,
      ...(words.codeFirst ? [...typed, ...button] : [...button, ...typed]),
      `${lifetime}${words.ignore}`,
    ].join("\n\n"),
    html: String(await layout(words, brand, carried)),
  };
}

const display =
  "font-family:Impact,'Arial Narrow Bold','Arial Black',sans-serif;font-weight:700;text-transform:uppercase";
const body = "font-family:'Segoe UI',Helvetica,Arial,sans-serif;font-size:16px;line-height:1.5";
const digits = "font-family:Consolas,Menlo,'Courier New',monospace;font-weight:700;letter-spacing:.2em";

const codeBlock = (code: string) =>
  html`<p style="margin:0 0 24px;padding:14px 20px;background:#17130F;color:#FFF6E6;font-size:32px;${digits}">
    ${code}
  </p>`;

const codeLine = (code: string) =>
  html`<p style="margin:24px 0 0;font-size:14px">Or enter this code: <b style="${digits}">${code}</b></p>`;

const button = (action: string, link: string) =>
  html`<table role="presentation" cellpadding="0" cellspacing="0">
    <tr>
      <td style="background:#D7263D">
        <a
          href="${link}"
          style="display:inline-block;padding:14px 26px;color:#FFFFFF;font-weight:700;text-decoration:none;${body}"
          >${action}</a
        >
      </td>
    </tr>
  </table>`;

const address = (link: string) =>
  html`<p style="margin:16px 0 0;font-size:13px;overflow-wrap:anywhere">
    Button not working? Open this address:<br /><a href="${link}" style="color:#5B2A86">${link}</a>
  </p>`;

const letter = (words: Wording, { link, code, lifetime }: Carried) =>
  html`<h1 style="margin:0 0 16px;${display};font-size:26px;line-height:1.15">${words.title}</h1>
    <p style="margin:0 0 24px;overflow-wrap:anywhere">${words.body}</p>
    ${code !== undefined && words.codeFirst ? codeBlock(code) : ""}
    ${words.action ? button(words.action, link) : ""}
    ${code !== undefined && !words.codeFirst ? codeLine(code) : ""}
    <p style="margin:24px 0 0;font-size:14px">${lifetime}${words.ignore}</p>
    ${words.action ? address(link) : ""}`;

const layout = (words: Wording, brand: Brand, carried: Carried) =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content="light" />
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
                      ${brand.name}
                    </div>
                    <div style="${body};font-weight:700;color:#F2A541">${brand.tagline}</div>
                  </td>
                </tr>
                <tr>
                  <td style="height:12px;background:#D7263D;font-size:0;line-height:0">&nbsp;</td>
                </tr>
                <tr>
                  <td style="padding:32px 28px;background:#FFF6E6;color:#17130F;${body}">
                    ${letter(words, carried)}
                  </td>
                </tr>
              </table>
            </td>
          </tr>
        </table>
      </body>
    </html>`;
