// What the doctor concludes about an installation. Pure: variables and observations in, findings out.
import { isPublicAddress } from "../../server/src/exposure.ts";
import type { Config } from "../../shop/src/config.ts";
import { type Fault, SETTINGS } from "./services.ts";

export interface Finding {
  /** "wrong" loses money, mail or safety; "note" is worth knowing. */
  readonly level: "wrong" | "note";
  readonly text: string;
}

export interface Observed {
  /** Major version. */
  readonly node: number;
  /** Undefined before there is a data folder. */
  readonly freeBytes: number | undefined;
  /** The system's word for why the data folder cannot be written; omitted if it can. */
  readonly unwritable?: string | undefined;
  /** Whether it is a restored copy that has not taken over. */
  readonly isRestored: boolean;
  /** How far the payment provider's clock is ahead; omitted without a provider or a response from it. */
  readonly providerClockOffMs?: number | undefined;
  /** Of the services that the settings name. */
  readonly faults: readonly Fault[];
  /** Or why it does not answer. Omitted if it is embedded and no server runs. */
  readonly database?: ObservedDatabase | string;
  /** Omitted while none runs. */
  readonly server?: {
    readonly healthy: boolean;
    /** The names of variables that it has otherwise than this command. */
    readonly otherSettings: readonly string[];
  };
}

export interface ObservedDatabase {
  /** Major version. */
  readonly postgres: number;
  readonly walLevel: string;
  /** How far its clock is ahead of this machine's. */
  readonly clockOffMs: number;
  readonly deadWork: number;
}

const GB = 1024 ** 3;

type Rule = readonly [when: boolean, level: Finding["level"], text: string];

export function judge(config: Config, observed: Observed): Finding[] {
  return [
    ...rulesOfServer(observed),
    ...rulesOfConfig(config),
    ...rulesOfServices(observed),
    ...rulesOfMachine(observed),
    ...rulesOfDatabase(observed),
  ]
    .filter(([when]) => when)
    .map(([, level, text]) => ({ level, text }));
}

function rulesOfConfig(config: Config): readonly Rule[] {
  const { siteUrl, stripe, smtpUrl, production, trustedProxies, mailFrom } = config;
  const isPublic = siteUrl !== undefined && isPublicAddress(siteUrl);
  return [
    [
      isPublic && !production,
      "wrong",
      `SITE_URL is ${siteUrl}, but NODE_ENV is not production. Set NODE_ENV=production.`,
    ],
    [
      isPublic && !siteUrl.startsWith("https://"),
      "wrong",
      "SITE_URL is not https: passwords and tickets travel unencrypted. Put TLS in front and set SITE_URL to the https address.",
    ],
    [
      production && siteUrl === undefined,
      "wrong",
      "SITE_URL is not set: links in emails point to localhost.",
    ],
    [
      (isPublic || production) && stripe === undefined,
      "wrong",
      "Payments run in a sandbox: anyone can get tickets for free. Set STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY and STRIPE_WEBHOOK_SECRET.",
    ],
    [
      production && stripe?.secretKey.startsWith("sk_test_") === true,
      "wrong",
      "STRIPE_SECRET_KEY is a test key: no money moves.",
    ],
    [
      (isPublic || production) && smtpUrl === undefined,
      "wrong",
      "SMTP_URL is not set: no email leaves this machine, and new accounts can't be confirmed.",
    ],
    [
      smtpUrl !== undefined && mailFrom.includes("@festival.example"),
      "wrong",
      "MAIL_FROM is not set: mail servers reject emails from festival.example.",
    ],
    [
      stripe !== undefined && config.alertEmail === undefined,
      "wrong",
      "ALERT_EMAIL is not set: no one is alerted to payments that need attention, and the server won't start.",
    ],
    [
      isPublic && trustedProxies.length === 0,
      "wrong",
      "TRUSTED_PROXIES is not set: behind a proxy all buyers share its address and its limits. Name the proxy's address.",
    ],
  ];
}

function rulesOfMachine({
  node,
  freeBytes,
  unwritable,
  isRestored,
  providerClockOffMs,
}: Observed): readonly Rule[] {
  return [
    [
      Math.abs(providerClockOffMs ?? 0) > 5000,
      "wrong",
      "This machine's clock is more than 5 seconds from the payment provider's: holds and sign-ins end at the wrong time. Sync it with NTP.",
    ],
    [
      isRestored,
      "wrong",
      "This is a restored copy: it sends no email, makes no refund and takes no order until it takes over. Run: npm run take-over",
    ],
    [
      unwritable !== undefined,
      "wrong",
      `The server will not start: this user may not write DATA_DIR (${unwritable}). Give the folder to the user that runs the server.`,
    ],
    [node < 24, "note", `This is Node ${node}; the server ships with Node 24 and runs on that.`],
    [
      freeBytes !== undefined && freeBytes < GB,
      "wrong",
      `Only ${((freeBytes ?? 0) / GB).toFixed(1)} GB are free on DATA_DIR's disk. A full disk stops sales.`,
    ],
  ];
}

function rulesOfServer({ server }: Observed): readonly Rule[] {
  return [
    [
      server === undefined,
      "note",
      "No server is running on this data folder, so neither /health nor the server's settings could be checked, nor an embedded database.",
    ],
    [
      (server?.otherSettings.length ?? 0) > 0,
      "wrong",
      `The running server has other settings than this command, which judges its own: ${server?.otherSettings.join(", ")}. Run this with the server's variables.`,
    ],
    [server?.healthy === false, "wrong", "The server runs, but /health does not answer 200. Check its log."],
  ];
}

function rulesOfServices({ faults }: Observed): readonly Rule[] {
  return faults.map(({ service, isRefusal, said }) => [
    true,
    "wrong",
    isRefusal
      ? `${service} refuses ${SETTINGS[service]}: ${said}`
      : `${service} does not answer this machine, so ${SETTINGS[service]} could not be checked: ${said}`,
  ]);
}

function rulesOfDatabase({ database }: Observed): readonly Rule[] {
  if (database === undefined) return [];
  if (typeof database === "string") {
    return [[true, "wrong", `The database does not answer: ${database}`]];
  }
  return [
    [
      database.postgres < 15,
      "wrong",
      `PostgreSQL ${database.postgres} is too old. Version 15 or newer is required.`,
    ],
    [
      database.walLevel !== "logical",
      "wrong",
      "PostgreSQL's wal_level is not logical: no live changes are sent.",
    ],
    [
      Math.abs(database.clockOffMs) > 5000,
      "wrong",
      "The clocks of this machine and its database are more than 5 seconds apart: holds and sign-ins end at the wrong time. Sync them with NTP.",
    ],
    [
      database.deadWork > 0,
      "wrong",
      `${database.deadWork} emails or refunds failed for good. The audit log lists them as CRITICAL_OUTBOX_DEAD.`,
    ],
  ];
}
