// `npm run install-service`: makes the shop a systemd service of this machine: the site built, a user, its settings, the unit and
// the command `festival`. It may be run again, also after an update; what is right already is left alone.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { StartError } from "../server/src/platform/start-error.ts";
import { commandLine } from "./command-line.ts";
import { buildSite, SiteBuildError } from "./site-build.ts";

const usage = "npm run install-service -- [--dry-run] [--root FOLDER]";
const { values: options } = commandLine(usage, {
  options: { "dry-run": { type: "boolean" }, root: { type: "string" } },
});
const isDry = options["dry-run"] ?? false;
/** Files go below it, and accounts and systemd are left alone: for trying it, or for an image. */
const below = options.root && resolve(options.root);
const at = (path: string) => (below ? join(below, path) : path);
const program = resolve(import.meta.dirname, "..");
const node = process.execPath;

const UNIT = "/etc/systemd/system/festival.service";
const SETTINGS = `# The shop's settings: docs/OPERATING.md lists all. One NAME=value a line, without quotes. Then: systemctl restart festival
SITE_URL=
TRUSTED_PROXIES=127.0.0.1,::1
SMTP_URL=
MAIL_FROM=
ALERT_EMAIL=
STRIPE_SECRET_KEY=
STRIPE_PUBLISHABLE_KEY=
STRIPE_WEBHOOK_SECRET=
`;
const COMMAND = `#!/bin/sh
# festival status, doctor, admin …: the shop's commands, as its user and with the settings of its service.
cd ${program} && exec ${node} scripts/run.mjs in-service "$@"
`;

if (!below && !isDry && process.getuid?.() !== 0)
  throw new StartError("Only root may install a service. Try it with: npm run install-service -- --dry-run");
const hidden = [program, node].find((path) => /^\/(home|root|tmp)\//.test(path));
if (hidden && !below)
  throw new StartError(
    `The service could not see ${hidden}: what is in a home or in /tmp is hidden from it. Move it to /opt/festival.`,
  );

if (isDry) console.log("would build the site, unless it is current");
else build();
if (!below) {
  const account = ["--system", "--user-group", "--no-create-home", "--home-dir", "/var/lib/festival"];
  if (spawnSync("id", ["-u", "festival"]).status !== 0)
    run("useradd", [...account, "--shell", "/usr/sbin/nologin", "festival"]);
}
// Kept as it is, except that nobody else may read it.
keep("/etc/festival.env", existing("/etc/festival.env") ?? SETTINGS, 0o600);
const unit = readFileSync(join(program, "docs/festival.service"), "utf8");
const isNew = keep(UNIT, unit.replaceAll("/opt/festival", program).replaceAll("/usr/bin/node", node), 0o644);
keep("/usr/local/bin/festival", COMMAND, 0o755);
const backups = at("/var/backups/festival");
if (!existsSync(backups)) {
  tell(`create ${backups}`);
  if (!isDry) mkdirSync(backups, { recursive: true, mode: 0o700 });
  if (!below) run("chown", ["festival:festival", backups]);
}
if (!below) {
  if (isNew) run("systemctl", ["daemon-reload"]);
  run("systemctl", ["enable", "festival"]);
}
if (!isDry)
  console.log(
    `Installed. Fill in ${at("/etc/festival.env")}, then: systemctl restart festival; festival doctor`,
  );

function build(): void {
  try {
    buildSite({ announce: (text) => console.log(text) });
  } catch (error) {
    throw error instanceof SiteBuildError ? new StartError(error.message) : error;
  }
}

function tell(what: string): void {
  console.log(isDry ? `would ${what}` : what);
}

function existing(path: string): string | undefined {
  return existsSync(at(path)) ? readFileSync(at(path), "utf8") : undefined;
}

/** Writes the file unless it is so already. Returns whether it was not. */
function keep(path: string, text: string, mode: number): boolean {
  const file = at(path);
  if (existing(path) === text && (statSync(file).mode & 0o777) === mode) return false;
  tell(`write ${file} (mode ${mode.toString(8)})`);
  if (isDry) return true;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode });
  chmodSync(file, mode);
  return true;
}

function run(command: string, args: readonly string[]): void {
  const line = [command, ...args].join(" ");
  tell(`run ${line}`);
  if (isDry) return;
  const { status, error } = spawnSync(command, args, { stdio: "inherit" });
  if (status !== 0) throw new StartError(`${line} failed${error ? `: ${error.message}` : ""}`);
}
