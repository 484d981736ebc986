// Preloaded into a measured server (node --import): its payment provider answers at once and costs nothing, as if it ran on
// other machines. Everything up to the provider's SDK is the product's own.
import { randomUUID } from "node:crypto";
import Stripe from "stripe";

const { paymentIntents } = new Stripe("sk_test_unused");
Object.getPrototypeOf(paymentIntents).create = async () => {
  const id = `pi_${randomUUID()}`;
  return { id, client_secret: `${id}_secret_instant` };
};
