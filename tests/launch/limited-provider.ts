// Preloaded into a server (node --import): its payment provider takes so many calls of each operation in any second and refuses
// the rest, as Stripe does. Everything up to the provider's SDK, and the sandbox behind it, is the product's own.
import Stripe from "stripe";

const most = Number(process.env["PROVIDER_LIMIT"]);
const taken = new Map<string, number[]>();

function isTaken(method: string, url: string): boolean {
  const operation = `${method} ${new URL(url).pathname.replace(/\/(pi|re|ch)_\w+/, "/:id")}`;
  const now = performance.now();
  const recent = (taken.get(operation) ?? []).filter((at) => at > now - 1000);
  const isTaken = recent.length < most;
  taken.set(operation, isTaken ? [...recent, now] : recent);
  return isTaken;
}

const REFUSAL = {
  error: {
    type: "invalid_request_error",
    code: "rate_limit",
    message: "Too many requests hit the API too quickly.",
  },
};

const create = Stripe.createFetchHttpClient;
Stripe.createFetchHttpClient = (send = fetch) =>
  create((async (input: string | URL, init?: RequestInit) =>
    isTaken(init?.method ?? "GET", String(input))
      ? send(input, init)
      : Response.json(REFUSAL, { status: 429 })) as typeof fetch);
