// The 3-D Secure challenge: represents the page of the buyer's bank, in a frame or as a redirect.
import { html } from "hono/html";
import type { PaymentIntent } from "../store/objects.ts";
import { dollars, renderPage } from "./page.ts";

export function challengePage(intent: PaymentIntent): Promise<Response> {
  return renderPage({
    title: "3-D Secure",
    framed: true,
    body: html`
      <h1>Is it you?</h1>
      <p>Your bank is asking you to approve this payment.</p>
      <p class="amount">${dollars(intent.amount)}</p>
      <form method="post">
        <button name="outcome" value="complete">Complete</button>
        <button name="outcome" value="fail" class="quiet">Fail</button>
      </form>
    `,
  });
}

/** The end of a challenge without a return address: notifies the page around the frame, which may also poll the intent. */
export function challengeDonePage(intent: PaymentIntent): Promise<Response> {
  const approved = intent.status === "succeeded" || intent.status === "processing";
  const message = JSON.stringify({
    source: "payments-sandbox",
    payment_intent: intent.id,
    status: intent.status,
    redirect_status: approved ? "succeeded" : "failed",
  });
  return renderPage({
    title: approved ? "Approved" : "Not approved",
    framed: true,
    body: html`
      <h1>${approved ? "Approved" : "Not approved"}</h1>
      <p role="status">
        ${approved ? "Thank you." : (intent.last_payment_error?.message ?? "")} You may close this page.
      </p>
    `,
    // The message holds no secret, so any page may receive it.
    script: `if (window.parent !== window) window.parent.postMessage(${message.replaceAll("<", "\\u003c")}, "*");`,
  });
}

export function missingPage(what: string): Promise<Response> {
  return renderPage({
    title: "Not found",
    status: 404,
    body: html`<h1>Not found</h1>
      <p>There is no such ${what}, or its address is not complete.</p>`,
  });
}
