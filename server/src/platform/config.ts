// Owns the meaning of every environment variable. Hides defaults and parsing: the rest of the server receives a Config
// and never looks at the environment itself.
import { resolve } from "node:path";
import { z } from "zod";

const port = z.coerce.number().int().min(0).max(65535);
const list = z.string().transform((text) =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter(Boolean),
);
const flag = z.enum(["true", "false"]).transform((text) => text === "true");

const environment = z.object({
  PORT: port.default(3000),
  HOST: z.string().default("127.0.0.1"),
  DATA_DIR: z.string().default("data"),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  STRIPE_SECRET_KEY: z.string().optional(),
  STRIPE_PUBLISHABLE_KEY: z.string().optional(),
  STRIPE_WEBHOOK_SECRET: z.string().optional(),
  SITE_URL: z.url({ protocol: /^https?$/ }).optional(),
  ALTERNATE_HOSTS: list.default([]),
  S3_ENDPOINT: z.url().optional(),
  S3_BUCKET: z.string().optional(),
  S3_KEY: z.string().optional(),
  S3_SECRET: z.string().optional(),
  JWT_SECRET: z.string().min(32, "must be at least 32 characters").optional(),
  NODE_ENV: z.string().optional(),
  PAYMENTS_SANDBOX: flag.default(false),
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("warn"),
});

export interface Config {
  readonly port: number;
  readonly host: string;
  /** Absolute path: cluster, objects and generated secrets live below it. */
  readonly dataDir: string;
  /** Set when an existing PostgreSQL replaces the embedded one. */
  readonly databaseUrl: string | undefined;
  readonly smtpUrl: string | undefined;
  /** Undefined means the payments sandbox. */
  readonly stripe:
    | { readonly secretKey: string; readonly publishableKey: string; readonly webhookSecret: string }
    | undefined;
  /** Canonical address without a trailing slash; undefined means http://localhost:PORT. */
  readonly siteUrl: string | undefined;
  readonly alternateHosts: readonly string[];
  readonly s3:
    | { readonly endpoint: string; readonly bucket: string; readonly key: string; readonly secret: string }
    | undefined;
  readonly jwtSecret: string | undefined;
  readonly production: boolean;
  /** True when the payments sandbox may run although NODE_ENV is production. */
  readonly sandboxAllowedInProduction: boolean;
  readonly logLevel: string;
}

/** Thrown with one line for each variable that is wrong; main prints it and exits. */
export class ConfigError extends Error {}

/** Reads the configuration contract of docs/OPERATING.md. Throws ConfigError. */
export function parseConfig(variables: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    throw new ConfigError(
      parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("\n"),
    );
  }
  const env = parsed.data;
  return {
    port: env.PORT,
    host: env.HOST,
    dataDir: resolve(env.DATA_DIR),
    databaseUrl: env.DATABASE_URL,
    smtpUrl: env.SMTP_URL,
    stripe: together("Stripe", {
      secretKey: ["STRIPE_SECRET_KEY", env.STRIPE_SECRET_KEY],
      publishableKey: ["STRIPE_PUBLISHABLE_KEY", env.STRIPE_PUBLISHABLE_KEY],
      webhookSecret: ["STRIPE_WEBHOOK_SECRET", env.STRIPE_WEBHOOK_SECRET],
    }),
    siteUrl: env.SITE_URL?.replace(/\/+$/, ""),
    alternateHosts: env.ALTERNATE_HOSTS,
    s3: together("S3", {
      endpoint: ["S3_ENDPOINT", env.S3_ENDPOINT],
      bucket: ["S3_BUCKET", env.S3_BUCKET],
      key: ["S3_KEY", env.S3_KEY],
      secret: ["S3_SECRET", env.S3_SECRET],
    }),
    jwtSecret: env.JWT_SECRET,
    production: env.NODE_ENV === "production",
    sandboxAllowedInProduction: env.PAYMENTS_SANDBOX,
    logLevel: env.LOG_LEVEL,
  };
}

/** A group of variables that only makes sense whole: all set, or none. */
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
