// One mail: who, when, its HTML in a sandboxed frame, its text, its attachments.
import { html } from "hono/html";
import { FRAME_SANDBOX } from "./mail-html.ts";
import type { Message, MessageAddress, MessageAttachment } from "./message.ts";
import { renderPage, type ShowTime } from "./page.ts";

/** Types a browser shows as a picture and never as a document. */
export const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

export function messagePage(message: Message, time: ShowTime): Promise<Response> {
  return renderPage(
    message.subject || "(no subject)",
    html`
      <h1>${message.subject || "(no subject)"}</h1>
      <dl>
        <dt>From</dt>
        <dd>${message.from ? addressText(message.from) : "(nobody)"}</dd>
        <dt>To</dt>
        <dd>${message.to.map(addressText).join(", ")}</dd>
        <dt>Delivered to</dt>
        <dd>${message.recipients.join(", ")}</dd>
        <dt>Received</dt>
        <dd>${time(message.receivedAt)}</dd>
      </dl>
      <div class="actions">
        <a class="button" href="/mailbox">All mail</a>
        <a class="button" href="${message.url}/raw">Source</a>
        <form method="post" action="/mailbox/delete">
          <input type="hidden" name="id" value="${message.id}" /><button>Delete</button>
        </form>
      </div>
      ${
        message.html === null
          ? ""
          : html`<h2>Mail</h2>
              <iframe
                sandbox="${FRAME_SANDBOX}"
                title="The mail as it is displayed"
                src="${message.url}/html"
              ></iframe>`
      }
      ${
        message.attachments.length === 0
          ? ""
          : html`<h2>Attachments</h2>
              <ul class="attachments">
                ${message.attachments.map(attachmentLine)}
              </ul>`
      }
      <h2>Text</h2>
      <pre>${message.text || "(no text)"}</pre>
    `,
  );
}

export const missingPage = (): Promise<Response> =>
  renderPage(
    "Not found",
    html`<h1>Not found</h1>
      <p class="empty">This mail is not here, or not any more.</p>
      <a class="button" href="/mailbox">All mail</a>`,
    404,
  );

function attachmentLine({ url, filename, mimeType, size }: MessageAttachment) {
  const picture = PICTURES.includes(mimeType) ? html`<img src="${url}" alt="" />` : "";
  return html`<li>
    <a href="${url}">${picture}${filename}</a> (${mimeType}, ${Math.max(1, Math.round(size / 1024))} KB)
  </li>`;
}

const addressText = ({ name, address }: MessageAddress): string => (name ? `${name} <${address}>` : address);
