// /v1/balance, /v1/balance_transactions, /v1/disputes and /v1/payouts: the account's books.
import type { Api, ApiDeps } from "../api/api.ts";
import { respond, secretRequest } from "../api/api.ts";
import { list } from "../api/lists.ts";
import { registerRetrieval, renderer } from "../api/retrieval.ts";
import { newId } from "../wire/ids.ts";
import { member, type Entry, type Family, type Payout } from "../store/objects.ts";
import { readCurrency } from "../wire/money.ts";
import { invalidRequest, missingParameter, noSuch } from "../wire/provider-error.ts";
import { balanceTransaction } from "./balance-transactions.ts";
import { answer, close } from "./disputes.ts";

export function registerBalanceRoutes(api: Api, deps: ApiDeps): void {
  registerBooks(api, deps);
  registerDisputes(api, deps);
  registerPayouts(api, deps);
  registerRetrieval(api, deps, {
    "/v1/balance_transactions/:id": "balance_transaction",
    "/v1/disputes/:id": "dispute",
    "/v1/payouts/:id": "payout",
  });
}

function registerBooks(api: Api, { queries }: ApiDeps): void {
  api.get("/v1/balance", async (c) => {
    secretRequest(c).parameters.refuseUnknown();
    const available = (await queries.balances()).map(({ currency, amount }) => ({
      amount,
      currency,
      source_types: { card: amount },
    }));
    return c.json({ object: "balance", available, pending: [], livemode: false });
  });

  api.get("/v1/balance_transactions", async (c) => {
    const request = secretRequest(c);
    const { parameters } = request;
    const containing = {
      type: parameters.text("type"),
      source: parameters.text("source"),
      currency: readCurrency(parameters),
    };
    return c.json(
      await list(queries, request, "balance_transaction", "/v1/balance_transactions", { containing }),
    );
  });
}

function registerDisputes(api: Api, { queries, calls }: ApiDeps): void {
  api.get("/v1/disputes", async (c) => {
    const request = secretRequest(c);
    const paymentIntent = request.parameters.text("payment_intent");
    const charge = request.parameters.text("charge");
    const filter = { containing: { charge, payment_intent: paymentIntent } };
    return c.json(await list(queries, request, "dispute", "/v1/disputes", filter));
  });

  api.post("/v1/disputes/:id", async (c) => {
    const request = secretRequest(c);
    const id = c.req.param("id");
    const evidence = request.parameters.nested("evidence");
    const text = evidence?.text("uncategorized_text", 150_000);
    const submit = request.parameters.boolean("submit") ?? true;
    request.parameters.refuseUnknown();
    const render = renderer(request);
    const changed = await calls.change(request.call, id, (family) => {
      requireDispute(family, id);
      return { transition: answer(family, id, { text, submit }, request.at), about: id, render };
    });
    return respond(c, changed);
  });

  api.post("/v1/disputes/:id/close", async (c) => {
    const request = secretRequest(c);
    const id = c.req.param("id");
    request.parameters.refuseUnknown();
    const render = renderer(request);
    const changed = await calls.change(request.call, id, (family) => {
      requireDispute(family, id);
      return { transition: close(family, id, request.at), about: id, render };
    });
    return respond(c, changed);
  });
}

function registerPayouts(api: Api, { queries, calls }: ApiDeps): void {
  api.get("/v1/payouts", async (c) => c.json(await list(queries, secretRequest(c), "payout", "/v1/payouts")));

  api.post("/v1/payouts", async (c) => {
    const request = secretRequest(c);
    const { parameters } = request;
    const amount = parameters.integer("amount");
    const currency = readCurrency(parameters);
    const description = parameters.text("description") ?? null;
    const metadata = parameters.metadata();
    parameters.refuseUnknown();
    if (amount === undefined) throw missingParameter("amount");
    if (currency === undefined) throw missingParameter("currency");
    const held = (await queries.balances()).find((balance) => balance.currency === currency)?.amount ?? 0;
    if (amount < 1 || amount > held) {
      const message = "You have insufficient funds in your Stripe account for this transfer.";
      throw invalidRequest(message, { code: "balance_insufficient", param: "amount" });
    }
    const payout = newPayout({ amount, currency, description, metadata }, request.at);
    const transition = {
      entries: [payout.made, payout.booked],
      events: [{ type: "payout.paid", object: payout.made.body }],
    };
    const about = payout.made.body.id;
    return respond(c, await calls.create(request.call, { transition, about, render: renderer(request) }));
  });
}

function newPayout(wanted: Pick<Payout, "amount" | "currency" | "description" | "metadata">, at: number) {
  const id = newId("po");
  const { amount, currency } = wanted;
  const booked = balanceTransaction(
    {
      root: id,
      source: id,
      type: "payout",
      category: "payout",
      amount: -amount,
      currency,
      description: "STRIPE PAYOUT",
    },
    at,
  );
  const body: Payout = {
    id,
    object: "payout",
    ...wanted,
    arrival_date: at,
    automatic: false,
    balance_transaction: booked.body.id,
    created: at,
    destination: null,
    failure_code: null,
    failure_message: null,
    livemode: false,
    method: "standard",
    source_type: "card",
    statement_descriptor: null,
    status: "paid",
    type: "bank_account",
  };
  const made: Entry<Payout> = { root: id, body, hidden: {} };
  return { made, booked };
}

function requireDispute(family: Family, id: string): void {
  if (!member(family, "dispute", id)) throw noSuch("dispute", id);
}
