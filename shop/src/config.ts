// The configuration contract of docs/OPERATING.md: the server's variables and the shop's own. Nothing else looks at the
// environment.
import { type StripeKeys, stripeKeyProblems } from "contract/shop/stripe-keys";
import { type Wallets, walletsOf } from "contract/tickets/wallets";
import { type ServerConfig, serverConfigIn } from "../../server/src/platform/config.ts";
import {
  address,
  hosts,
  longEnough,
  oneOf,
  readVariables,
  together,
  type Values,
  type Variables,
} from "../../server/src/platform/variables.ts";

export interface Config extends ServerConfig {
  /** Who is notified of money that needs a person; undefined means the first administrator. */
  readonly alertEmail: string | undefined;
  /** What a mail server sends with a delivery report to prove itself. */
  readonly bounceSecret: string | undefined;
  /** Undefined means the payments sandbox. */
  readonly stripe: StripeKeys | undefined;
  /** The wallets whose keys the organizer has configured. */
  readonly wallets: Wallets;
  readonly alternateHosts: readonly string[];
  /** True when the payments sandbox may run even though others can reach the server. */
  readonly sandboxAllowed: boolean;
  /** True when the mailbox may replace real mail there, behind the administrator's sign-in. */
  readonly mailbox: boolean;
}

/** Throws a ConfigError with one line for each invalid variable. */
export function parseConfig(values: Values): Config {
  const variables = readVariables(values);
  const { read, text, problems } = variables;
  const config: Config = {
    ...serverConfigIn(variables, { mailFrom: "Houston Culture Festival <tickets@festival.example>" }),
    alertEmail: read("ALERT_EMAIL", address),
    bounceSecret: read("BOUNCE_SECRET", longEnough(24)),
    stripe: together("Stripe", {
      secretKey: ["STRIPE_SECRET_KEY", text("STRIPE_SECRET_KEY")],
      publishableKey: ["STRIPE_PUBLISHABLE_KEY", text("STRIPE_PUBLISHABLE_KEY")],
      webhookSecret: ["STRIPE_WEBHOOK_SECRET", text("STRIPE_WEBHOOK_SECRET")],
    }),
    wallets: walletsIn(variables),
    alternateHosts: read("ALTERNATE_HOSTS", hosts) ?? [],
    sandboxAllowed: read("PAYMENTS_SANDBOX", oneOf("true", "false")) === "true",
    mailbox: read("MAILBOX", oneOf("true", "false")) === "true",
  };
  // A guess would send the alternate hosts' visitors to an address that may not be the festival's.
  if (config.alternateHosts.length > 0 && config.siteUrl === undefined && !values["SITE_URL"]) {
    problems.push("ALTERNATE_HOSTS: set SITE_URL too, to the address that these hosts lead to");
  }
  if (config.stripe) problems.push(...stripeKeyProblems(config.stripe));
  variables.finish();
  return config;
}

function walletsIn({ text, problems }: Variables): Wallets {
  try {
    return walletsOf(text);
  } catch (error) {
    problems.push((error as Error).message);
    return {};
  }
}
