import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { ConfigError } from "../../server/src/platform/variables.ts";
import { parseConfig } from "./config.ts";

describe("the configuration", () => {
  it("needs no variable", () => {
    expect(parseConfig({})).toEqual({
      port: 3000,
      host: "127.0.0.1",
      dataDir: resolve("data"),
      databaseUrl: undefined,
      smtpUrl: undefined,
      mailFrom: "Houston Culture Festival <tickets@festival.example>",
      alertEmail: undefined,
      stripe: undefined,
      wallets: {},
      siteUrl: undefined,
      alternateHosts: [],
      jwtSecret: undefined,
      anonKey: undefined,
      serviceKey: undefined,
      authVariables: {},
      authKey: undefined,
      rest: {},
      production: false,
      sandboxAllowed: false,
      mailbox: false,
      trustedProxies: [],
      proxyHeader: "x-forwarded-for",
      hstsSubdomains: false,
      limits: {},
      anonymousBroadcast: false,
      logLevel: "warn",
      given: {},
    });
  });

  it("treats an empty variable as unset", () => {
    expect(parseConfig({ PORT: "", SITE_URL: "", STRIPE_SECRET_KEY: "" })).toEqual(parseConfig({}));
  });

  it("reads addresses and lists", () => {
    const config = parseConfig({
      PORT: "0",
      DATABASE_URL: "postgres://festival@localhost/festival",
      SITE_URL: "https://festival.example//",
      ALTERNATE_HOSTS: " www.festival.example, ,tickets.example ",
      PAYMENTS_SANDBOX: "true",
      HSTS_SUBDOMAINS: "true",
    });
    expect(config.port).toBe(0);
    expect(config.hstsSubdomains).toBe(true);
    expect(config.databaseUrl).toBe("postgres://festival@localhost/festival");
    expect(config.siteUrl).toBe("https://festival.example");
    expect(config.alternateHosts).toEqual(["www.festival.example", "tickets.example"]);
    expect(config.sandboxAllowed).toBe(true);
  });

  it("reads mail addresses as every form does: without what nobody sees, and with the domain in ASCII", () => {
    const { mailFrom, alertEmail } = parseConfig({
      MAIL_FROM: "Tickets & Parking <tickets@\u043f\u043e\u0447\u0442\u0430.example\u200b>",
      ALERT_EMAIL: "\u00a0office@localhost",
    });
    expect(mailFrom).toBe("Tickets & Parking <tickets@xn--80a1acny.example>");
    expect(alertEmail).toBe("office@localhost");
  });

  it("normalizes hosts as browsers do, because a header holds no other letters", () => {
    const config = parseConfig({
      SITE_URL: "https://Żółw.example:443/",
      ALTERNATE_HOSTS: "www.żółw.example, Tickets.example:8443",
    });
    expect(config.siteUrl).toBe("https://xn--w-uga1v8h.example");
    expect(config.alternateHosts).toEqual(["www.xn--w-uga1v8h.example", "tickets.example:8443"]);
  });

  it.each([
    ["PORT", "70000"],
    ["PORT", "3e3"],
    ["PORT", "http"],
    ["DATABASE_URL", "mysql://localhost/festival"],
    ["SMTP_URL", "localhost"],
    ["MAIL_FROM", "Tickets"],
    ["MAIL_FROM", "Tickets <a@b.example>\r\nBcc: c@d.example"],
    ["MAIL_FROM", "Tickets <tickets@festival-.example>"],
    ["ALERT_EMAIL", "Office office@festival.example"],
    ["ALERT_EMAIL", "office@festival..example"],
    ["TRUSTED_PROXIES", "proxy.example"],
    ["TRUSTED_PROXIES", "10.0.0.0/33"],
    ["TRUSTED_PROXIES", "10.0.0.1, 0.0.0.0/0"],
    ["TRUSTED_PROXIES", "::/0"],
    ["SITE_URL", "festival.example"],
    ["JWT_SECRET", "short"],
    ["AUTH_ENCRYPTION_KEY", "short"],
    ["ANON_KEY", "short"],
    ["SERVICE_ROLE_KEY", "short"],
    ["TRUSTED_PROXY_HEADER", "x-real-ip"],
    ["HSTS_SUBDOMAINS", "yes"],
    ["PAYMENTS_SANDBOX", "yes"],
    ["MAILBOX", "yes"],
    ["LOG_LEVEL", "loud"],
  ])("refuses %s=%s and names it", (name, value) => {
    expect(() => parseConfig({ [name]: value })).toThrow(new RegExp(`^${name}: must be`));
  });

  it("refuses alternate hosts that lead nowhere", () => {
    const problem = "ALTERNATE_HOSTS: set SITE_URL too, to the address that these hosts lead to";
    expect(() => parseConfig({ ALTERNATE_HOSTS: "www.festival.example" })).toThrow(problem);
    expect(parseConfig({ ALTERNATE_HOSTS: " , " }).alternateHosts).toEqual([]);
    const misspelled = { ALTERNATE_HOSTS: "www.festival.example", SITE_URL: "festival.example" };
    expect(() => parseConfig(misspelled)).toThrow(/^SITE_URL: must be .*$/);
  });

  it("reports all problems at once", () => {
    expect(() => parseConfig({ PORT: "x", LOG_LEVEL: "loud" })).toThrow(/^PORT: .*\nLOG_LEVEL: /);
  });

  it.each([
    ["swapped", ["pk_live_1", "sk_live_1", "whsec_1"], "STRIPE_PUBLISHABLE_KEY: must be like pk_live_"],
    ["of another service", ["key-1", "pk_live_1", "whsec_1"], "STRIPE_SECRET_KEY: must be"],
    ["an endpoint's id for its secret", ["sk_live_1", "pk_live_1", "we_1"], "STRIPE_WEBHOOK_SECRET: must be"],
    [
      "of two modes",
      ["sk_live_1", "pk_test_1", "whsec_1"],
      "is a test key, and STRIPE_SECRET_KEY a live key",
    ],
  ])(
    "refuses Stripe keys that are %s, without repeating them",
    (_what, [secret, publishable, webhook], said) => {
      const keys = {
        STRIPE_SECRET_KEY: secret,
        STRIPE_PUBLISHABLE_KEY: publishable,
        STRIPE_WEBHOOK_SECRET: webhook,
      };
      expect(() => parseConfig(keys)).toThrow(said);
      expect(() => parseConfig(keys)).not.toThrow("sk_live_1");
    },
  );

  it("refuses an incomplete group", () => {
    const half = { STRIPE_SECRET_KEY: "sk_test_1", STRIPE_WEBHOOK_SECRET: "whsec_1" };
    expect(() => parseConfig(half)).toThrow(ConfigError);
    expect(() => parseConfig(half)).toThrow("Stripe is only half configured: STRIPE_PUBLISHABLE_KEY missing");
  });

  it("keeps objects on disk unless S3 is fully configured", () => {
    expect(parseConfig({}).s3).toBeUndefined();
    const s3 = { S3_ENDPOINT: "https://s3.example", S3_BUCKET: "b", S3_KEY: "k", S3_SECRET: "s" };
    expect(parseConfig(s3).s3).toMatchObject({ endpoint: "https://s3.example", region: "us-east-1" });
    expect(parseConfig({ ...s3, S3_REGION: "eu-west-1" }).s3).toMatchObject({ region: "eu-west-1" });
    expect(() => parseConfig({ S3_ENDPOINT: "https://s3.example" })).toThrow(
      "S3 is only half configured: S3_BUCKET",
    );
    expect(() => parseConfig({ ...s3, S3_ENDPOINT: "s3.example" })).toThrow("S3_ENDPOINT");
  });
});
