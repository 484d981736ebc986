// The hosted page of a Checkout Session.
import { html } from "hono/html";
import type { CheckoutSession } from "../store/objects.ts";
import type { SessionEntry } from "../payments/checkout-sessions.ts";
import { dollars, renderPage } from "./page.ts";

/** `refusal` is shown above the form. */
export function checkoutPage(session: SessionEntry, refusal?: string): Promise<Response> {
  const { body, hidden } = session;
  const lines = hidden.checkout?.lines ?? [];
  return renderPage({
    title: "Checkout",
    status: refusal === undefined ? 200 : 402,
    body: html`
      <h1>Checkout</h1>
      ${refusal === undefined ? "" : html`<p class="refused" role="alert">${refusal}</p>`}
      <table>
        <thead>
          <tr>
            <th scope="col">Item</th>
            <th scope="col">Price</th>
          </tr>
        </thead>
        <tbody>
          ${lines.map(
            (line) =>
              html`<tr>
                <td>${line.quantity} × ${line.name}</td>
                <td>${dollars(line.quantity * line.unitAmount)}</td>
              </tr>`,
          )}
          <tr>
            <th scope="row">Total</th>
            <td class="amount">${dollars(body.amount_total)}</td>
          </tr>
        </tbody>
      </table>
      <form method="post">
        <label
          >Card number
          <input
            name="number"
            inputmode="numeric"
            autocomplete="cc-number"
            required
            placeholder="4242 4242 4242 4242"
          />
        </label>
        <div class="row">
          <label
            >Month <input name="exp_month" inputmode="numeric" autocomplete="cc-exp-month" required
          /></label>
          <label
            >Year <input name="exp_year" inputmode="numeric" autocomplete="cc-exp-year" required
          /></label>
          <label>CVC <input name="cvc" inputmode="numeric" autocomplete="cc-csc" required /></label>
        </div>
        <label>Name on card <input name="name" autocomplete="cc-name" /></label>
        <button>Pay ${dollars(body.amount_total)}</button>
      </form>
      ${backLink(body)}
    `,
  });
}

export function expiredPage(session: CheckoutSession): Promise<Response> {
  return renderPage({
    title: "Expired",
    status: 410,
    body: html`<h1>Expired</h1>
      <p>This checkout is no longer open. Nothing was charged.</p>
      ${backLink(session)}`,
  });
}

const backLink = (session: CheckoutSession) =>
  session.cancel_url === null ? "" : html`<a class="button quiet" href="${session.cancel_url}">Go back</a>`;
