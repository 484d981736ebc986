// The list of mails, newest first.
import { html } from "hono/html";
import type { Message } from "./message.ts";
import { renderPage, type ShowTime } from "./page.ts";

export const PAGE_SIZE = 25;

export interface ListPage {
  readonly messages: readonly Message[];
  /** Counted from 1. */
  readonly page: number;
  readonly total: number;
  readonly time: ShowTime;
}

export function listPage({ messages, page, total, time }: ListPage): Promise<Response> {
  const last = Math.max(1, Math.ceil(total / PAGE_SIZE));
  return renderPage(
    "All mail",
    html`
      <div class="top">
        <h1>${total === 1 ? "1 message" : `${total} messages`}</h1>
        <div class="actions">
          <a class="button" href="/mailbox">Refresh</a>
          ${
            total === 0
              ? ""
              : html`<form method="post" action="/mailbox/delete"><button>Delete all</button></form>`
          }
        </div>
      </div>
      ${
        messages.length === 0
          ? html`<p class="empty">No email here yet. Everything this machine sends arrives here.</p>`
          : html`<ul class="mails">
              ${messages.map((message) => mailLine(message, time))}
            </ul>`
      }
      ${
        last > 1
          ? html`<nav aria-label="Pages">
              ${page > 1 ? html`<a class="button" href="/mailbox?page=${page - 1}">Newer</a>` : html`<span></span>`}
              <span>Page ${page} of ${last}</span>
              ${page < last ? html`<a class="button" href="/mailbox?page=${page + 1}">Older</a>` : html`<span></span>`}
            </nav>`
          : ""
      }
    `,
  );
}

function mailLine(message: Message, time: ShowTime) {
  return html`<li>
    <a href="${message.url}">
      <span class="subject">${message.subject || "(no subject)"}</span>
      ${time(message.receivedAt)}
      <span class="excerpt">To ${message.recipients.join(", ")}: ${excerpt(message.text)}</span>
    </a>
  </li>`;
}

const excerpt = (text: string): string => text.replace(/\s+/g, " ").trim().slice(0, 160);
