// Owns the meaning of the server's environment variables. Hides defaults and parsing: the rest of the server receives a
// ServerConfig and never looks at the environment itself.
import { resolve } from "node:path";
import {
  longEnough,
  mailbox,
  networks,
  oneOf,
  port,
  positive,
  readVariables,
  site,
  together,
  url,
  type Values,
  type Variables,
} from "./variables.ts";

export interface ServerConfig {
  readonly port: number;
  readonly host: string;
  /** Absolute path: cluster, objects and generated secrets live below it. */
  readonly dataDir: string;
  /** Set when an existing PostgreSQL replaces the embedded one. */
  readonly databaseUrl: string | undefined;
  readonly smtpUrl: string | undefined;
  /** The sender of every mail. */
  readonly mailFrom: string;
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
  /** Canonical address without a trailing slash; undefined means http://localhost:PORT. */
  readonly siteUrl: string | undefined;
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
  readonly logLevel: string;
  /** The variables that were set, as text, for comparing this configuration with another. */
  readonly given: Readonly<Record<string, string>>;
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

/** Throws a ConfigError. */
export function parseServerConfig(values: Values): ServerConfig {
  const variables = readVariables(values);
  const config = serverConfigIn(variables, { mailFrom: "no-reply@localhost" });
  variables.finish();
  return config;
}

/** Problems are left to the caller, who may have variables of its own. `defaults`: what a program chooses for itself. */
export function serverConfigIn(variables: Variables, defaults: Pick<ServerConfig, "mailFrom">): ServerConfig {
  const { read, text } = variables;
  return {
    port: read("PORT", port) ?? 3000,
    host: text("HOST") ?? "127.0.0.1",
    dataDir: resolve(text("DATA_DIR") ?? "data"),
    databaseUrl: read("DATABASE_URL", url("postgres", "postgresql")),
    smtpUrl: read("SMTP_URL", url("smtp", "smtps")),
    mailFrom: read("MAIL_FROM", mailbox) ?? defaults.mailFrom,
    s3: s3In(text("S3_REGION"), {
      endpoint: ["S3_ENDPOINT", read("S3_ENDPOINT", url("http", "https"))],
      bucket: ["S3_BUCKET", text("S3_BUCKET")],
      key: ["S3_KEY", text("S3_KEY")],
      secret: ["S3_SECRET", text("S3_SECRET")],
    }),
    siteUrl: read("SITE_URL", site),
    hstsSubdomains: read("HSTS_SUBDOMAINS", oneOf("true", "false")) === "true",
    jwtSecret: read("JWT_SECRET", longEnough(32)),
    anonKey: read("ANON_KEY", longEnough(20)),
    serviceKey: read("SERVICE_ROLE_KEY", longEnough(20)),
    authVariables: variables.withPrefix("GOTRUE_"),
    authKey: read("AUTH_ENCRYPTION_KEY", longEnough(32)),
    trustedProxies: read("TRUSTED_PROXIES", networks) ?? [],
    proxyHeader: read("TRUSTED_PROXY_HEADER", oneOf("x-forwarded-for", "forwarded")) ?? "x-forwarded-for",
    limits: limitsIn(read),
    rest: restSettings(variables),
    anonymousBroadcast: read("ANONYMOUS_BROADCAST", oneOf("true", "false")) === "true",
    production: text("NODE_ENV") === "production",
    logLevel:
      read("LOG_LEVEL", oneOf("trace", "debug", "info", "warn", "error", "fatal", "silent")) ?? "warn",
    given: variables.given,
  };
}

function limitsIn(read: Variables["read"]): Limits {
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

const REST = "PGRST_";

const restSettings = (variables: Variables): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables.withPrefix(REST)).map(([name, text]) => [
      name.slice(REST.length).toLowerCase().replaceAll("_", "-"),
      text,
    ]),
  );

function s3In(
  region: string | undefined,
  group: Parameters<typeof together<"endpoint" | "bucket" | "key" | "secret">>[1],
): ServerConfig["s3"] {
  const s3 = together("S3", group);
  return s3 && { ...s3, region: region ?? "us-east-1" };
}
