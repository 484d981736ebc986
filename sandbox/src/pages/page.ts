// The frame of the sandbox's pages, in the festival's paper and ink. Hides the content security policy, which has a new nonce
// for each page: nothing is loaded, and only the inline style and script with that nonce apply.
import { randomBytes } from "node:crypto";
import { html, raw } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import { pageAnswer } from "../../../server/src/platform/http/page-answer.ts";

type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

export interface Page {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
  readonly script?: string;
  /** May appear in a frame of the shop's page, which has its own main element. */
  readonly framed?: boolean;
}

export async function renderPage({
  title,
  body,
  status = 200,
  script,
  framed = false,
}: Page): Promise<Response> {
  const nonce = randomBytes(16).toString("base64");
  const document = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Payments sandbox</title>
        <style nonce="${nonce}">
          ${raw(STYLE)}
        </style>
      </head>
      <body>
        ${raw(framed ? "<div class=sheet>" : "<main class=sheet>")}
        <p class="sandbox">Payments sandbox. No real money moves.</p>
        ${body} ${raw(framed ? "</div>" : "</main>")}
        ${
          script === undefined
            ? ""
            : html`<script nonce="${nonce}">
                ${raw(script)};
              </script>`
        }
      </body>
    </html>`;
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    // A form's response sends the buyer to the shop, whose address may redirect again: every hop is checked against this.
    "form-action http: https:",
    "base-uri 'none'",
    // The site shows a challenge in a frame. In development the site has a different port.
    "frame-ancestors 'self' http://localhost:* http://127.0.0.1:*",
  ];
  return pageAnswer(String(document), policy, status);
}

export const dollars = (cents: number): string =>
  new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" }).format(cents / 100);

const STYLE = `
:root { --ink: #17130f; --paper: #fff6e6; --red: #d7263d; --purple: #5b2a86; --teal: #0e7c7b; --amber: #f2a541; }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 "Segoe UI", "Gill Sans", Candara, system-ui, sans-serif; }
.sheet { width: min(28rem, 100%); background: #fffdf8; border: 3px solid var(--ink); box-shadow: 8px 8px 0 var(--amber);
  padding: 1.5rem; }
h1 { font: 900 clamp(1.8rem, 8vw, 2.6rem)/1 Impact, Haettenschweiler, "Arial Narrow Bold", sans-serif;
  letter-spacing: .01em; text-transform: uppercase; margin: 1rem 0 .5rem; }
p { margin: 0 0 1rem; }
.sandbox { display: inline-block; margin: 0; padding: .15rem .6rem; background: var(--ink); color: var(--paper);
  font-size: .85rem; font-weight: 600; }
.amount { font-size: 1.4rem; font-weight: 700; font-variant-numeric: tabular-nums; }
button { display: block; width: 100%; min-height: 48px; font: inherit; font-size: 1.05rem; font-weight: 700; cursor: pointer;
  border: 3px solid var(--ink); background: var(--red); color: #fff; padding: .8rem; margin: 0 0 .75rem; text-align: center; }
button.quiet { background: #fff; color: var(--ink); }
button:focus-visible { outline: 3px solid var(--purple); outline-offset: 2px; }
`;
