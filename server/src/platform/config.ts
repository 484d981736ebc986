// Owns the meaning of every environment variable. Hides defaults and parsing: the rest of the server receives a Config
// and never looks at the environment itself.
import { isIP } from "node:net";
import { resolve } from "node:path";
import { emailPattern, plainEmail } from "contract/people";
import { type StripeKeys, stripeKeyProblems } from "contract/shop/stripe-keys";
import { type Wallets, walletsOf } from "contract/tickets/wallets";
import { StartError } from "./start-error.ts";

export interface Config {
  readonly port: number;
  readonly host: string;
  /** Absolute path: cluster, objects and generated secrets live below it. */
  readonly dataDir: string;
  /** Set when an existing PostgreSQL replaces the embedded one. */
  readonly databaseUrl: string | undefined;
  readonly smtpUrl: string | undefined;
  /** The sender of every mail. */
  readonly mailFrom: string;
  /** Who is notified of money that needs a person; undefined means the first administrator. */
  readonly alertEmail: string | undefined;
  /** What a mail server sends with a delivery report to prove itself. */
  readonly bounceSecret: string | undefined;
  /** Undefined means the payments sandbox. */
  readonly stripe: StripeKeys | undefined;
  /** Where the bytes of stored objects are kept; undefined means below the data folder. */
  readonly s3:
    | {
        readonly endpoint: string;
        readonly bucket: string;
        readonly key: string;
        readonly secret: string;
        readonly region: string;
      }
    | undefined;
  /** The wallets whose keys the organiser has configured. */
  readonly wallets: Wallets;
  /** Canonical address without a trailing slash; undefined means http://localhost:PORT. */
  readonly siteUrl: string | undefined;
  readonly alternateHosts: readonly string[];
  /** True when browsers shall require https of the address's subdomains too. */
  readonly hstsSubdomains: boolean;
  readonly jwtSecret: string | undefined;
  /** The API keys of an existing project, in place of those derived from the JWT secret. */
  readonly anonKey: string | undefined;
  readonly serviceKey: string | undefined;
  /** The GOTRUE_ variables, which auth reads itself (auth/settings). Empty when none is set. */
  readonly authVariables: Readonly<Record<string, string>>;
  /** The key that auth hashes and seals secrets with; undefined: the data folder's own. */
  readonly authKey: string | undefined;
  /** Addresses and CIDR blocks of proxies trusted to say where a request comes from. */
  readonly trustedProxies: readonly string[];
  /** The header in which they write the visitor's address. The other header is the visitor's own claim and is not read. */
  readonly proxyHeader: "x-forwarded-for" | "forwarded";
  readonly limits: Limits;
  /** Settings of the REST service, under PostgREST's names: PGRST_DB_SCHEMAS is `db-schemas`. */
  readonly rest: Readonly<Record<string, string>>;
  /** True when visitors without an account may send on public channels. */
  readonly anonymousBroadcast: boolean;
  readonly production: boolean;
  /** True when the payments sandbox may run even though others can reach the server. */
  readonly sandboxAllowed: boolean;
  /** True when the mailbox may replace real mail there, behind the administrator's sign-in. */
  readonly mailbox: boolean;
  readonly logLevel: string;
}

/** What one visitor, and all of them together, may use of the machine. Undefined is the limit's own default. */
interface Limits {
  /** Bytes of one answer from the REST service. */
  readonly answerBytes: number | undefined;
  /** Connections to PostgreSQL for visitors' requests: in total, per address and per account. */
  readonly connections: number | undefined;
  readonly connectionsPerAddress: number | undefined;
  readonly connectionsPerAccount: number | undefined;
  readonly connectionWaitSeconds: number | undefined;
  /** Bytes of request bodies kept in memory at once. */
  readonly bodyBytes: number | undefined;
  /** TCP connections of one address, including WebSockets. */
  readonly httpSocketsPerAddress: number | undefined;
  /** WebSockets of one address. */
  readonly socketsPerAddress: number | undefined;
  readonly subscriptionsPerAddress: number | undefined;
  /** Joins of channels within one second. */
  readonly joinsPerAddress: number | undefined;
}

/** Thrown with one line for each invalid variable; main prints it and exits. */
export class ConfigError extends StartError {}

type Variables = Readonly<Record<string, string | undefined>>;

/** Reads the configuration contract of docs/OPERATING.md. Throws ConfigError. */
export function parseConfig(variables: Variables): Config {
  const problems: string[] = [];
  const read = reader(variables, problems);
  const text = (name: string) => read(name, String);

  const config: Config = {
    port: read("PORT", port) ?? 3000,
    host: text("HOST") ?? "127.0.0.1",
    dataDir: resolve(text("DATA_DIR") ?? "data"),
    databaseUrl: read("DATABASE_URL", url("postgres", "postgresql")),
    smtpUrl: read("SMTP_URL", url("smtp", "smtps")),
    mailFrom: read("MAIL_FROM", mailbox) ?? "Houston Culture Festival <tickets@festival.example>",
    alertEmail: read("ALERT_EMAIL", address),
    bounceSecret: read("BOUNCE_SECRET", longEnough(24)),
    stripe: together("Stripe", {
      secretKey: ["STRIPE_SECRET_KEY", text("STRIPE_SECRET_KEY")],
      publishableKey: ["STRIPE_PUBLISHABLE_KEY", text("STRIPE_PUBLISHABLE_KEY")],
      webhookSecret: ["STRIPE_WEBHOOK_SECRET", text("STRIPE_WEBHOOK_SECRET")],
    }),
    s3: s3In(text("S3_REGION"), {
      endpoint: ["S3_ENDPOINT", read("S3_ENDPOINT", url("http", "https"))],
      bucket: ["S3_BUCKET", text("S3_BUCKET")],
      key: ["S3_KEY", text("S3_KEY")],
      secret: ["S3_SECRET", text("S3_SECRET")],
    }),
    wallets: walletsIn(variables, problems),
    siteUrl: read("SITE_URL", site),
    alternateHosts: read("ALTERNATE_HOSTS", hosts) ?? [],
    hstsSubdomains: read("HSTS_SUBDOMAINS", oneOf("true", "false")) === "true",
    jwtSecret: read("JWT_SECRET", longEnough(32)),
    anonKey: read("ANON_KEY", longEnough(20)),
    serviceKey: read("SERVICE_ROLE_KEY", longEnough(20)),
    authVariables: withPrefix(variables, "GOTRUE_"),
    authKey: read("AUTH_ENCRYPTION_KEY", longEnough(32)),
    trustedProxies: read("TRUSTED_PROXIES", networks) ?? [],
    proxyHeader: read("TRUSTED_PROXY_HEADER", oneOf("x-forwarded-for", "forwarded")) ?? "x-forwarded-for",
    limits: limitsIn(read),
    rest: restSettings(variables),
    anonymousBroadcast: read("ANONYMOUS_BROADCAST", oneOf("true", "false")) === "true",
    production: text("NODE_ENV") === "production",
    sandboxAllowed: read("PAYMENTS_SANDBOX", oneOf("true", "false")) === "true",
    mailbox: read("MAILBOX", oneOf("true", "false")) === "true",
    logLevel:
      read("LOG_LEVEL", oneOf("trace", "debug", "info", "warn", "error", "fatal", "silent")) ?? "warn",
  };
  // A guess would send the alternate hosts' visitors to an address that may not be the festival's.
  if (config.alternateHosts.length > 0 && config.siteUrl === undefined && !variables.SITE_URL) {
    problems.push("ALTERNATE_HOSTS: set SITE_URL too, to the address that these hosts lead to");
  }
  if (config.stripe) problems.push(...stripeKeyProblems(config.stripe));
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  return config;
}

function limitsIn(read: ReturnType<typeof reader>): Config["limits"] {
  return {
    answerBytes: read("ANSWER_BYTES", positive),
    connections: read("DATABASE_CONNECTIONS", positive),
    connectionsPerAddress: read("DATABASE_CONNECTIONS_PER_ADDRESS", positive),
    connectionsPerAccount: read("DATABASE_CONNECTIONS_PER_ACCOUNT", positive),
    connectionWaitSeconds: read("DATABASE_WAIT_SECONDS", positive),
    bodyBytes: read("BODY_BYTES", positive),
    httpSocketsPerAddress: read("HTTP_SOCKETS_PER_ADDRESS", positive),
    socketsPerAddress: read("SOCKETS_PER_ADDRESS", positive),
    subscriptionsPerAddress: read("SUBSCRIPTIONS_PER_ADDRESS", positive),
    joinsPerAddress: read("JOINS_PER_ADDRESS", positive),
  };
}

/** Reads one variable: undefined when unset or empty. Adds any problem to `problems`. */
const reader =
  (variables: Variables, problems: string[]) =>
  <T>(name: string, parse: (text: string) => T): T | undefined => {
    const text = variables[name];
    if (text === undefined || text === "") return undefined;
    try {
      return parse(text);
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`);
      return undefined;
    }
  };

const withPrefix = (variables: Variables, prefix: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables).filter(
      (entry): entry is [string, string] => entry[0].startsWith(prefix) && Boolean(entry[1]),
    ),
  );

const REST = "PGRST_";

const restSettings = (variables: Variables): Record<string, string> =>
  Object.fromEntries(
    Object.entries(withPrefix(variables, REST)).map(([name, text]) => [
      name.slice(REST.length).toLowerCase().replaceAll("_", "-"),
      text,
    ]),
  );

function walletsIn(variables: Variables, problems: string[]): Wallets {
  try {
    return walletsOf((name) => variables[name]);
  } catch (error) {
    problems.push((error as Error).message);
    return {};
  }
}

// Parsers written by hand: a schema library would take a third of a warm start.

function port(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number > 65_535) throw new Error("must be a port number, 0 to 65535");
  return number;
}

function positive(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error("must be a whole number of at least 1");
  return Number(text);
}

const url =
  (...schemes: readonly string[]) =>
  (text: string): string => {
    if (!URL.canParse(text) || !schemes.includes(new URL(text).protocol.slice(0, -1))) {
      throw new Error(
        `must be a URL that starts with ${schemes.map((scheme) => `${scheme}://`).join(" or ")}`,
      );
    }
    return text;
  };

/** Normalised as browsers do, in letters that a header can hold. */
const site = (text: string): string => new URL(url("http", "https")(text)).href.replace(/\/+$/, "");

const hosts = (text: string): string[] =>
  list(text).map((host) => URL.parse(`https://${host}`)?.host ?? host);

function address(text: string): string {
  const email = plainEmail(text);
  if (!emailPattern.test(email)) throw new Error("must be an email address, e.g. office@example.com");
  return email;
}

/** An address, or a name and an address in angle brackets. */
function mailbox(text: string): string {
  const [, name, inner = text] = /^([^<>\r\n]*)<([^<>]+)>$/.exec(text) ?? [];
  const email = plainEmail(inner);
  if (!emailPattern.test(email)) throw new Error("must be an email address or `Name <address>`");
  return name === undefined ? email : `${name}<${email}>`;
}

const list = (text: string): string[] =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter(Boolean);

function networks(text: string): string[] {
  const entries = list(text);
  const wrong = entries.find((entry) => {
    const [address = "", prefix] = entry.split("/");
    const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    return bits === -1 || (prefix !== undefined && (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bits));
  });
  if (wrong !== undefined)
    throw new Error(`must be addresses or blocks such as 10.0.0.0/8, and ${wrong} is neither`);
  const everybody = entries.find((entry) => Number(entry.split("/")[1]) === 0);
  if (everybody !== undefined)
    throw new Error(
      `must be your proxies' own addresses: with ${everybody}, any visitor could claim any address`,
    );
  return entries;
}

const oneOf =
  <Word extends string>(...words: readonly Word[]) =>
  (text: string): Word => {
    const word = words.find((one) => one === text);
    if (word === undefined) throw new Error(`must be one of ${words.join(", ")}`);
    return word;
  };

const longEnough =
  (characters: number) =>
  (text: string): string => {
    if (text.length < characters) throw new Error(`must be at least ${characters} characters`);
    return text;
  };

function s3In(
  region: string | undefined,
  group: Parameters<typeof together<"endpoint" | "bucket" | "key" | "secret">>[1],
): Config["s3"] {
  const s3 = together("S3", group);
  return s3 && { ...s3, region: region ?? "us-east-1" };
}

/** A group of variables that only makes sense when complete: all set, or none. */
function together<Key extends string>(
  what: string,
  group: Record<Key, readonly [name: string, value: string | undefined]>,
): Record<Key, string> | undefined {
  const entries = Object.entries<readonly [string, string | undefined]>(group);
  const missing = entries.filter(([, [, value]]) => value === undefined).map(([, [name]]) => name);
  if (missing.length === entries.length) return undefined;
  if (missing.length > 0) {
    throw new ConfigError(`${what} is only half configured: ${missing.join(", ")} missing`);
  }
  return Object.fromEntries(entries.map(([key, [, value]]) => [key, value])) as Record<Key, string>;
}
