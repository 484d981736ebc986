// What the operator sees of a start: the lines on the terminal, and the file that `npm run status` reads.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FirstAdmin } from "./first-admin.ts";
import type { Ground } from "./ground.ts";

/** The file is removed when the festival stops. */
export function announce(ground: Ground, admin: FirstAdmin): void {
  writeStatus(ground, admin);
  ground.closers.push({ part: "status file", close: () => rmSync(statusFile(ground), { force: true }) });
  process.stdout.write(`${linesOf(ground, admin).join("\n")}\n`);
}

export function writeStatus(ground: Ground, admin: FirstAdmin): void {
  const status = { pid: process.pid, localUrl: ground.localUrl, values: valuesOf(ground, admin) };
  writeFileSync(statusFile(ground), JSON.stringify(status, null, 2), { mode: 0o600 });
}

const statusFile = ({ config }: Ground) => join(config.dataDir, "status.json");

const mailboxUrl = ({ config, localUrl }: Ground) =>
  config.smtpUrl === undefined ? `${localUrl}/mailbox` : undefined;

function valuesOf(ground: Ground, admin: FirstAdmin): Record<string, string> {
  const mailUrl = mailboxUrl(ground);
  return {
    API_URL: ground.siteUrl,
    ANON_KEY: ground.keys.anon,
    SERVICE_ROLE_KEY: ground.keys.service,
    DB_URL: ground.databaseUrl,
    ...(mailUrl ? { MAIL_URL: mailUrl } : {}),
    ADMIN_EMAIL: admin.email,
    ...(admin.password ? { ADMIN_PASSWORD: admin.password } : {}),
  };
}

function linesOf(ground: Ground, { email, password, needsPassword }: FirstAdmin): string[] {
  const mailUrl = mailboxUrl(ground);
  return [
    "",
    "  Houston Culture Festival",
    "",
    `  Site      ${ground.siteUrl}`,
    ...(mailUrl ? [`  Mailbox   ${mailUrl}  (every mail; set SMTP_URL to send them)`] : []),
    ...(password ? [`  Admin     ${email}  ${password}`] : []),
    ...(needsPassword ? [`  Admin     ${email}  set the password: npm run admin -- link ${email}`] : []),
    ...(ground.config.stripe ? [] : ["  Payments  sandbox: no money moves. Test card 4242 4242 4242 4242."]),
    "",
    "  Ctrl-C stops everything.",
    "",
  ];
}
