// The server's requests follow no redirect (ASVS 15.3.2).
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Stripe from "stripe";
import { expect, it } from "vitest";

it("the payment provider's library follows no redirect with the secret key", async () => {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(302, { location: "/elsewhere" }).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const stripe = new Stripe("sk_test_x", {
    host: "127.0.0.1",
    port,
    protocol: "http",
    maxNetworkRetries: 0,
    telemetry: false,
  });
  await stripe.paymentIntents.retrieve("pi_1").catch(() => {});
  expect(asked).toEqual(["/v1/payment_intents/pi_1"]);
  server.close();
});
