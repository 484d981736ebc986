// What the operator sees of a start: the lines on the terminal, and the file that `npm run status` reads.
import { rmSync, writeFileSync } from "node:fs";
import { isRestoredCopy, statusFile } from "../../server/src/data-folder.ts";
import type { FirstAdmin } from "./first-admin.ts";
import type { Dependencies } from "../../server/src/dependencies.ts";
import type { Config } from "./config.ts";
import { hashSettings } from "./settings-hash.ts";

/** The file is removed when the festival stops. */
export function announce(config: Config, deps: Dependencies, admin: FirstAdmin): void {
  writeStatus(deps, admin);
  deps.closers.push({
    part: "status file",
    close: () => rmSync(statusFile(deps.config.dataDir), { force: true }),
  });
  process.stdout.write(`${linesOf(config, deps, admin).join("\n")}\n`);
}

export function writeStatus(deps: Dependencies, admin: FirstAdmin): void {
  const status = {
    pid: process.pid,
    localUrl: deps.localUrl,
    values: valuesOf(deps, admin),
    settings: hashSettings(deps.config.given),
  };
  writeFileSync(statusFile(deps.config.dataDir), JSON.stringify(status, null, 2), { mode: 0o600 });
}

const mailboxUrl = ({ config, localUrl }: Dependencies) =>
  config.smtpUrl === undefined ? `${localUrl}/mailbox` : undefined;

function valuesOf(deps: Dependencies, admin: FirstAdmin): Record<string, string> {
  const mailUrl = mailboxUrl(deps);
  return {
    API_URL: deps.siteUrl,
    ANON_KEY: deps.keys.anon,
    SERVICE_ROLE_KEY: deps.keys.service,
    DB_URL: deps.databaseUrl,
    ...(mailUrl ? { MAIL_URL: mailUrl } : {}),
    ADMIN_EMAIL: admin.email,
    ...(admin.password ? { ADMIN_PASSWORD: admin.password } : {}),
  };
}

function linesOf(
  config: Config,
  deps: Dependencies,
  { email, password, needsPassword }: FirstAdmin,
): string[] {
  const mailUrl = mailboxUrl(deps);
  return [
    "",
    `  ${deps.brand.name}`,
    "",
    `  Site      ${deps.siteUrl}`,
    ...(mailUrl ? [`  Mailbox   ${mailUrl}  (all emails; set SMTP_URL to send them)`] : []),
    ...(password ? [`  Admin     ${email}  ${password}`] : []),
    ...(needsPassword ? [`  Admin     ${email}  set the password: npm run admin -- link ${email}`] : []),
    ...(config.stripe ? [] : ["  Payments  sandbox: no money moves. Test card 4242 4242 4242 4242."]),
    ...(isRestoredCopy(deps.config.dataDir)
      ? ["  Restored  no emails, refunds or orders until this copy takes over: npm run take-over"]
      : []),
    "",
    "  Ctrl-C stops everything.",
    "",
  ];
}
