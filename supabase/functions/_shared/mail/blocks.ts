// The parts a mail is made of, each as table-based HTML, which every mail program renders, and as plain text.
import { html } from "hono/html";

type Markup = ReturnType<typeof html>;

export interface Block {
  readonly html: Markup;
  readonly text: string;
}

/** The festival's inks (style guide: Look). */
export const ink = "#17130F";
export const paper = "#FFF6E6";
export const candy = "#D7263D";
const line = "#E3D5BC";

export const sans = "'Source Sans 3',-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
export const display = "'Big Shoulders Display',Impact,'Arial Narrow',Haettenschweiler,sans-serif";

/** A long address breaks on a phone, instead of widening the mail. */
const running = `margin:0 0 18px;font:17px/26px ${sans};color:${ink};word-break:break-word`;

export function paragraph(text: string): Block {
  return {
    html: html`<p style="${running}">${text}</p>`,
    text,
  };
}

/** A paragraph as typed, with its line breaks. */
export function typed(text: string): Block {
  const lines = text.trim().split("\n");
  return {
    html: html`<p style="${running}">
      ${lines.map((line, index) => (index === 0 ? line : html`<br />${line}`))}
    </p>`,
    text: lines.join("\n"),
  };
}

export function heading(text: string): Block {
  return {
    html: html`<h2
      style="margin:30px 0 12px;font:bold 22px/26px ${display};letter-spacing:.02em;text-transform:uppercase;color:${ink}"
    >
      ${text}
    </h2>`,
    text: `${text.toUpperCase()}\n${"-".repeat(text.length)}`,
  };
}

export function button(label: string, url: string): Block {
  return {
    html: html`<table
      role="presentation"
      cellpadding="0"
      cellspacing="0"
      border="0"
      style="margin:8px 0 26px"
    >
      <tr>
        <td bgcolor="${candy}" style="background:${candy};border:2px solid ${ink}">
          <a
            href="${url}"
            style="display:inline-block;padding:14px 26px;font:bold 17px/20px ${sans};color:#FFFFFF;text-decoration:none"
            >${label}</a
          >
        </td>
      </tr>
    </table>`,
    text: `${label}: ${url}`,
  };
}

/** Secondary actions, side by side. */
export function links(entries: readonly (readonly [label: string, url: string])[]): Block {
  return {
    html: html`<p style="margin:0 0 22px;font:16px/26px ${sans};color:${ink}">
      ${entries.map(
        ([label, url], index) =>
          html`${index > 0 ? html` &middot; ` : ""}<a href="${url}" style="color:${ink};white-space:nowrap"
              >${label}</a
            >`,
      )}
    </p>`,
    text: entries.map(([label, url]) => `${label}: ${url}`).join("\n"),
  };
}

/** Two columns; the last row of an order is its total. */
export function ledger(
  rows: readonly (readonly [what: string, amount: string])[],
  total?: readonly [string, string],
): Block {
  const row = ([what, amount]: readonly [string, string], weight: string) =>
    html`<tr>
      <td
        style="padding:9px 12px 9px 0;border-top:1px solid ${line};font:${weight} 16px/22px ${sans};color:${ink}"
      >
        ${what}
      </td>
      <td
        align="right"
        style="padding:9px 0;border-top:1px solid ${line};font:${weight} 16px/22px ${sans};color:${ink};white-space:nowrap"
      >
        ${amount}
      </td>
    </tr>`;
  const all = total ? [...rows, total] : rows;
  return {
    html: html`<table
      role="presentation"
      width="100%"
      cellpadding="0"
      cellspacing="0"
      border="0"
      style="margin:0 0 22px"
    >
      ${rows.map((entry) => row(entry, "normal"))}${total ? row(total, "bold") : ""}
    </table>`,
    text: all.map(([what, amount]) => `${what}: ${amount}`).join("\n"),
  };
}

export interface TicketStub {
  /** As it starts a line: "Parking pass". */
  readonly kind: string;
  readonly ticketName: string;
  readonly attendee: string;
  /** Name of the inline picture with the entry code. */
  readonly cid: string;
  /** First 8 characters of the ticket's id, to tell stubs apart. */
  readonly number: string;
}

/** A ticket to hold up at the gate: who, what, and the code on white, because scanners need the contrast. */
export function ticketStub(stub: TicketStub): Block {
  return {
    html: html`<table
      role="presentation"
      width="100%"
      cellpadding="0"
      cellspacing="0"
      border="0"
      style="margin:0 0 16px;border:2px solid ${ink};background:#FFFFFF"
    >
      <tr>
        <td width="8" bgcolor="${candy}" style="background:${candy};font-size:0;line-height:0">&nbsp;</td>
        <td class="stack" valign="middle" style="padding:18px">
          <p style="margin:0 0 4px;font:bold 24px/28px ${display};text-transform:uppercase;color:${ink}">
            ${stub.ticketName}
          </p>
          <p style="margin:0 0 4px;font:bold 17px/24px ${sans};color:${ink}">${stub.attendee}</p>
          <p style="margin:0;font:14px/20px ${sans};color:#5C5244">${stub.kind} ${stub.number}</p>
        </td>
        <td class="stack" width="168" align="right" valign="middle" style="padding:10px;background:#FFFFFF">
          <img
            src="cid:${stub.cid}"
            width="148"
            height="148"
            alt="Entry code of ${stub.attendee}"
            style="display:block;border:0"
          />
        </td>
      </tr>
    </table>`,
    text: `* ${stub.ticketName} - ${stub.attendee} (${stub.kind.toLowerCase()} ${stub.number})`,
  };
}
