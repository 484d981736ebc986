// Puts blocks into the festival's frame: a gig poster's header, the letter on paper, the organizer below. No picture is loaded from
// a server, so mail programs block nothing and nobody is tracked.
import type { Festival } from "contract/festival/facts";
import { html } from "hono/html";
import type { Mail } from "contract/mail";
import { type Block, candy, display, ink, paper, sans } from "./blocks.ts";

export interface Letter {
  readonly to: string;
  readonly subject: string;
  /** Preview text that an inbox shows next to the subject. */
  readonly preheader: string;
  readonly title: string;
  readonly blocks: readonly Block[];
  /** The ways out of this kind of mail, for people and for mail programs. */
  readonly unsubscribe?: { readonly page: string; readonly oneClick: string } | undefined;
  readonly attachments?: Mail["attachments"];
}

export async function compose(festival: Festival, letter: Letter): Promise<Mail> {
  const { to, subject, attachments, unsubscribe } = letter;
  return {
    to,
    replyTo: festival.contact.email,
    subject,
    html: String(await page(festival, letter)),
    text: plain(festival, letter),
    unsubscribe: unsubscribe?.oneClick,
    ...(attachments && { attachments }),
  };
}

function page(festival: Festival, { subject, preheader, title, blocks, unsubscribe }: Letter) {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="color-scheme" content="light" />
        <title>${subject}</title>
        <style>
          @media (max-width: 480px) {
            .stack {
              display: block !important;
              width: auto !important;
            }
          }
        </style>
      </head>
      <body style="margin:0;padding:0;background:${paper}">
        <div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${preheader}</div>
        <table
          role="presentation"
          width="100%"
          cellpadding="0"
          cellspacing="0"
          border="0"
          bgcolor="${paper}"
          style="background:${paper}"
        >
          <tr>
            <td align="center" style="padding:0 12px 32px">
              <table
                role="presentation"
                width="600"
                cellpadding="0"
                cellspacing="0"
                border="0"
                style="width:100%;max-width:600px"
              >
                ${head(festival)}
                <tr>
                  <td style="padding:30px 28px 12px">
                    <h1
                      style="margin:0 0 18px;font:bold 32px/36px ${display};text-transform:uppercase;color:${ink}"
                    >
                      ${title}
                    </h1>
                    ${blocks.map((block) => block.html)}
                  </td>
                </tr>
                ${foot(festival, unsubscribe?.page)}
              </table>
            </td>
          </tr>
        </table>
      </body>
    </html>`;
}

/** The poster's header. */
const head = (festival: Festival) =>
  html`<tr>
      <td bgcolor="${ink}" style="background:${ink};padding:26px 28px 22px">
        <p
          style="margin:0 0 4px;font:bold 15px/18px ${sans};letter-spacing:.14em;text-transform:uppercase;color:#F2A541"
        >
          ${festival.tagline}
        </p>
        <p
          style="margin:0;font:bold 34px/36px ${display};letter-spacing:.01em;text-transform:uppercase;color:${paper}"
        >
          ${festival.title}
        </p>
      </td>
    </tr>
    <tr>
      <td height="8" bgcolor="${candy}" style="background:${candy};font-size:0;line-height:0">&nbsp;</td>
    </tr>`;

/** A cancelled festival has no hours and no place. */
const whenAndWhere = ({ status, dateText, hoursText, grounds }: Festival): string[] =>
  status === "cancelled" ? [`${dateText}: canceled`] : [`${dateText}, ${hoursText}`, grounds];

/** When and where, who sends it, and the way out. */
const foot = (festival: Festival, wayOut: string | undefined) =>
  html`<tr>
    <td style="padding:18px 28px 0;border-top:2px solid ${ink}">
      <p style="margin:0;font:14px/21px ${sans};color:#5C5244">
        ${whenAndWhere(festival).join(" \u00b7 ")}<br />
        ${festival.organizer} &middot;
        <a href="mailto:${festival.contact.email}" style="color:${ink}">${festival.contact.email}</a>
        &middot; <span style="white-space:nowrap">${festival.contact.phone}</span>
        ${wayOut && html`<br /><a href="${wayOut}" style="color:${ink}">${UNSUBSCRIBE}</a>`}
      </p>
    </td>
  </tr>`;

const UNSUBSCRIBE = "Unsubscribe from the organizers' messages";

function plain(festival: Festival, { title, blocks, unsubscribe }: Letter): string {
  const { organizer, contact } = festival;
  return [
    `${festival.title.toUpperCase()} - ${festival.tagline}`,
    title,
    ...blocks.map((block) => block.text),
    `--\n${whenAndWhere(festival).join(", ")}\n${organizer}, ${contact.email}, ${contact.phone}`,
    ...(unsubscribe ? [`${UNSUBSCRIBE}: ${unsubscribe.page}`] : []),
  ].join("\n\n");
}
