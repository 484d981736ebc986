// The frame of the mailbox's pages. Hides the content security policy: no scripts at all,
// and only the inline style with the page's nonce.
import { randomBytes } from "node:crypto";
import { html, raw } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import { pageAnswer } from "../platform/http/page-answer.ts";

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

export async function renderPage(title: string, body: Html, status = 200): Promise<Response> {
  const nonce = randomBytes(16).toString("base64");
  const document = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Mailbox</title>
        <style nonce="${nonce}">
          ${raw(STYLE)}
        </style>
      </head>
      <body>
        <header class="bar">
          <a href="/mailbox">Mailbox</a>
          <p>Every email sent on this machine. None of them leaves it.</p>
        </header>
        <main>${body}</main>
      </body>
    </html>`;
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    "img-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return pageAnswer(String(document), policy, status);
}

export type ShowTime = (iso: string) => Html;

/** In the zone of this name. */
export function timeIn(timeZone: string): ShowTime {
  const format = new Intl.DateTimeFormat("en-US", { timeZone, dateStyle: "medium", timeStyle: "medium" });
  return (iso) => html`<time datetime="${iso}">${format.format(new Date(iso))}</time>`;
}

const STYLE = `
:root { --ink: #17130f; --paper: #fff6e6; --sheet: #fffdf8; --red: #d7263d; --purple: #5b2a86; --amber: #f2a541; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 "Segoe UI", "Gill Sans", Candara, system-ui, sans-serif; }
a { color: inherit; text-underline-offset: .2em; }
a:focus-visible, button:focus-visible, iframe:focus-visible { outline: 3px solid var(--purple); outline-offset: 2px; }
.bar { background: var(--ink); color: var(--paper); padding: .8rem max(1rem, calc(50vw - 30rem)); display: flex;
  flex-wrap: wrap; align-items: baseline; gap: .2rem 1.5rem; border-bottom: 6px solid var(--amber); }
.bar a { text-decoration: none; }
.bar a, h1 { font: 900 2rem/1 Impact, Haettenschweiler, "Arial Narrow Bold", sans-serif; text-transform: uppercase; }
.bar a:focus-visible { outline-color: var(--amber); }
.bar p { margin: 0; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { margin: 0 0 .75rem; overflow-wrap: anywhere; }
.top { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; justify-content: space-between; margin-bottom: 1rem; }
.top h1 { margin: 0; }
form { margin: 0; }
button, .button { display: inline-block; min-height: 44px; padding: .55rem 1rem; font: inherit; font-weight: 700; cursor: pointer;
  background: var(--sheet); color: var(--ink); border: 2px solid var(--ink); text-decoration: none; }
.actions { display: flex; flex-wrap: wrap; gap: .5rem; }
.mails { list-style: none; margin: 0; padding: 0; border: 2px solid var(--ink); background: var(--sheet); }
.mails li + li { border-top: 1px solid var(--ink); }
.mails a { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 1rem; padding: .75rem 1rem; text-decoration: none; }
.mails a:hover .subject { text-decoration: underline; }
.subject { font-weight: 700; overflow-wrap: anywhere; }
.mails time { font-variant-numeric: tabular-nums; }
.excerpt { grid-column: 1 / -1; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.empty { border: 2px dashed var(--ink); padding: 2.5rem 1rem; text-align: center; }
nav { display: flex; justify-content: space-between; margin-top: 1rem; }
dl { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .2rem 1rem; margin: 0 0 1rem; overflow-wrap: anywhere; }
dt { font-weight: 700; }
dd { margin: 0; }
h2 { font-size: 1.1rem; margin: 1.5rem 0 .5rem; }
iframe { width: 100%; height: 70vh; min-height: 24rem; border: 2px solid var(--ink); background: #fff; }
pre { margin: 0; padding: 1rem; border: 2px solid var(--ink); background: var(--sheet); white-space: pre-wrap; overflow-wrap: anywhere; }
.attachments { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 1rem; }
.attachments img { display: block; max-width: 12rem; max-height: 12rem; border: 2px solid var(--ink); background: #fff; }
@media (max-width: 40rem) { .mails a { grid-template-columns: minmax(0, 1fr); } }
`;
