// A server that strangers can reach starts only with real mail and payments, or with the operator's permission to do without.
import { describe, expect, it } from "vitest";
import { exposedBy } from "../../server/src/exposure.ts";
import { parseConfig } from "./config.ts";
import { refuseStandInsInPublic } from "./stand-ins.ts";

const start = (variables: Record<string, string>) => refuseStandInsInPublic(parseConfig(variables));
const stripe = {
  STRIPE_SECRET_KEY: "sk_live_1",
  STRIPE_PUBLISHABLE_KEY: "pk_live_1",
  STRIPE_WEBHOOK_SECRET: "whsec_1",
  ALERT_EMAIL: "office@festival.example",
};

const PRIVATE: Record<string, string>[] = [
  {},
  { HOST: "localhost" },
  { HOST: "::1" },
  { HOST: "127.0.0.2", SITE_URL: "http://localhost:5173" },
  { SITE_URL: "https://localhost" },
  { SITE_URL: "http://[::1]:3000" },
  { SITE_URL: "http://festival.localhost:3000" },
];
it.each(PRIVATE)("needs nothing on this machine alone: %o", (variables) => {
  expect(exposedBy(parseConfig(variables))).toBeUndefined();
  expect(() => start(variables)).not.toThrow();
});

it("requires an alert address for real payments, wherever it runs", () => {
  const { ALERT_EMAIL: _, ...untold } = stripe;
  expect(() => start(untold)).toThrow(/Set ALERT_EMAIL/);
  expect(() => start(stripe)).not.toThrow();
});

describe.each([
  { HOST: "0.0.0.0" },
  { HOST: "::" },
  { HOST: "192.168.1.5" },
  { SITE_URL: "https://festival.example" },
  { SITE_URL: "http://festival.example" },
  { SITE_URL: "http://127.0.0.1.festival.example" },
  { TRUSTED_PROXIES: "127.0.0.1" },
  { NODE_ENV: "production" },
] as Record<string, string>[])("where others can reach it: %o", (variables) => {
  it("says what to set", () => {
    expect(() => start(variables)).toThrow(new RegExp(Object.keys(variables)[0]!));
    expect(() => start({ ...variables, ...stripe })).toThrow(/set SMTP_URL, or MAILBOX=true/);
    expect(() => start({ ...variables, SMTP_URL: "smtp://mail.example" })).toThrow(/set STRIPE_SECRET_KEY/);
  });

  it("starts with real mail and payments, or with permission", () => {
    expect(() => start({ ...variables, ...stripe, SMTP_URL: "smtp://mail.example" })).not.toThrow();
    expect(() => start({ ...variables, MAILBOX: "true", PAYMENTS_SANDBOX: "true" })).not.toThrow();
  });
});
