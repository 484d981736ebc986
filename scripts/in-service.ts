// The command `festival` that `npm run install-service` makes: runs another command as the service's user and with its settings,
// which are read from the unit and from the file that it names.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { constants } from "node:os";
import { StartError } from "../server/src/platform/start-error.ts";
import { settingsIn } from "./in-service/settings.ts";

const COMMANDS = ["status", "doctor", "admin", "backup", "restore", "take-over"].concat([
  "rotate-entry-key",
  "rotate-signing-key",
]);

function stop(message: string): never {
  console.error(message);
  process.exit(1);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return stop(
      code === "EACCES"
        ? `This user may not read ${path}: run this as root.`
        : `${path} is missing (${code}).`,
    );
  }
}

const [name = "", ...args] = process.argv.slice(2);
if (!COMMANDS.includes(name)) stop(`Usage: festival ${COMMANDS.join(" | ")}`);
// A second festival's unit has another name.
const unit = read(process.env.FESTIVAL_UNIT ?? "/etc/systemd/system/festival.service");
try {
  const { user, settings } = settingsIn(unit, read);
  const [uid, gid] = ["-u", "-g"].map((option) =>
    Number(spawnSync("id", [option, user], { encoding: "utf8" }).stdout || stop(`There is no user ${user}.`)),
  );
  if (process.getuid?.() !== 0 && process.getuid?.() !== uid) stop(`Run this as root or as ${user}.`);
  const child = spawn(process.execPath, [join(import.meta.dirname, `${name}.ts`), ...args], {
    stdio: "inherit",
    env: { PATH: process.env.PATH, ...settings },
    ...(process.getuid?.() === 0 && { uid, gid }),
  });
  // A terminal sends Ctrl-C to the child as well. The child decides when it has stopped.
  process.on("SIGINT", () => {});
  child.on("exit", (status, signal) => process.exit(status ?? 128 + constants.signals[signal!]));
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  stop(error.message);
}
