// A start and a backup on a disk without space, and a backup to one that cannot be written: small disks in memory, each in a
// mount namespace of its own, so that nothing is left of them.
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { removeFolder, root, temporaryFolder } from "../support/server/festival.ts";
import { prepareFolder } from "../support/server/prepared-data.ts";

const folder = temporaryFolder();
const [disk, data] = [join(folder, "disk"), join(folder, "data")];

beforeAll(() => {
  mkdirSync(disk);
  prepareFolder(data);
});
afterAll(() => removeFolder(folder));

const unshare = ["unshare", process.getuid?.() === 0 ? "-m" : "-rm"] as const;
/** In some containers nobody may mount anything. */
const mayMount = spawnSync(unshare[0], [unshare[1], "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;

/** Runs a script of scripts/ while `disk` is a disk, and returns what is on it afterwards. */
function onDisk(options: string, before: string, dataDir: string, script: readonly string[]) {
  const [name, ...args] = script;
  const lines = `mount -t tmpfs -o ${options} tmpfs ${disk} || exit 99; ${before}
    "$@" >&2; code=$?; ls -A ${disk}; exit $code`;
  const { status, stdout, stderr } = spawnSync(
    unshare[0],
    [unshare[1], "sh", "-c", lines, "sh", process.execPath, join(root, "scripts", name!), ...args],
    {
      cwd: root,
      encoding: "utf8",
      env: { ...process.env, NODE_ENV: "", PORT: "0", DATA_DIR: dataDir, DATABASE_URL: "" },
    },
  );
  return { status, left: stdout.split("\n").filter(Boolean), stderr };
}

it.skipIf(!mayMount)("a start without free space says so", () => {
  const fill = `dd if=/dev/zero of=${disk}/other bs=64k 2> /dev/null`;
  const { status, left, stderr } = onDisk("size=1m", fill, join(disk, "data"), ["run.mjs", "start"]);
  expect(stderr).toMatch(/\nCould not start\. The disk of the data folder .* is full \(ENOSPC\)\..*\n$/);
  expect([status, left]).toEqual([1, ["data", "other"]]);
});

it.skipIf(!mayMount)("a backup to a disk that is too small says so, and leaves nothing there", () => {
  const to = join(disk, "backups/today");
  const { status, left, stderr } = onDisk("size=8m", "", data, ["backup.ts", to]);
  expect(stderr).toBe(`The disk of ${to} is full. Nothing of the backup was kept.\n`);
  expect([status, left]).toEqual([1, []]);
});

it.skipIf(!mayMount)("a backup to a disk that may not be written says so", () => {
  const { status, left, stderr } = onDisk("ro", "", data, ["backup.ts", join(disk, "today")]);
  expect(stderr).toMatch(/^The backup could not be written, and nothing of it was kept: EROFS: .*\n$/);
  expect([status, left]).toEqual([1, []]);
});
